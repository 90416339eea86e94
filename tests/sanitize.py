"""Runs the tests of the C extensions with the address and undefined-behaviour sanitizers of the compiler.

The extensions are built again, in a copy of the package in `.sanitize`; the installation is left as it is. Python
then takes its memory from `malloc`, so that the sanitizer sees every object. Usage: python tests/sanitize.py
"""

from __future__ import annotations

import os
import shlex
import shutil
import subprocess
import sys
import sysconfig
from pathlib import Path

ROOT = Path(__file__).parents[1]
COPY = ROOT / ".sanitize"
TESTS = [
    "tests/property/test_compiled_lines.py",
    "tests/property/test_fast_reader.py",
    "tests/property/test_yaml_lines.py",
    "tests/property/test_compiled_writer.py",
    "tests/property/test_reading_order.py",
    "tests/unit/test_compiled.py",
]
# Blocks are counted by Python's own allocator, which is not in use here.
COUNTING = "not left_behind and not leaks"
FLAGS = ["-O1", "-g", "-fwrapv", "-fno-omit-frame-pointer", "-fsanitize=address,undefined", "-fno-sanitize-recover=all"]


def compiler() -> list[str]:
    return shlex.split(os.environ.get("CC") or sysconfig.get_config_var("CC") or "cc")[:1]


def build() -> None:
    """Copy the package, and compile its extensions in the copy."""
    shutil.rmtree(COPY, ignore_errors=True)
    shutil.copytree(ROOT / "src", COPY, ignore=shutil.ignore_patterns("*.so", "*.pyd", "__pycache__"))
    include = f"-I{sysconfig.get_path('include')}"
    for source in sorted(COPY.rglob("_*.c")):
        module = source.with_name(source.stem + sysconfig.get_config_var("EXT_SUFFIX"))
        files = [str(each) for each in sorted(source.parent.glob("*.c"))]
        subprocess.run([*compiler(), "-shared", "-fPIC", *FLAGS, include, "-o", str(module), *files], check=True)


def library(name: str) -> str:
    asked = [*compiler(), f"-print-file-name={name}"]
    return subprocess.run(asked, capture_output=True, text=True, check=True).stdout.strip()


def environment() -> dict[str, str]:
    return {
        **os.environ,
        "PYTHONPATH": str(COPY),
        "PYTHONMALLOC": "malloc",
        # The interpreter itself leaves memory behind when it ends.
        "ASAN_OPTIONS": "detect_leaks=0:allocator_may_return_null=1",
        "LD_PRELOAD": f"{library('libasan.so')} {library('libubsan.so')}",
    }


def main() -> int:
    build()
    where = "import lamina.sources.yaml._yaml as module; print(module.__file__)"
    used = subprocess.run(
        [sys.executable, "-c", where], env=environment(), capture_output=True, text=True, check=True, cwd=ROOT
    )
    assert used.stdout.startswith(str(COPY)), used.stdout
    command = [sys.executable, "-m", "pytest", "-n", "0", "-s", "-k", COUNTING, *TESTS]
    return subprocess.run(command, env=environment(), check=False, cwd=ROOT).returncode


if __name__ == "__main__":
    sys.exit(main())
