"""Lamina's own layers: plain YAML, JSON and TOML files, merged by rules that are data."""
