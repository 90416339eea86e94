"""Runs case files: `python -m lamina.conformance PATH...`."""

from __future__ import annotations

import sys

from lamina.conformance.case import find, load, sequence_count
from lamina.conformance.check import check_safely


def main(paths: list[str]) -> int:
    """Run the cases below the paths; 1 if any failed, 2 if there is nothing to run."""
    if not paths:
        print("usage: python -m lamina.conformance PATH...", file=sys.stderr)
        return 2
    passed = failed = sequences = 0
    for path in find(paths):
        sequences += sequence_count(path)
        for case in load(path):
            problems = check_safely(case)
            if not problems:
                passed += 1
                continue
            failed += 1
            print(f"{path}: {case.dialect} {case.id}: {case.about}")
            for line in problems:
                print(f"  {line}")
    if sequences:
        print(f"{sequences} sequences of requests were not run: they need a server (pytest tests/service)")
    print(f"{passed} passed, {failed} failed")
    return 1 if failed or not passed else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
