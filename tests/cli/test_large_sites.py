"""What is said about a site with many documents: causes before what follows from them, and a plan that can be read."""

from __future__ import annotations

import json
from itertools import pairwise
from typing import TYPE_CHECKING

from click.testing import CliRunner

from lamina.cli.group import lamina
from support.deckhand_runs import POLICY, document, substitution

if TYPE_CHECKING:
    from pathlib import Path

    from click.testing import Result

FOLLOWERS = 60


def site(folder: Path) -> Path:
    """A document without its source, and many that need it, each through the one before."""
    texts = [POLICY, document("first", substitutions=f"[{substitution('nobody', '.', '.a')}]")]
    names = ["first", *(f"next{number}" for number in range(FOLLOWERS))]
    for before, name in pairwise(names):
        texts.append(document(name, substitutions=f"[{substitution(before, '.a', '.a')}]"))
    texts += [document(f"alone{number}", "{a: 1}") for number in range(FOLLOWERS)]
    path = folder / "site.yaml"
    path.write_text("".join(texts))
    return path


def run(*arguments: str | Path) -> Result:
    return CliRunner().invoke(lamina, [str(each) for each in arguments])


def test_what_follows_from_an_error_is_counted_under_it(tmp_path: Path) -> None:
    done = run("lint", site(tmp_path))
    assert "first (site): substitution source" in done.output
    assert f"because of this, {FOLLOWERS} more fail: example/Kind/v1/next0 (site), " in done.output
    assert f"1 error in 1 file, from which {FOLLOWERS} more follow" in done.output
    assert "dependency-failed" not in done.output


def test_json_names_all_that_follows(tmp_path: Path) -> None:
    data = json.loads(run("lint", "--json", site(tmp_path)).output)
    (finding,) = data["findings"]
    assert finding["code"] == "substitution-source-not-found"
    assert finding["consequences"] == [f"example/Kind/v1/next{number} (site)" for number in range(FOLLOWERS)]
    assert data["counts"]["error"] == 1


def test_what_follows_is_listed_where_its_cause_is_not(tmp_path: Path) -> None:
    done = run("lint", "--ignore", "substitution-source-not-found", site(tmp_path))
    assert "could not be rendered" in done.output


def test_a_large_plan_is_summarised(tmp_path: Path) -> None:
    path = site(tmp_path)
    done = run("plan", "-q", path)
    assert f"{2 * FOLLOWERS + 2} outputs" in done.stdout
    assert "rejected: example/Kind/v1/first (site): substitution source" in done.stdout
    assert len(done.stdout.splitlines()) < 20
    full = run("plan", "-q", "--full", path)
    assert full.stdout.count("  output ") == 2 * FOLLOWERS + 2


def test_the_plan_of_a_document_has_what_it_needs(tmp_path: Path) -> None:
    done = run("plan", "-q", "--document", "next1", site(tmp_path))
    names = [line.split()[1] for line in done.stdout.splitlines() if line.startswith("  output ")]
    assert names == [f"example/Kind/v1/{name}" for name in ("first", "next0", "next1")]
    assert "alone" not in done.stdout
