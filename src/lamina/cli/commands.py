"""The names of the commands."""

COMMANDS = {
    "render": ("lamina.cli.render", "Print the merged result."),
    "explain": ("lamina.cli.explain", "Show where a value came from and what it replaced."),
    "plan": ("lamina.cli.plan", "Show the steps and the rules, stage by stage."),
    "lint": ("lamina.cli.lint", "Find likely mistakes."),
    "check": ("lamina.cli.check", "Check whether the system accepts the result: keys, types and values."),
    "diff": ("lamina.cli.diff", "Show what changes in the result, and which layer and line caused it."),
    "report": ("lamina.cli.report", "Write a page that shows the result and where each value came from."),
    "nodes": ("lamina.cli.nodes", "List the nodes of a folder and the layers each resolves to."),
    "init": ("lamina.cli.init", "Detect what a repository contains and write a project file."),
    "fleet": ("lamina.cli.fleet", "Render many nodes at once."),
    "pack": ("lamina.cli.pack", "Build user-data from parts."),
    "explain-code": ("lamina.cli.explain_code", "Print what a code such as redundant-value means."),
    "example": ("lamina.cli.example", "Write a small example to try things on."),
    "plugins": ("lamina.cli.plugins", "List the dialects and mergers that are installed."),
    "schema": ("lamina.cli.schema", "Print the JSON Schema of a JSON output."),
    "man": ("lamina.cli.man", "Print the man page."),
    "completion": ("lamina.cli.completion", "Print the completion script for a shell."),
}
"""Sub-commands: the module that holds each as `command`, and one line about it."""
