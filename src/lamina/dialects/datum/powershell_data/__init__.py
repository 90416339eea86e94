"""PowerShell data files, and YAML as PowerShell reads it: documents with keys that compare without case."""
