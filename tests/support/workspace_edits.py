"""Random edits of the small repositories."""

from __future__ import annotations

import random
from collections.abc import Mapping
from pathlib import Path

from support.workspace_files import BROKEN, Repository


def write(root: Path, texts: Mapping[str, str | None]) -> None:
    """Write files, and remove those without a text."""
    for path, text in texts.items():
        if text is None:
            (root / path).unlink(missing_ok=True)
        else:
            (root / path).parent.mkdir(parents=True, exist_ok=True)
            (root / path).write_text(text)


def edit(rng: random.Random, repository: Repository, state: dict[str, str]) -> dict[str, str | None]:
    """A change: mostly one file edited, else one added or removed, one that gets another name, or only a comment."""
    kind = rng.choice(["edit", "edit", "edit", "any", "add", "remove", "rename", "back", "break", "shift", "shift"])
    there = sorted(set(state) - {"lamina.toml"})
    if kind == "edit":
        path = rng.choice(list(repository.files))
        return {path: rng.choice(repository.files[path])}
    if kind == "remove" and there:
        return {rng.choice(there): None}
    if kind == "break" and there:
        path = rng.choice(there)
        return {path: state[path] + BROKEN}
    if kind == "shift" and there:
        broken = [path for path in there if state[path].endswith(BROKEN)]
        path = rng.choice(broken or there)
        lines = state[path].splitlines(keepends=True)
        lines.insert(rng.randint(0, len(lines)), "# a line that moves all below it\n")
        return {path: "".join(lines)}
    if kind == "rename" and there:
        old = rng.choice(there)
        return {old: None, rng.choice(repository.paths[1:]): state[old]}
    if kind == "back":
        return {path: texts[0] for path, texts in repository.files.items() if rng.random() < 0.5}
    return {rng.choice(repository.paths[1:]): rng.choice(repository.texts)}
