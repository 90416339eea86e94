"""Golden cases: inputs, and the results of the real program.

`python -m lamina.conformance PATH...` runs case files; authors of dialects use it on theirs.
"""
