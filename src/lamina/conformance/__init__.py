"""Golden cases: inputs, and what the real program gave on them.

`python -m lamina.conformance PATH...` runs case files; authors of dialects use it on theirs.
"""
