"""Comparing long lists: 2,000 items with one deletion and 40 edits, as values and as files with causes.

Times are CPU seconds, the best of some rounds. Usage: python bench/diffing.py [ROUNDS]
"""

from __future__ import annotations

import gc
import random
import sys
import time
from typing import TYPE_CHECKING, Any

import lamina
from lamina.views.diff.compare_values import Comparer
from lamina.views.diff.limits import to_search
from lamina.views.diff.patch import patch
from lamina.views.diff.value_ids import Numbering

if TYPE_CHECKING:
    from collections.abc import Callable

SIZE = 2_000


def edited(before: list[Any], edit: Callable[[Any], Any]) -> list[Any]:
    """The list without one of its items and with 40 others edited."""
    chosen = random.Random(7).sample(range(len(before)), 41)
    return [edit(item) if at in chosen[1:] else item for at, item in enumerate(before) if at != chosen[0]]


def packages() -> tuple[list[Any], list[Any]]:
    before = [{"name": f"package-{at}", "version": f"1.{at % 9}", "labels": ["web", at % 7]} for at in range(SIZE)]
    return before, edited(before, lambda item: {**item, "version": "2.0"})


def commands() -> tuple[list[Any], list[Any]]:
    before = [f"install package-{at % 500}" for at in range(SIZE)]
    return before, edited(before, lambda item: f"{item} --force")


def part(items: list[Any]) -> list[tuple[str, str]]:
    import yaml

    return [("part.yaml", "#cloud-config\n" + yaml.dump({"packages": items}, Dumper=yaml.CSafeDumper))]


def best(rounds: int, run: Callable[[], int]) -> tuple[float, int]:
    times, found = [], 0
    for _ in range(rounds):
        gc.collect()
        start = time.process_time()
        found = run()
        times.append(time.process_time() - start)
    return min(times), found


def compare(before: Any, after: Any) -> int:
    return len(Comparer(Numbering(), to_search()).changes(before, after))


def main() -> None:
    rounds = int(sys.argv[1]) if len(sys.argv) > 1 else 5
    shuffled = random.Random(7)
    few = shuffled.choices("abc", k=20_000), shuffled.choices("abc", k=20_000)
    named, plain = packages(), commands()
    texts = part(named[0]), part(named[1])
    results = lamina.render(texts[0]), lamina.render(texts[1])
    cases: dict[str, Callable[[], int]] = {
        "2,000 named mappings": lambda: compare(*named),
        "2,000 texts, each four times": lambda: compare(*plain),
        "2,000 named mappings, as JSON Patch": lambda: len(patch(*named)),
        "two results, with causes": lambda: len(lamina.diff(*results)),
        "two files, read, rendered and compared": lambda: len(lamina.diff(*texts)),
        "hostile: 20,000 of three texts in no order": lambda: compare(*few),
    }
    for label, run in cases.items():
        seconds, found = best(rounds, run)
        print(f"{label:45} {seconds * 1000:9.1f} ms {found:8,} changes")


if __name__ == "__main__":
    main()
