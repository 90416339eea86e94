"""Completion for PowerShell, which click does not bring; importing this module registers it."""

from __future__ import annotations

import os

from click.shell_completion import CompletionItem, ShellComplete, add_completion_class, split_arg_string

_SCRIPT = """\
Register-ArgumentCompleter -Native -CommandName %(prog_name)s -ScriptBlock {
    param($wordToComplete, $commandAst, $cursorPosition)
    $line = $commandAst.ToString()
    $end = [Math]::Min($line.Length, $cursorPosition - $commandAst.Extent.StartOffset)
    $env:%(complete_var)s = "powershell_complete"
    $env:COMP_WORDS = $line.Substring(0, $end)
    $env:COMP_INCOMPLETE = $wordToComplete
    try {
        %(prog_name)s | Where-Object { $_ } | ForEach-Object {
            $value, $help = $_ -split "`t", 2
            if (-not $help) { $help = $value }
            [System.Management.Automation.CompletionResult]::new($value, $value, "ParameterValue", $help)
        }
    } finally {
        Remove-Item Env:%(complete_var)s, Env:COMP_WORDS, Env:COMP_INCOMPLETE -ErrorAction SilentlyContinue
    }
}
"""


class PowerShellComplete(ShellComplete):
    """Completion for PowerShell 5 and later."""

    name = "powershell"
    source_template = _SCRIPT

    def get_completion_args(self) -> tuple[list[str], str]:
        """The words before the one that is being written, and that one."""
        words, incomplete = split_arg_string(os.environ["COMP_WORDS"])[1:], os.environ.get("COMP_INCOMPLETE", "")
        return (words[:-1] if incomplete and words[-1:] == [incomplete] else words), incomplete

    def complete(self) -> str:
        """The completions, one per line; none for files and folders, which PowerShell then completes itself."""
        args, incomplete = self.get_completion_args()
        found = self.get_completions(args, incomplete)
        return "\n".join(self.format_completion(item) for item in found if item.type == "plain")

    def format_completion(self, item: CompletionItem) -> str:
        """One line: the word, a tab, and its help."""
        return f"{item.value}\t{item.help or ''}".replace("\n", " ")


add_completion_class(PowerShellComplete)
