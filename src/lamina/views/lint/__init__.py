"""Lint: what is likely a mistake in layered configuration, found on plans and results."""
