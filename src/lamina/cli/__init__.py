"""The command line: one module a command, thin; each parses, calls the library and prints."""
