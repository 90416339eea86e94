"""The schema of cloud-config: which keys there are, of which types, and what is wrong with a configuration."""
