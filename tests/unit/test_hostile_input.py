"""Input that once ended in a traceback: long numbers in paths, and long chains of substitutions."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

import lamina
from lamina.cli.main import main
from lamina.errors import LaminaError, UsageError
from lamina.paths import parse, resolve_path

LONG = "9" * 4301
POLICY = """---
schema: deckhand/LayeringPolicy/v1
metadata: {schema: metadata/Control/v1, name: layering-policy}
data: {layerOrder: [global, site]}
"""


def document(name: str, data: str, more: str = "", layer: str = "layer: global, abstract: false") -> str:
    return f"""---
schema: e/S/v1
metadata:
  schema: metadata/Document/v1
  name: {name}
  labels: {{name: {name}}}
  storagePolicy: cleartext
  layeringDefinition: {{{layer}}}
{more}data: {data}
"""


def substitution(name: str, source: str, destination: str) -> str:
    return f"""  substitutions:
  - src: {{schema: e/S/v1, name: {name}, path: "{source}"}}
    dest: {{path: "{destination}"}}
"""


@pytest.mark.parametrize(
    ("source", "destination"),
    [
        (f".v[{LONG}]", ".v"),
        (f".v[0:{LONG}]", ".v"),
        (f".v[0,{LONG}]", ".v"),
        (f".{LONG}", ".v"),
        (".v", f".v[{LONG}]"),
    ],
)
def test_a_number_too_long_in_a_path_of_a_substitution_has_a_place(source: str, destination: str) -> None:
    site = POLICY + document("a", "{v: [1]}") + document("b", "{v: [1]}", substitution("a", source, destination))
    with pytest.raises(LaminaError, match="contains a number with more than 4,300 digits") as caught:
        lamina.render([("site.yaml", site)], dialect="deckhand")
    assert caught.value.diagnostic.at is not None


def test_a_number_too_long_in_the_path_of_an_action_has_a_place() -> None:
    layer = f"layer: site, parentSelector: {{name: a}}, actions: [{{method: merge, path: '.v[{LONG}]'}}]"
    site = POLICY + document("a", "{v: [1]}") + document("b", "{v: [1]}", layer=layer)
    with pytest.raises(LaminaError, match="contains a number with more than 4,300 digits") as caught:
        lamina.render([("site.yaml", site)], dialect="deckhand")
    assert caught.value.diagnostic.at is not None


def test_a_position_too_long_is_no_path() -> None:
    with pytest.raises(UsageError, match="bad-path") as caught:
        parse(f"a[{LONG}]")
    assert len(str(caught.value)) < 500
    assert resolve_path(parse(f"/a/{LONG}"), {"a": [1]}) == ("a", LONG)
    assert resolve_path(("a", "²"), {"a": [1]}) == ("a", "²")
    assert resolve_path(("a", "0"), {"a": [1]}) == ("a", 0)


@pytest.fixture
def few_frames() -> Iterator[None]:
    """Less room for recursion than a chain of 150 documents would take."""
    before = sys.getrecursionlimit()
    depth = 0
    frame = sys._getframe()
    while frame.f_back is not None:
        frame, depth = frame.f_back, depth + 1
    sys.setrecursionlimit(depth + 160)
    yield
    sys.setrecursionlimit(before)


CHAINS = [
    (".v", ".v", "{v: x}"),
    (".", ".", "{k: 1, own: {a: 1}}"),
    (".m", ".m", "{m: {k: 1, own: 1}}"),
    (".m.k", ".m.k", "{m: {k: {z: 1}, own: 1}}"),
    (".l[0]", ".l[0]", "{l: [{a: 1}, 2]}"),
]


def chain(count: int, source: str, destination: str, data: str) -> str:
    documents = [document("d0", data)]
    documents += [document(f"d{at}", data, substitution(f"d{at - 1}", source, destination)) for at in range(1, count)]
    return POLICY + "".join(documents)


def ended(*arguments: str) -> object:
    with pytest.raises(SystemExit) as raised:
        main(list(arguments))
    return raised.value.code


@pytest.mark.parametrize("link", CHAINS, ids=[link[0] for link in CHAINS])
@pytest.mark.parametrize("command", ["render", "lint", "explain --all", "report -o /dev/null", "plan"])
def test_a_chain_of_substitutions_takes_no_recursion(
    tmp_path: Path, link: tuple[str, str, str], command: str, request: pytest.FixtureRequest
) -> None:
    short, long = tmp_path / "short.yaml", tmp_path / "long.yaml"
    short.write_text(chain(2, *link))
    long.write_text(chain(150, *link))
    assert ended(*command.split(), str(short)) == 0  # importing modules takes more room than the work itself
    request.getfixturevalue("few_frames")
    assert ended(*command.split(), str(long)) == 0


def test_a_chain_of_1200_documents_is_rendered() -> None:
    site = chain(1200, *CHAINS[0]).replace("{v: x}", "{v: first}", 1)
    result = lamina.render([("site.yaml", site)], dialect="deckhand")
    assert result.value[-1]["data"] == {"v": "first"}
    (origin,) = result.explain("[1199].data.v").origins
    assert site.splitlines()[origin.line - 1] == "data: {v: first}"
