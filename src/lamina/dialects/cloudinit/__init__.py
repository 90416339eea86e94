"""cloud-init: user-data parts and the rules they bring."""
