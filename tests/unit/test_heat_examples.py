"""The examples of Heat give what is written beside them."""

from __future__ import annotations

import shlex
from pathlib import Path

import pytest

import lamina

EXAMPLES = Path(__file__).parents[2] / "examples" / "heat"


def arguments(folder: Path) -> tuple[str | None, list[str]]:
    """The template and the environments a command line names."""
    words = shlex.split((folder / "command.txt").read_text())
    template = words[words.index("-t") + 1] if "-t" in words else None
    return template, [word for word in words if word not in ("-e", "-t", template)]


@pytest.mark.parametrize("folder", sorted(path for path in EXAMPLES.iterdir()), ids=lambda folder: folder.name)
def test_an_example_gives_what_is_written_beside_it(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(folder)
    template, environments = arguments(folder)
    result = lamina.render(environments, dialect="heat", template=template)
    assert result.to_yaml() == (folder / "expected.yaml").read_text()


def test_the_scenario_of_the_specification() -> None:
    one, two = ((EXAMPLES / "services" / name).as_posix() for name in ("one.yaml", "two.yaml"))
    template = (EXAMPLES / "services" / "template.yaml").as_posix()
    assert lamina.render([one, two], template=template).value == {"parameters": {"ControllerServices": ["Glance"]}}
    merging = (EXAMPLES / "services" / "one-merging.yaml").as_posix()
    both = {"parameters": {"ControllerServices": ["Keystone", "Glance"]}}
    assert lamina.render([merging, two], template=template).value == both


def test_the_output_can_be_given_to_heat_again(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(EXAMPLES / "overcloud")
    once = lamina.render(["expected.yaml"], template="overcloud.yaml")
    assert once.to_yaml() == Path("expected.yaml").read_text()
