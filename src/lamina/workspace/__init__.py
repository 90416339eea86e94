"""The live model of a project: what a change of a file changes in the results."""
