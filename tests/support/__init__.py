"""What several tests use: inputs, strategies, second implementations, and running the commands."""
