"""YAML: reading with positions, and writing."""
