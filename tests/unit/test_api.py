"""The public interface, as others build on it."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

import lamina

ONE = ("one.yaml", "#cloud-config\nruncmd:\n  - a\n  - b\nd: {x: 1}\n")
TWO = ("two.yaml", "#cloud-config\nmerge_how: list(append)+dict(recurse_list)+str()\nruncmd: [c]\nd: {x: 2, y: 3}\n")


def test_every_public_name_is_there() -> None:
    for name in lamina.__all__:
        assert getattr(lamina, name) is not None


def test_no_function_is_hidden_by_a_module_of_its_name() -> None:
    imports = "import lamina.engine.plan, lamina.views.render, lamina.views.diff.api"
    code = f"{imports}; print(callable(lamina.plan), callable(lamina.diff))"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout == "True True\n"


def test_an_unknown_name_is_an_attribute_error() -> None:
    with pytest.raises(AttributeError, match="nonsense"):
        _ = lamina.nonsense


def test_render_takes_pairs_sources_and_paths(tmp_path: Path) -> None:
    path = tmp_path / "two.yaml"
    path.write_text(TWO[1])
    source = lamina.Source.of_text(*ONE)
    values = [
        lamina.render([ONE, TWO]).value,
        lamina.render([source, path]).value,
        lamina.render([ONE, str(path)]).value,
    ]
    assert values == [{"runcmd": ["a", "b", "c"], "d": {"x": 1, "y": 3}}] * 3


def test_the_value_is_a_copy() -> None:
    result = lamina.render([ONE, TWO])
    result.value["runcmd"].append("changed")
    assert result.value["runcmd"] == ["a", "b", "c"]


def test_an_untouched_scalar_has_one_origin() -> None:
    history = lamina.render([ONE, TWO]).explain("d.y")
    assert history.value == 3
    assert history.origins == (lamina.Origin("two.yaml", 4, 14),)
    assert [(event.verdict, event.value) for event in history.events] == [("set", 3)]


def test_a_value_that_lost_is_in_the_history() -> None:
    history = lamina.render([ONE, TWO]).explain("/d/x")
    assert [(event.verdict, event.value, str(event.origin)) for event in history.events] == [
        ("set", 1, "one.yaml:5:8"),
        ("ignored", 2, "two.yaml:4:8"),
    ]
    assert history.events[1].directive is not None
    assert str(history.events[1].directive.origin) == "two.yaml:2:1"


def test_a_path_nobody_speaks_of_is_a_usage_error() -> None:
    with pytest.raises(lamina.UsageError) as caught:
        lamina.render([ONE]).explain("runcmds")
    assert caught.value.diagnostic.code == "no-such-path"
    assert caught.value.diagnostic.hint == "did you mean runcmd?"


def test_an_unknown_option_is_a_usage_error() -> None:
    with pytest.raises(lamina.UsageError) as caught:
        lamina.render([ONE], revers=True)
    assert "reverse" in str(caught.value)


def test_a_missing_file_is_an_input_error(tmp_path: Path) -> None:
    (tmp_path / "user-data").write_text(ONE[1])
    with pytest.raises(lamina.InputError) as caught:
        lamina.render(tmp_path / "user-dta")
    assert caught.value.diagnostic.code == "missing-file"
    assert "user-data" in str(caught.value.diagnostic.hint)


def test_the_plan_names_the_directive_of_every_step() -> None:
    stages = lamina.plan([ONE, TWO]).stages
    assert [str(step.directive) for stage in stages for output in stage.outputs for step in output.steps] == [
        "the empty start",
        "default rule dict(replace)+list()+str()",
        "list(append)+dict(recurse_list)+str() at two.yaml:2:1",
    ]


def test_where_program_and_manual_differ_there_is_a_note_for_each_path() -> None:
    plain = ("two.yaml", "#cloud-config\nruncmd: [c]\nd: {x: 2}\n")
    assert {note.path for note in lamina.render([ONE, plain]).compat_notes} == {("runcmd",), ("d", "x")}
    assert not lamina.render([ONE]).compat_notes
