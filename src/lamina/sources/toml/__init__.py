"""TOML, read with the position of every key and item."""
