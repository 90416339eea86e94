"""JSON Schema draft 4, evaluated within limits."""
