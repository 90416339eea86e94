"""The command line: one thin module per command; each parses, calls the library and prints."""
