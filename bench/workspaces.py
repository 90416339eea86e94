"""Edits in a workspace against rendering everything again: 2,000 Datum nodes in five levels, and a Deckhand site.

Each edit changes something in every result that the file is used for.

python bench/workspaces.py [--quick] [--rows]
"""

from __future__ import annotations

import tempfile
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

from rows import Row, is_quick, of_pairs, print_rows, seconds
from sites import documents

import lamina
from lamina.run import Run
from lamina.session import Session

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

ROLES = 20
NEW = "AllNodes/new.yml"
_DEFINITION = """\
ResolutionPrecedence:
  - AllNodes\\$($Node.NodeName)
  - Roles\\$($Node.Role)
  - Sites\\$($Node.Site)
  - Environments\\$($Node.Environment)
  - Baselines\\All
lookup_options:
  Configurations: Unique
  Network: deep
  Security: deep
"""
_MANY = "".join(f"  key{number}: {number}\n" for number in range(30))


def node(number: int, address: int = 0) -> str:
    own = f"NodeName: n{number:04}\nRole: r{number % ROLES}\nSite: s{number % 10}\nEnvironment: e{number % 3}\n"
    return f"{own}Network:\n  Address: 10.{address}.{number // 250}.{number % 250}\n"


def role(number: int, edit: int = 0) -> str:
    return f"Configurations: [Network, Security, App]\nNetwork:\n  Role: {number}-{edit}\nApp:\n{_MANY}"


def write_tree(folder: Path, count: int) -> None:
    files = {"Datum.yml": _DEFINITION, "Baselines/All.yml": "Network:\n  Mtu: 1500\nSecurity:\n  Audit: true\n"}
    files |= {f"AllNodes/n{number:04}.yml": node(number) for number in range(count)}
    files |= {f"Roles/r{number}.yml": role(number) for number in range(ROLES)}
    files |= {f"Sites/s{number}.yml": f"Security:\n{_MANY}" for number in range(10)}
    files |= {f"Environments/e{number}.yml": f"Security:\n  Level: {number}\n" for number in range(3)}
    files["lamina.toml"] = '[patterns.nodes]\ndialect = "datum"\nnodes = "."\n'
    for name, text in files.items():
        (folder / name).parent.mkdir(exist_ok=True)
        (folder / name).write_text(text)


def render_all(folder: Path) -> None:
    """Every target once, as without a workspace; what they share is read once."""
    project = replace(lamina.Project.load(folder), run=Run(Session()))
    for name in project.targets:
        result = project.target(name).render(project.view)
        assert result is not None
        assert result.plain is not None  # values that nodes share are merged when the result is asked for


def rows() -> Iterator[Row]:
    yield from datum_rows()
    yield from deckhand_rows()


def datum_rows() -> Iterator[Row]:
    count = 200 if is_quick() else 2000
    with tempfile.TemporaryDirectory() as made:
        folder = Path(made)
        write_tree(folder, count)
        workspace = lamina.Workspace(folder)
        workspace.load()

        def measured(job: str, target: float, ours: Callable[[int], object], rounds: int = 5) -> Row:
            turns = range(1, rounds + 1)
            pairs = [(seconds(lambda: render_all(folder)), seconds(lambda: ours(turn))) for turn in turns]  # noqa: B023 - at once
            note = f"{min(pair[1] for pair in pairs) * 1000:.1f} ms"
            return of_pairs(job, "all rendered again", pairs, target=None if is_quick() else target, note=note)

        leaf, shared = "AllNodes/n0007.yml", "Roles/r7.yml"
        yield measured(f"edit of one node of {count:,}", 500, lambda edit: workspace.update({leaf: node(7, edit)}))
        yield measured(
            f"edit of a role of {count // ROLES} nodes", 15, lambda edit: workspace.update({shared: role(7, edit)})
        )
        job = f"a node comes or goes, of {count:,}"
        yield measured(job, 40, lambda turn: workspace.update({NEW: node(7) if turn % 2 else None}))
        yield measured(f"where, a line that {count:,} nodes use", 10, lambda _: workspace.where("Baselines/All.yml", 2))


DOCUMENTS = 423
"""As many as a real site has."""
GLOBAL = 8
"""So that about 50 documents use each of the global ones."""


def write_site(folder: Path) -> list[str]:
    """A site with a file for each document; the texts of the documents."""
    texts = documents(DOCUMENTS, GLOBAL)
    (folder / "docs").mkdir()
    for number, text in enumerate(texts):
        (folder / file_of(number)).write_text(text)
    (folder / "lamina.toml").write_text('[targets.site]\ndialect = "deckhand"\ninputs = ["docs"]\n')
    return texts


def file_of(number: int) -> str:
    """The file of a document; that of the policy is the first."""
    return f"docs/{number:03}.yaml"


def deckhand_rows() -> Iterator[Row]:
    with tempfile.TemporaryDirectory() as made:
        folder = Path(made)
        texts = write_site(folder)
        workspace = lamina.Workspace(folder)
        workspace.load()

        def measured(job: str, target: float, number: int) -> Row:
            def edit(turn: int) -> Callable[[], object]:
                text = f"{texts[number]}  edit: {{turn: {turn}}}\n"
                return lambda: workspace.update({file_of(number): text})

            turns = range(3 if is_quick() else 7)
            pairs = [(seconds(lambda: render_all(folder)), seconds(edit(turn))) for turn in turns]
            return of_pairs(job, "all rendered again", pairs, target=target)

        yield measured(f"edit of a site document of {DOCUMENTS}", 10, 400)
        yield measured("edit of a global document that 52 use", 4, 3)


if __name__ == "__main__":
    print_rows(rows())
