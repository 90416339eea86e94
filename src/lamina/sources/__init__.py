"""Bytes to plain values with positions, and values back to text."""
