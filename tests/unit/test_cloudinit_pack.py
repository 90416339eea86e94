"""Packing: the bundle renders to what its parts render to, and says where it is too large."""

from __future__ import annotations

import gzip
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

import lamina
from lamina.cli.main import main
from lamina.dialects.cloudinit.mime_pack import pack
from lamina.sources.source import Source
from lamina.values import same
from support.cloud_configs import mappings, part_text, rules

OTHERS = st.sampled_from(
    [
        "#!/bin/sh\necho hi\n",
        "#cloud-config\nname: Zoë €\n",
        "#cloud-config\r\na: 1\r\n",
        '#cloud-config-jsonp\n[{"op": "add", "path": "/patched", "value": 1}]\n',
        "#cloud-config-archive\n- 'x: 1'\n- content: 'y: 2'\n",
        "#cloud-config\nlong: " + "x" * 2000 + "\n",
        "#cloud-config\ntext: |\n  --==lamina-x\n  end\n",
        "#cloud-config\nno: newline",
    ]
)


@given(
    bodies=st.lists(st.one_of(OTHERS, st.builds(part_text, mappings, st.none() | rules)), min_size=1, max_size=4),
    zipped=st.booleans(),
)
def test_the_bundle_renders_to_what_its_parts_render_to(bodies: list[str], zipped: bool) -> None:
    parts = [Source.of_text(f"part{number}", text) for number, text in enumerate(bodies)]
    apart = lamina.render(parts, dialect="cloud-init")
    together = lamina.render([("user-data", pack(parts, zipped=zipped).data)], dialect="cloud-init")
    assert same(together.value, apart.value)
    assert [note.code for note in together.notes] == [note.code for note in apart.notes]


def run(arguments: list[str], capsys: pytest.CaptureFixture[str]) -> tuple[Any, str, str]:
    with pytest.raises(SystemExit) as left:
        main(arguments)
    printed = capsys.readouterr()
    return left.value.code, printed.out, printed.err


@pytest.fixture
def parts(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "a.cfg").write_text("#cloud-config\nl: [1]\n")
    (tmp_path / "b.yaml").write_text("l: [2]\n")
    (tmp_path / "go.sh").write_text("#!/bin/sh\n")
    return tmp_path


def test_the_command_packs_and_renders(parts: Path, capsys: pytest.CaptureFixture[str]) -> None:
    rule = "list(append)+dict(recurse_list)"
    arguments = ["pack", "a.cfg", "b.yaml:cloud-config", "go.sh", "--merge-type", rule, "-o", "user-data"]
    assert run(arguments, capsys) == (0, "", "")
    text = (parts / "user-data").read_text()
    assert text.count(f"Merge-Type: {rule}") == 2
    status, out, err = run(["render", "user-data"], capsys)
    assert (status, out) == (0, "#cloud-config\nl:\n- 1\n- 2\n")
    assert "go.sh is a script" in err


def test_the_same_parts_give_the_same_bytes(parts: Path) -> None:
    one, two = (pack(["a.cfg", "go.sh"], zipped=True).data for _ in range(2))
    assert one == two
    assert gzip.decompress(one) == pack(["a.cfg", "go.sh"]).data


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (["b.yaml"], "cannot tell the content type of b.yaml"),
        (["c.cfg"], "there is no file c.cfg"),
        (["c.cfg:cloud-config"], "there is no file c.cfg"),
        (["a.cfg", "--merge-type", "append"], "bad-merge-string"),
        (["a.cfg", "--merge-type", "frob()"], "unknown-merger"),
    ],
)
def test_what_cannot_be_packed_is_rejected(
    arguments: list[str], words: str, parts: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    status, out, err = run(["pack", *arguments], capsys)
    assert (status, out) == (3, "")
    assert words in err


def test_a_bundle_is_not_packed_again(parts: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (parts / "bundle").write_bytes(pack(["a.cfg"]).data)
    assert "already packed" in run(["pack", "bundle"], capsys)[2]


def test_sizes_beyond_the_limits_of_clouds_are_reported() -> None:
    filler = "".join(f"# {number * 7919 % 10007:05} filler\n" for number in range(1500))
    packed = pack([Source.of_text("big", "#cloud-config\n" + filler)])
    assert [note.subject for note in packed.notes] == ["Amazon EC2"]
    assert "with --gzip" in (packed.notes[0].hint or "")
    large = pack([Source.of_text("big", "#cloud-config\n" + filler * 4)])
    assert [note.subject for note in large.notes] == [
        "Amazon EC2",
        "Hetzner Cloud",
        "OpenStack Nova",
        "Microsoft Azure",
    ]
