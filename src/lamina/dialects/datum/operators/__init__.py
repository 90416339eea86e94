"""Operators that only Datum needs."""
