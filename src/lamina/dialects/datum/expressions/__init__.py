"""A safe evaluator for the PowerShell expressions that real Datum trees contain.

Text is parsed to a small syntax tree (`scanner`, `parser`, `syntax`), which is evaluated over plain values
(`evaluator`, `operators`, `methods`, `commands`) within a budget of operations and bytes (`budget`). Nothing is ever
run: no process, file, clock, environment or .NET type is within reach. What is outside the subset is
`OutsideSubset`; what PowerShell itself would fail on is `ScriptFailed`.
"""
