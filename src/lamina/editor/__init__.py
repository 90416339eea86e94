"""The language server: what `lamina lsp` says to an editor about layered configuration.

`server` speaks the protocol, `open_project` holds a workspace that follows what is typed, and each request has a module
of its own that turns answers of the workspace into the protocol's types.
"""
