"""Every rule has its section in the manual, with a bad and a good example that are run."""

from __future__ import annotations

import re

import pytest

from lamina.cli.main import main
from lamina.dialects.registry import find
from lamina.views.lint.rules import rules_for
from support.planted import PLANTED, RULES
from support.transcripts import ROOT, blocks

PAGE = (ROOT / "docs/reference/lint.md").read_text()
PAGES = {path.stem: path.read_text() for path in (ROOT / "docs/reference/lint").glob("*.md")}


@pytest.mark.parametrize("code", RULES)
def test_every_rule_has_a_page_with_a_bad_and_a_good_example(code: str) -> None:
    assert code in PAGES, f"there is no page docs/reference/lint/{code}.md"
    rule, text = RULES[code], PAGES[code]
    assert text.startswith(f"# {code}\n\n{rule.severity.word.capitalize()}. {rule.about}")
    bad, good = blocks(text)
    assert (bad.folder, good.folder) == (f"tests/lint/{code}/bad", f"tests/lint/{code}/good")
    assert any(f"[{code}]" in line for line in bad.exchanges[-1].output)
    assert good.exchanges[-1].output == ["no findings"]
    assert [block.exchanges[-1].command for block in (bad, good)] == [PLANTED[code].command] * 2


def test_every_page_is_of_a_rule() -> None:
    assert PAGES.keys() == RULES.keys()


def test_the_table_lists_every_rule_with_its_severity() -> None:
    rows = re.findall(r"^\| \[`(\S+)`\]\(lint/(\S+)\.md\) \| (\w+) \| (.*) \|$", PAGE, re.MULTILINE)
    assert rows == [(code, code, rule.severity.word, rule.title) for code, rule in RULES.items()]


@pytest.mark.parametrize("code", RULES)
def test_codes_are_words_with_dashes(code: str) -> None:
    assert re.fullmatch(r"[a-z0-9]+(-[a-z0-9]+)+", code)
    assert RULES[code].about.endswith(".")


@pytest.mark.parametrize("dialect", [None, "heat"])
def test_the_command_lists_every_rule(dialect: str | None, capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit):
        main(["rule", *(["--dialect", dialect] if dialect else [])])
    found = [line.split()[0] for line in capsys.readouterr().out.splitlines()]
    wanted = rules_for(find(dialect)) if dialect else RULES.values()
    assert sorted(found) == sorted(rule.code for rule in wanted)


def test_the_fixes_are_those_of_the_rules() -> None:
    section = PAGE.partition("## Fixes\n")[2].partition("\n## ")[0]
    rows = re.findall(r"^\| \[`(\S+)`\]\(lint/(\S+)\.md\) \| (.*) \|$", section, re.MULTILINE)
    assert rows == [(code, code, rule.fix) for code, rule in RULES.items() if rule.fix]
