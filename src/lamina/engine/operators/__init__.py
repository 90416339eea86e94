"""Operators: how two values combine."""
