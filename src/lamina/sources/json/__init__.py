"""JSON: reading with positions, and writing."""
