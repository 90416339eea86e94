"""The forms findings are written in: text, JSON, SARIF and GitHub annotations."""
