"""Says whether two files hold the same rendered documents, whatever their order: python same.py ONE OTHER."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Any

import yaml


def documents(name: str) -> dict[str, Any]:
    """The data of all documents in a file, by schema and name."""
    read = [document for document in yaml.safe_load_all(Path(name).read_text()) if document]
    return {f"{each['schema']}/{each['metadata']['name']}": each["data"] for each in read}


one, other = documents(sys.argv[1]), documents(sys.argv[2])
differ = sorted(name for name in {*one, *other} if one.get(name) != other.get(name))
print("\n".join(f"{name} differs" for name in differ) or f"{len(one)} documents, all the same")
sys.exit(bool(differ))
