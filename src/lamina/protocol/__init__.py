"""What a dialect is, and what it may add to views and commands: below dialects and views, which both import it."""
