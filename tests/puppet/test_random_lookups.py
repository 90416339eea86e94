"""Random lookups give what Debian's Puppet gives."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from puppet.puppet_lookups import agree, by_lamina, by_puppet, need
from puppet.random_trees import Tree, grown

LOOKUPS = int(os.environ.get("LAMINA_PUPPET_LOOKUPS", "200"))
"""How many lookups are compared; more by hand."""
FIRST = int(os.environ.get("LAMINA_PUPPET_SEED", "0"))


@pytest.fixture(scope="module", autouse=True)
def _puppet() -> None:
    need()


def test_random_lookups_give_what_puppet_gives(tmp_path: Path) -> None:
    trees: list[Tree] = []
    while sum(len(tree.keys) for tree in trees) < LOOKUPS:
        trees.append(grown(FIRST + len(trees)))
    answers = by_puppet(tmp_path, trees)
    wrong, values = [], 0
    for number, (tree, answer) in enumerate(zip(trees, answers, strict=True)):
        for key in tree.keys:
            ours = by_lamina(tree, key)
            values += "value" in answer[key]
            if not agree(answer[key], ours):
                wrong.append(f"seed {FIRST + number}, {key}: Puppet gives {answer[key]}, Lamina {ours}")
    assert not wrong, "\n".join(wrong[:20])
    assert values > LOOKUPS / 4  # most of what is asked is there, so that something is compared
