"""The dialects Lamina brings along."""
