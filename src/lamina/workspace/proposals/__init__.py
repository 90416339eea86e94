"""Proposals: the edits that make a value what somebody wants it to be, each tried on all targets.

`goal` says what is wanted; `candidates` finds the places in files that could bring it about; `text_nodes` writes values
into texts and keeps every other byte; `search` tries the candidates and compares the results of all targets.
"""
