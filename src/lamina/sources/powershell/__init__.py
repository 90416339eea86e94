"""PowerShell data files and keys that compare without case."""
