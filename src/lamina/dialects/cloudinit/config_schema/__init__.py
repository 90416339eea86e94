"""The schema of cloud-config: its keys, their types, and the violations of a configuration."""
