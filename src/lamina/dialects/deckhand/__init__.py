"""Deckhand: documents in layers, with parents, replacements and substitutions."""
