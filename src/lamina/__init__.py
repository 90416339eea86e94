"""Lamina renders layered configuration and says where every value came from."""
