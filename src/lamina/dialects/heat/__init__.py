"""Heat: environment files and the strategies that merge their parameters."""
