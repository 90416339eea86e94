"""The page of a report, tested in a real browser."""
