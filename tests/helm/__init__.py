"""Helm itself, compared with Lamina on random charts."""
