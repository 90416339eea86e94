"""Everything that reads a plan or a result."""
