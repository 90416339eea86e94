"""The built-in dialects, and what all dialects share."""
