"""The names of the commands, by what they are for."""

COMMANDS = {
    "render": ("lamina.cli.render", "Print the merged result."),
    "explain": ("lamina.cli.explain", "Show where a value came from and what it replaced."),
    "where": ("lamina.cli.where", "Show what a line of a file decides, and in which targets."),
    "lint": ("lamina.cli.lint", "Find likely mistakes, and what the system does not accept."),
    "diff": ("lamina.cli.diff", "Show what changes in the result, and which layer and line caused it."),
    "find": ("lamina.cli.find", "List where a value or a key is set, over all targets."),
    "plan": ("lamina.cli.plan", "Show the steps and the rules, stage by stage."),
    "report": ("lamina.cli.report", "Write a page that shows the result and where each value came from."),
    "explore": ("lamina.cli.explore", "Look at all targets in the browser, and at what edits change."),
    "init": ("lamina.cli.init", "Detect what a repository contains and write a project file; write an example."),
    "targets": ("lamina.cli.targets", "List the targets and the layers each is made of."),
    "rule": ("lamina.cli.rule", "Print what a code such as redundant-value means; list the lint rules."),
    "pack": ("lamina.cli.pack", "Build user-data from parts."),
    "store": ("lamina.cli.store", "Keep documents in a store that answers Deckhand's API, and work with it."),
    "schema": ("lamina.cli.schema", "Print the JSON Schema of a JSON output."),
    "completion": ("lamina.cli.completion", "Print the completion script for a shell."),
}
"""The commands: the module that holds each as `command`, and one line about it."""

GROUPS = {
    "Daily work": ("render", "explain", "where", "lint", "diff"),
    "Look": ("find", "plan", "report", "explore"),
    "Set up": ("init", "targets", "rule", "pack", "schema", "completion"),
    "Store": ("store",),
}
"""The commands as the help lists them."""

STORE = {
    "serve": ("lamina.cli.store_serve", "Answer Deckhand's API over a store."),
    "push": ("lamina.cli.store_push", "Make documents the content of a bucket on a server."),
    "pull": ("lamina.cli.store_pull", "Print the documents of a revision on a server."),
    "revisions": ("lamina.cli.store_revisions", "List the revisions on a server."),
    "rollback": ("lamina.cli.store_rollback", "Go back to the content of an older revision on a server."),
    "tag": ("lamina.cli.store_tag", "Give a revision on a server a tag."),
    "token": ("lamina.cli.store_token", "Make, list and revoke tokens for a server."),
    "import": ("lamina.cli.store_import", "Copy all revisions of a Deckhand into a store."),
}
"""The commands of `lamina store`."""
