"""Paths in Deckhand's documents."""
