"""Which schema a configuration is checked against: the given one, that of an installed cloud-init, or the table."""

from __future__ import annotations

from importlib.util import find_spec
from pathlib import Path
from typing import Any, Final

from lamina.dialects.cloudinit.config_schema.key_table import own_schema
from lamina.dialects.cloudinit.options import BUILT_IN
from lamina.errors import Diagnostic, InputError

_NAMES: Final = ("schema-cloud-config-v1.json", "cloud-init-schema.json")
_PACKAGES: Final = ("/usr/lib/python3/dist-packages/cloudinit",)
"""Where distributions install the program, which runs with a different Python."""


def chosen_schema(given: str | None) -> dict[str, Any]:
    """The schema to check against."""
    if given == BUILT_IN:
        return own_schema()
    path = Path(given) if given is not None else installed_schema()
    return own_schema() if path is None else _read(path)


def installed_schema() -> Path | None:
    """The schema of the cloud-init that is installed on this machine, if one is."""
    spec = find_spec("cloudinit")
    packages = [*(spec.submodule_search_locations or () if spec else ()), *_PACKAGES]
    candidates = (Path(package, "config", "schemas", name) for package in packages for name in _NAMES)
    return next((path for path in candidates if path.is_file()), None)


def _read(path: Path) -> dict[str, Any]:
    from lamina.sources.document_cache import json_document
    from lamina.sources.inputs import read_file

    document = json_document(read_file(str(path), str(path)))
    if not isinstance(document.value, dict):
        raise InputError(
            Diagnostic(
                code="bad-config-schema",
                message="a cloud-config schema must be a mapping",
                at=document.origin,
                hint="use the schema-cloud-config JSON file from a cloud-init release, or omit --schema",
            )
        )
    return document.value
