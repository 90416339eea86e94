"""What a hint of a message says is done, and the message is gone: every code with a hint has a row, or a reason."""

from __future__ import annotations

import difflib
import re
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest

from support.followed_hints import MEANT, PAGES, UNTRIED, Row
from support.planted import RULES
from support.transcripts import ROOT, Block, Exchange, blocks, environment, run
from support.warm_lamina import AVAILABLE, WarmLamina

pytestmark = pytest.mark.skipif(not AVAILABLE, reason="not Linux")
_CODE = re.compile(r"\[([a-z0-9]+(?:-[a-z0-9]+)+)\]\s*$")
_HINT = re.compile(r"\s*hint: (.*)")
ROWS = [(page, row) for page, rows in PAGES.items() for row in rows]


@pytest.fixture(scope="module")
def programs(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Path]:
    """The folder of a `lamina` that starts at once."""
    warm = WarmLamina(tmp_path_factory.mktemp("warm"), environment(Path.home()))
    yield warm.folder
    warm.stop()


def printed_hints(first: str = "") -> Iterator[tuple[str, str, Block, int]]:
    """Each code with its hint in tests/messages, the block and the number of the exchange that prints it; those of
    one page first."""
    for page in sorted((ROOT / "tests/messages").glob("*.md"), key=lambda path: (path.name != first, path)):
        for block in blocks(page.read_text()):
            for number, exchange in enumerate(block.exchanges):
                yield from ((code, hint, block, number) for code, hint in hints_of(exchange))


def hints_of(exchange: Exchange) -> Iterator[tuple[str, str]]:
    """The codes of an exchange, each with its hint."""
    code = None
    for line in exchange.output:
        if match := _CODE.search(line):
            code = match[1]
        elif code and (hint := _HINT.match(line)):
            yield code, hint[1]


def test_every_code_with_a_hint_has_a_row_or_a_reason() -> None:
    codes = {code for code, *_ in printed_hints()} - RULES.keys()
    tried = {row.code for _, row in ROWS}
    assert codes == (tried | UNTRIED.keys()) & codes, "rows missing"
    assert not tried & UNTRIED.keys()
    assert not (tried | UNTRIED.keys()) - codes, "rows of codes that print no hint"


@pytest.mark.parametrize(
    ("page", "row"), ROWS, ids=lambda item: item if isinstance(item, str) else f"{item.code}: {item.says}"
)
def test_following_the_hint_removes_the_message(page: str, row: Row, programs: Path, tmp_path: Path) -> None:
    hints = printed_hints(page)
    shown = [(block, number) for code, hint, block, number in hints if code == row.code and row.says in hint]
    assert shown, f"no hint of {row.code} says {row.says!r}"
    block, number = shown[0]
    exchange = block.exchanges[number]
    follow = Exchange(f'{followed(row, exchange)}; echo "status $?"')
    *_, before, after = run(replace(block, exchanges=[*block.exchanges[: number + 1], follow]), tmp_path, programs)
    assert f"[{row.code}]" in "\n".join(before.output)
    output = "\n".join(after.output)
    assert row.stays or f"[{row.code}]" not in output, output
    assert after.output[-1] in row.ends, output


def followed(row: Row, exchange: Exchange) -> str:
    """The commands of a row, with the command that is tried again."""
    command = exchange.command.removesuffix('; echo "exit status $?"')
    if row.follow == MEANT:
        return with_meant_word(command, row.says)
    if "lamina " in row.follow.replace("lamina.toml", ""):
        return row.follow
    return f"{row.follow}\n{command[command.rindex('lamina ') :]}"


def with_meant_word(command: str, says: str) -> str:
    """The command with the word that the hint asks about in the place of the one that resembles it most."""
    match = re.search(r"did you mean '?([^\s?']+)'?\?", says)
    assert match
    words = set(re.findall(r"[\w./-]+", command)) - {match[1]}
    (wrong,) = difflib.get_close_matches(match[1], sorted(words), n=1, cutoff=0.5)
    return re.sub(rf"(?<![\w./-]){re.escape(wrong)}(?![\w./-])", match[1], command)
