"""Lamina's own layers: plain YAML, JSON and TOML files laid on one another, by rules that are data."""
