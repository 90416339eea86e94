"""Whatever the layout: a fix changes what it is for, and every other byte stays."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from lamina.dialects import registry as dialects
from lamina.sources.inputs import gather
from lamina.views.lint.fix_runs import EditableFiles, FixRequest, InputRuns
from lamina.views.lint.fixes import Fixed, fixed
from lamina.views.lint.selection import Selection
from lamina.views.render import render

VALUES = st.sampled_from(["1", "text", "'quoted # text'", "|\n    block\n\n    text", "[1, 2]", "{a: 1}", "null", ""])
KEYS = [f"key{number}x" for number in range(6)]
BASE = dict(zip(KEYS, ["1", "text", "[1, 2]", "{a: 1}", "null", "|\n    block\n"], strict=True))


@st.composite
def layers(draw: st.DrawFn) -> tuple[bytes, bytes]:
    """A layer and one above it, with comments, blank lines, and any line ends."""
    chosen = draw(st.lists(st.sampled_from(KEYS), min_size=1, unique=True))
    lines = []
    for number, key in enumerate(chosen):
        lines += draw(st.sampled_from([[], ["", f"# about {number} é"], [f"  # indented {number}"]]))
        value = draw(st.one_of(st.just(BASE[key]), VALUES))
        lines.append(f"{key}: {value}" + ("" if "|" in value else draw(st.sampled_from(["", "  # behind"]))))
    newline = draw(st.sampled_from(["\n", "\r\n"]))
    text = "\n".join(lines) + draw(st.sampled_from(["", "\n", "\n\n# end\n"]))
    bom = draw(st.sampled_from([b"", b"\xef\xbb\xbf"]))
    base = "".join(f"{key}: {value}\n" for key, value in BASE.items())
    return base.encode(), bom + text.replace("\n", newline).encode()


def fix(folder: Path) -> tuple[Fixed, InputRuns]:
    inputs = gather([folder / "base.yaml", folder / "site.yaml"])
    chosen = dialects.find("layers")
    runs = InputRuns(FixRequest(chosen, inputs, dialects.make_options(chosen, {})), Selection())
    return fixed(runs, EditableFiles.of(inputs).read), runs


@settings(max_examples=60, deadline=None)
@given(pair=layers())
def test_nothing_else_changes(pair: tuple[bytes, bytes], tmp_path_factory: pytest.TempPathFactory) -> None:
    folder = tmp_path_factory.mktemp("fix")
    (folder / "base.yaml").write_bytes(pair[0])
    (folder / "site.yaml").write_bytes(pair[1])
    before = render([folder / "base.yaml", folder / "site.yaml"], "layers").value
    report, _ = fix(folder)
    for name, data in report.after.items():
        assert name.endswith("site.yaml")
        Path(name).write_bytes(data)
    after = (folder / "site.yaml").read_bytes()
    assert render([folder / "base.yaml", folder / "site.yaml"], "layers").value == before
    _is_shortened(pair[1], after)
    assert fix(folder)[0].after == {}, "fixing twice is the same as once"


def _is_shortened(before: bytes, after: bytes) -> None:
    """Only whole lines were removed: the rest is there byte for byte, in order, and comments on lines of their own."""
    bom = b"\xef\xbb\xbf"
    assert after.startswith(bom) == before.startswith(bom)
    before, after = before.removeprefix(bom), after.removeprefix(bom)
    left = iter(before.splitlines(keepends=True))
    for line in after.splitlines(keepends=True):
        assert any(line == each for each in left)
    for line in before.splitlines():
        if line.lstrip().startswith(b"#"):
            assert line in after.splitlines()
