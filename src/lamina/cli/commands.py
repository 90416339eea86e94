"""The names of the commands."""

COMMANDS = {
    "render": ("lamina.cli.render", "Print the merged result."),
    "explain": ("lamina.cli.explain", "Say where a value came from and what it displaced."),
    "where": ("lamina.cli.where", "Say what a line of a file decides, and in which targets."),
    "find": ("lamina.cli.find", "List where a value or a key is set, over all targets."),
    "watch": ("lamina.cli.watch", "Render again on every save, and say what that changes."),
    "plan": ("lamina.cli.plan", "Show the steps and the rules, stage by stage."),
    "lint": ("lamina.cli.lint", "Find what is likely a mistake."),
    "check": ("lamina.cli.check", "Check whether the system accepts the result: keys, types and values."),
    "diff": ("lamina.cli.diff", "Say what changes in the result, and which layer and line caused it."),
    "report": ("lamina.cli.report", "Write a page that shows the result and where each value came from."),
    "nodes": ("lamina.cli.nodes", "List the nodes of a folder and the layers each resolves to."),
    "init": ("lamina.cli.init", "Look what is in a repository, and write a project file."),
    "fleet": ("lamina.cli.fleet", "Render many nodes, what they share done once."),
    "pack": ("lamina.cli.pack", "Build user-data from parts."),
    "plugins": ("lamina.cli.plugins", "List the dialects and mergers that are installed."),
    "schema": ("lamina.cli.schema", "Print the JSON Schema of a JSON output."),
    "man": ("lamina.cli.man", "Print the man page."),
    "completion": ("lamina.cli.completion", "Print the completion script for a shell."),
}
"""Sub-commands: the module that holds each as `command`, and one line about it."""
