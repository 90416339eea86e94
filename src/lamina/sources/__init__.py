"""Bytes to plain values with places, and values back to text."""
