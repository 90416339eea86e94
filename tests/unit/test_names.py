"""Names: one class of the package, one name; and words that engineers know, in the package and in its tests."""

from __future__ import annotations

import ast
import re
from collections import defaultdict
from collections.abc import Iterator
from pathlib import Path

import pytest

import lamina

ROOT = Path(lamina.__file__).parent
TESTS = Path(__file__).parents[1]
ROOMS = sorted({path.relative_to(ROOT).parts[0] for path in ROOT.rglob("*.py")})
WORDS = frozenset(
    (
        *("anew", "asked", "bared", "beginnings", "blob", "blobs", "clash", "clashes", "emptied", "garbled"),
        *("heirs", "hollow", "insist", "knot", "knots", "laid", "lasting", "lender", "lens", "lenses", "meant"),
        *("meeting", "meetings", "memo", "newcomer", "newcomers", "plainly", "refusal", "refusals", "refuse"),
        *("refused", "remedy", "sameness", "settle", "settled", "settles", "slip", "slips", "slowness", "sought"),
        *("speaker", "speakers", "spelt", "spoilt", "spoke", "spoken", "standing", "standings", "stands"),
        *("steered", "steers", "stories", "story", "strewn", "striker", "strikers", "stunted", "sweep", "sweeps"),
        *("tainted", "tape", "taped", "tell", "teller", "telling", "thaw", "theirs", "told", "twin", "untie"),
        *("wary", "wholes", "witness", "woven"),
    )
)
"""Each has an ordinary word in its place: cache, reject, string, history, request, positions, conflict, clean up."""
WORDS_IN_TESTS = WORDS - {"asked", "emptied", "laid", "meant", "plainly", "remedy", "steers", "theirs"}
"""The names of tests are sentences, in which some of the words are ordinary."""
_GIVEN = {"memo": "__deepcopy__"}
"""Names that a protocol of Python prescribes, with the function they are parameters of."""


def test_no_two_classes_have_one_name() -> None:
    places: dict[str, list[str]] = defaultdict(list)
    for path in ROOT.rglob("*.py"):
        for node in ast.walk(ast.parse(path.read_text())):
            if isinstance(node, ast.ClassDef):
                places[node.name.lstrip("_")].append(path.relative_to(ROOT).as_posix())
    assert len(places) > 300
    assert not {name: where for name, where in places.items() if len(where) > 1}


def words_of(name: str) -> set[str]:
    """The words of an identifier, lower case: those of `PrefixMemo` and of `_prefix_memo` are the same."""
    return {word.lower() for word in re.findall(r"[A-Z]+(?=[A-Z][a-z])|[A-Z]?[a-z]+|[A-Z]+", name)}


def bound_names(tree: ast.AST) -> Iterator[tuple[int, str]]:
    """Every name that a module gives to something, with its line."""
    given = {
        id(argument)
        for node in ast.walk(tree)
        if isinstance(node, ast.FunctionDef)
        for argument in node.args.args
        if _GIVEN.get(argument.arg) == node.name
    }
    for node in ast.walk(tree):
        match node:
            case ast.FunctionDef(name=name) | ast.AsyncFunctionDef(name=name) | ast.ClassDef(name=name):
                yield node.lineno, name
            case ast.arg(arg=name) if id(node) not in given:
                yield node.lineno, name
            case ast.Name(id=name, ctx=ast.Store()) | ast.Attribute(attr=name, ctx=ast.Store()):
                yield node.lineno, name


def offences(text: str, words: frozenset[str] = WORDS) -> list[str]:
    """The names of a module that contain a word of the list, each with its line."""
    return [f"{line}: {name}" for line, name in bound_names(ast.parse(text)) if words_of(name) & words]


@pytest.mark.parametrize("room", ROOMS)
def test_names_have_ordinary_words(room: str) -> None:
    paths = [ROOT / room] if room.endswith(".py") else sorted((ROOT / room).rglob("*.py"))
    found = [f"{path.relative_to(ROOT)}:{each}" for path in paths for each in offences(path.read_text())]
    assert found == []


def test_names_in_tests_have_ordinary_words() -> None:
    paths = sorted(TESTS.rglob("*.py"))
    found = [
        f"{path.relative_to(TESTS)}:{each}" for path in paths for each in offences(path.read_text(), WORDS_IN_TESTS)
    ]
    assert found == []


def test_a_word_of_the_list_is_found_in_any_name() -> None:
    text = "class PrefixMemo:\n    def f(self, told):\n        self._twin = 1\n        for spoken in told: pass\n"
    assert sorted(offences(text)) == ["1: PrefixMemo", "2: told", "3: _twin", "4: spoken"]
    assert offences("def __deepcopy__(self, memo): pass\ndef tool(retold_memory): pass\n") == []
