"""Ansible: the variables that each host of an inventory has before any task runs."""
