"""The names of the commands."""

COMMANDS = {
    "render": ("lamina.cli.render", "Print the merged result."),
    "explain": ("lamina.cli.explain", "Say where a value came from and what it displaced."),
    "plan": ("lamina.cli.plan", "Show the steps and the rules, stage by stage."),
    "lint": ("lamina.cli.lint", "Find what is likely a mistake."),
    "check": ("lamina.cli.check", "Check whether the system accepts the result: keys, types and values."),
    "diff": ("lamina.cli.diff", "Say what changes in the result, and which layer and line caused it."),
    "report": ("lamina.cli.report", "Write a page that shows the result and where each value came from."),
    "nodes": ("lamina.cli.nodes", "List the nodes of a folder and the layers each resolves to."),
    "init": ("lamina.cli.init", "Look what is in a repository, and write a project file."),
    "fleet": ("lamina.cli.fleet", "Render many nodes, what they share done once."),
    "serve": ("lamina.cli.serve", "Keep documents in a store and answer Deckhand's API."),
    "push": ("lamina.cli.push", "Make documents the content of a bucket on a server."),
    "pull": ("lamina.cli.pull", "Print the documents of a revision on a server."),
    "revisions": ("lamina.cli.revisions", "List the revisions on a server."),
    "rollback": ("lamina.cli.rollback", "Go back to the content of an older revision on a server."),
    "token": ("lamina.cli.token", "Make, list and revoke tokens for a server."),
    "import-deckhand": ("lamina.cli.import_deckhand", "Copy all revisions of a Deckhand into a store."),
    "pack": ("lamina.cli.pack", "Build user-data from parts."),
    "plugins": ("lamina.cli.plugins", "List the dialects and mergers that are installed."),
    "schema": ("lamina.cli.schema", "Print the JSON Schema of a JSON output."),
    "man": ("lamina.cli.man", "Print the man page."),
    "completion": ("lamina.cli.completion", "Print the completion script for a shell."),
}
"""Sub-commands: the module that holds each as `command`, and one line about it."""
