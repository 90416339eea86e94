"""A repository with many targets: the project file, its targets, and what is done for many of them at once."""
