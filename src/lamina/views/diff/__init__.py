"""Differences: what changes between two results, and which layer and line caused each change."""
