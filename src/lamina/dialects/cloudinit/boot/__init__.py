"""What a boot does with a merged configuration."""
