"""Debian's cloud-init, unpacked beside the test environment; nothing of it is installed on the machine."""

from __future__ import annotations

import gzip
import json
import os
import subprocess
import sys
from fcntl import LOCK_EX, flock
from functools import cache
from pathlib import Path
from typing import Any

from support.installed import cannot_install, failure_of

_CACHE = Path(sys.prefix) / "debian-cloud-init"
_VERDICTS = """
import json, sys
from cloudinit.config.schema import SchemaValidationError, get_schema, validate_cloudconfig_schema
schema, found = get_schema(), []
for config in json.load(sys.stdin):
    try:
        validate_cloudconfig_schema(config, schema, strict=True)
        found.append(([], []))
    except SchemaValidationError as error:
        lists = (error.schema_errors, error.schema_deprecations)
        found.append([[problem.path for problem in problems or ()] for problems in lists])
json.dump(found, sys.stdout)
"""


def unpacked() -> Path:
    """The folder Debian's package was unpacked to, downloaded when it is not there yet."""
    _CACHE.mkdir(exist_ok=True)
    with (_CACHE / ".lock").open("w") as lock:
        flock(lock, LOCK_EX)
        if not (_CACHE / "root").is_dir() and (failure := _download_failure()):
            cannot_install("Debian's cloud-init", failure)
    return _CACHE / "root"


@cache
def _download_failure() -> str | None:
    """Fetch the package, once; the list of packages may be missing or old. Gives what was printed where that fails."""
    fetch = ("apt-get", "download", "--quiet", "cloud-init")
    if failure_of(*fetch, folder=_CACHE):
        failure = failure_of("apt-get", "update", "--quiet") or failure_of(*fetch, folder=_CACHE)
        if failure:
            return failure
    (package,) = _CACHE.glob("cloud-init_*.deb")
    subprocess.run(["dpkg-deb", "--extract", package.name, "root.partial"], cwd=_CACHE, check=True)
    (_CACHE / "root.partial").rename(_CACHE / "root")
    return None


def schema_file() -> Path:
    """The JSON Schema of the package."""
    return _modules() / "cloudinit/config/schemas/schema-cloud-config-v1.json"


def examples() -> dict[str, str]:
    """The examples of its documentation, by name."""
    folder = unpacked() / "usr/share/doc/cloud-init/examples"
    return {path.name.removesuffix(".gz"): _text(path) for path in sorted(folder.glob("cloud-config*"))}


def verdicts(configs: list[Any]) -> list[tuple[list[str], list[str]]]:
    """Where the program finds errors and deprecations in each configuration."""
    done = subprocess.run(
        [sys.executable, "-c", _VERDICTS],
        input=json.dumps(configs),
        env={**os.environ, "PYTHONPATH": str(_modules())},
        capture_output=True,
        text=True,
        check=True,
    )
    found: list[tuple[list[str], list[str]]] = json.loads(done.stdout)
    return found


def _modules() -> Path:
    return unpacked() / "usr/lib/python3/dist-packages"


def _text(path: Path) -> str:
    data = path.read_bytes()
    return (gzip.decompress(data) if path.suffix == ".gz" else data).decode()
