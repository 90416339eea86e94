"""Helpers without domain knowledge."""
