"""`python -m lamina`: the command."""

from __future__ import annotations

from lamina.cli.main import main

if __name__ == "__main__":
    main()
