"""What the golden cases do not show: all errors at once, secrets, choosing documents, reasons, and hostile sets."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

import lamina
from lamina.dialects.deckhand import graph, parent_report
from lamina.dialects.deckhand.lint import CHECKS, changed_by_others
from lamina.dialects.deckhand.options import DeckhandOptions
from lamina.paths import show
from lamina.session import Session
from lamina.sources.limits import Limits
from support.deckhand_runs import POLICY, data_of, document, errors_of, render, substitution
from support.work import calls_of

BROKEN = (
    document("good", "{a: 1}"),
    document("lost", layer="nowhere"),
    document("taker", substitutions=f"[{substitution('nobody', '.', '.a')}]"),
    document("behind", substitutions=f"[{substitution('taker', '.a', '.a')}]"),
    document("empty", substitutions=f"[{substitution('good', '.b', '.a')}]"),
)


def test_all_errors_are_reported_at_once_and_dependents_as_such() -> None:
    found = errors_of(*BROKEN)
    assert [finding.code for finding in found] == [
        "invalid-document-layer",
        "substitution-source-not-found",
        "substitution-source-data-not-found",
        "dependency-failed",
    ] or {finding.code for finding in found} == {
        "invalid-document-layer",
        "substitution-source-not-found",
        "substitution-source-data-not-found",
        "dependency-failed",
    }
    assert found[0].code == "invalid-document-layer"
    assert all(finding.at is not None and finding.subject for finding in found)


def test_keep_going_gives_the_good_ones_and_notes_the_others() -> None:
    result = render(*BROKEN, keep_going=True)
    assert [value["metadata"]["name"] for value in result.value] == ["layering-policy", "good"]
    assert {"invalid-document-layer", "dependency-failed"} <= {note.code for note in result.notes}


@pytest.mark.parametrize("size", [20_000, 60_000, 100_000])
def test_a_session_that_knows_the_files_reports_the_same_one_as_too_large(size: int) -> None:
    files = [("policy.yaml", POLICY), *((f"{number}.yaml", document(f"d{number}", "{a: 1}")) for number in range(70))]
    found = []
    with Session() as session:
        lamina.render(files, dialect="deckhand", session=session)
        limited = Session(limits=Limits(run_size=size))
        session.limits = limited.limits
        for each in (limited, limited, session):
            with pytest.raises(lamina.MergeError) as caught:
                lamina.render(files, dialect="deckhand", session=each)
            found.append(caught.value.diagnostics)
    assert found[0][0].code == "input-too-large"
    assert found[0] == found[1] == found[2]


def test_a_file_that_cannot_be_opened_is_reported_after_those_before_it_are_too_large(tmp_path: Path) -> None:
    (tmp_path / "0.yaml").write_text(document("d", "[" + "1, " * 500 + "1]"))
    (tmp_path / "1.yaml").symlink_to("/dev/null")
    with pytest.raises(lamina.MergeError) as caught:
        lamina.render([tmp_path], dialect="deckhand", session=Session(limits=Limits(run_size=10_000)))
    assert caught.value.diagnostic.code == "input-too-large"
    with pytest.raises(lamina.LaminaError) as rejected:
        lamina.render([tmp_path], dialect="deckhand")
    assert rejected.value.diagnostic.code != "input-too-large"


def test_a_document_is_chosen_by_name_or_schema_and_name() -> None:
    for name in ("one", "example/Kind/v1/one", "one (site)"):
        result = render(document("one", "1"), document("two", "2"), document=name)
        assert result.value["data"] == 1
    [finding] = errors_of(document("one"), document="oen")
    assert finding.code == "no-such-document"
    assert "one" in str(finding.hint)


def test_documents_come_in_an_order_that_does_not_depend_on_files(tmp_path: Path) -> None:
    (tmp_path / "a").mkdir()
    (tmp_path / "a" / "two.yaml").write_text(document("two"))
    (tmp_path / "b.yaml").write_text(document("one"))
    (tmp_path / "policy.yml").write_text(POLICY)
    (tmp_path / "notes.txt").write_text("not a document")
    (tmp_path / ".hidden.yaml").write_text("also: not")
    result = lamina.render([tmp_path])
    assert result.dialect.name == "deckhand"
    assert [value["metadata"]["name"] for value in result.value] == ["layering-policy", "one", "two"]


@pytest.mark.parametrize("given", [True, "reject", "refuse"])
def test_validation_rejects(given: Any) -> None:
    [finding] = errors_of(document("x", storagePolicy="plain"), validate=given)
    assert finding.code == "invalid-document-format"


@pytest.mark.parametrize("given", [False, "off"])
def test_validation_can_be_left_out(given: Any) -> None:
    assert data_of(render(document("x", "1", storagePolicy="plain"), validate=given), "x") == 1


def test_validation_reports() -> None:
    result = render(document("x", "1", storagePolicy="plain"), validate="report")
    assert data_of(result, "x") == 1
    assert [note.code for note in result.notes] == ["invalid-document-format"]


def test_an_unknown_word_for_validate_is_rejected() -> None:
    with pytest.raises(lamina.UsageError):
        DeckhandOptions(validate="maybe")


DATA_SCHEMA = """\
---
schema: deckhand/DataSchema/v1
metadata: {schema: metadata/Control/v1, name: example/Kind/v1}
data: {type: object, properties: {port: {type: integer}}}
"""


def test_rendered_documents_are_checked_against_their_data_schema() -> None:
    bad = document("x", "{port: often}")
    assert data_of(render(DATA_SCHEMA, bad), "x") == {"port": "often"}
    [finding] = errors_of(DATA_SCHEMA, bad, post_validate=True)
    assert "'often' is not of type 'integer'" in finding.message
    assert finding.path == ("data", "port")
    noted = render(DATA_SCHEMA, bad, post_validate=True, validate="report").notes
    assert [note.code for note in noted] == ["invalid-document-format-post-render"]


def test_a_secret_is_not_repeated_in_findings() -> None:
    secret = document("pw", "hunter2", storagePolicy="encrypted")
    taker = document("x", "{}", substitutions=f"[{substitution('pw', '.', '.port')}]", kind="Other")
    schema = DATA_SCHEMA.replace("example/Kind/v1}", "example/Other/v1}")
    [finding] = errors_of(schema, secret, taker, post_validate=True)
    assert "hunter2" not in str(finding)
    [finding] = errors_of(schema, secret, taker, post_validate=True, cleartext_secrets=True)
    assert "hunter2" in str(finding)


SECRETS = (
    document("pw", "hunter2", storagePolicy="encrypted"),
    document("mid", "{url: 'x:PW'}", substitutions=f"[{substitution('pw', '.', '.url', ', pattern: PW')}]"),
    document("end", "{keep: 1}", substitutions=f"[{substitution('mid', '.url', '.taken')}]"),
)


def test_secrets_are_hidden_where_they_are_only_explained() -> None:
    result = render(*SECRETS, document="end")
    assert data_of(result, "end") == {"keep": 1, "taken": "x:hunter2"}
    assert "hunter2" in result.to_yaml()
    history = result.explain("data.taken")
    assert "hunter2" not in repr([(event.value, event.result, event.displaced) for event in history.events])
    assert history.value == "(secret)"
    assert result.explain("data.keep").value == 1
    assert "hunter2" not in result.to_annotated_yaml()


def test_secrets_are_shown_or_left_out_everywhere_if_asked() -> None:
    shown = render(*SECRETS, document="end", cleartext_secrets=True)
    assert shown.explain("data.taken").value == "x:hunter2"
    assert "hunter2" in shown.to_annotated_yaml()
    redacted = render(*SECRETS, redact=True)
    assert "hunter2" not in redacted.to_yaml()
    assert data_of(redacted, "end") == {"keep": 1, "taken": "(secret)"}


def test_a_value_substituted_through_two_documents_names_all_three_places() -> None:
    result = render(*SECRETS, document="end", cleartext_secrets=True)
    history = result.explain("data.taken")
    directives = [event.directive for event in history.events if event.verdict == "substituted"]
    assert [directive.origin.line for directive in directives if directive and directive.origin] == [11, 15]
    assert {origin.line for origin in history.origins} == {8, 12}


PARENTS = (
    document("g", layer="global", labels="{a: 1, b: 2}"),
    document("r", layer="region", labels="{a: 1, b: 2}"),
    document("s", layering=", parentSelector: {a: 1, b: 2}, actions: [{method: merge, path: .}]"),
    document("t", layering=", parentSelector: {a: 1, b: 3}, actions: [{method: merge, path: .}]"),
)


def test_why_this_parent() -> None:
    [reason] = parent_report.parent_reports(render(*PARENTS).plan, "s")
    verdicts = {candidate.document.name: candidate.verdict for candidate in reason.candidates}
    assert "chosen" in verdicts["r"]
    assert "more distant" in verdicts["g"]


def test_why_no_parent_shows_what_comes_near() -> None:
    reasons = parent_report.parent_reports(render(*PARENTS).plan, "t")
    assert reasons[0].candidates == ()
    assert [candidate.document.name for candidate in reasons[0].near_misses] == ["r", "g"]
    assert reasons[0].near_misses[0].matched == ("a: 1",)
    assert "b: 3 (it has 2)" in parent_report.as_text(reasons)
    assert parent_report.as_data(reasons)[0]["near"][0]["missing"] == ["b: 3 (it has 2)"]


def test_the_graph_for_people_and_for_graphviz() -> None:
    plan = render(*PARENTS, *SECRETS).plan
    assert graph.Edge("example/Kind/v1/s (site)", "example/Kind/v1/r (region)", "parent", "merge .") in graph.edges(
        plan
    )
    kinds = {edge["kind"] for edge in graph.as_data(plan)["edges"]}
    assert kinds == {"parent", "substitutes"}
    dot = graph.as_dot(plan)
    assert dot.startswith("digraph")
    assert '"example/Kind/v1/end (site)" -> "example/Kind/v1/mid (site)" [style=dashed, label=".url"];' in dot


LEAK = (
    document("src", "{o: {t: {x: PW}}}"),
    document("pw", "secret"),
    document(
        "dst",
        "{}",
        substitutions=f"[{substitution('src', '.o', '.o')}, "
        f"{substitution('pw', '.', '.o', ', pattern: PW, recurse: {depth: -1}')}]",
    ),
)


def test_a_leak_is_shown_in_the_history_of_the_document_it_changes() -> None:
    result = render(*LEAK, document="src")
    assert data_of(result, "src") == {"o": {"t": {"x": "secret"}}}
    last = result.explain("data.o.t.x").events[-1]
    assert (last.verdict, last.output, last.displaced) == ("substituted", "example/Kind/v1/dst (site)", "PW")


@pytest.mark.parametrize(
    ("substitutions", "cause"),
    [
        # The one of the number is not the one that shares the container.
        ([("src", ".o", ".p.q"), ("num", ".n", ".z"), ("num", ".n", ".p.q.t.x")], 0),
        ([("num", ".n", ".z"), ("src", ".o", ".p"), ("num", ".n", ".p.t.x"), ("num", ".n", ".p.t.y")], 1),
        # Of two that take the same, the later one is what is written into; of the earlier one nothing is left.
        ([("src", ".o", ".p"), ("src", ".o", ".p"), ("num", ".n", ".p.t.x")], 1),
        # Through another document, which took it from there.
        ([("num", ".n", ".z"), ("mid", ".m", ".p"), ("num", ".n", ".p.t.x")], 1),
        # What was put inside belongs to another one.
        ([("src", ".o", ".p"), ("mid", ".m", ".p.u"), ("num", ".n", ".p.u.t.x")], 1),
        # At every place, and at the top.
        ([("src", ".o", ".*"), ("num", ".n", ".p.t.x")], 0),
        ([("src", ".o", "."), ("num", ".n", ".t.x")], 0),
    ],
)
def test_a_copy_where_lint_asks_for_one_is_all_that_is_needed(
    substitutions: list[tuple[str, str, str]], cause: int
) -> None:
    def site(*copied: int) -> lamina.Result:
        entries = [
            substitution(source, path, dest, src=", deepcopy: true" if number in copied else "")
            for number, (source, path, dest) in enumerate(substitutions)
        ]
        documents = [
            document("src", "{o: {t: {x: 1}, u: {}}}"),
            document("num", "{n: 2}"),
            document("mid", substitutions=f"[{substitution('src', '.o', '.m')}]"),
            document("taker", "{p: {}}", substitutions=f"[{', '.join(entries)}]"),
            document("late", substitutions=f"[{substitution('src', '.o.t.x', '.l')}]"),
        ]
        return render(*documents)

    before = site()
    findings = list(changed_by_others(before))
    written = [finding.path[2] for finding in findings if finding.path[:2] == ("metadata", "substitutions")]
    assert cause in written
    assert len(written) == len(set(written)) == len(findings)
    after = site(*written)
    assert list(changed_by_others(after)) == []
    assert data_of(after, "src") == {"o": {"t": {"x": 1}, "u": {}}}
    named = " ".join(finding.message for finding in findings)
    for change in lamina.diff(before, after).changes:
        output, path = (change.output or "").split(" ")[0], show(change.path)
        # Two documents may take it from there afterwards.
        assert f"{path} of {output}" in named or output.endswith(("/mid", "/late")) or path.startswith("metadata.")


def test_lint_finds_what_bites() -> None:
    odd = document(
        "odd",
        "{a: 1, b: 2}",
        layering=", parentSelector: {a: 1}, actions: [{method: merge, path: .data.a}, {method: merge, path: .datab}]",
        substitutions=f"[{substitution('pw', '.', '.a', ', pattern: P.W, recurse: {depth: -1}')}]",
    )
    parent = document("up", "{a: 0}", layer="global", labels="{a: 1}")
    lonely = document("alone", layer="global", layering=", abstract: true")
    orphan = document("orphan", layering=", parentSelector: {x: y}, actions: [{method: merge, path: .}]")
    text = POLICY + "".join((*LEAK, parent, lonely, orphan, odd)).replace("{a: 1, b: 2}", "{a: x, b: 2, c: 3}")
    result = lamina.render([("region/site.yaml", text.replace("---\n", "", 1))], dialect="deckhand")
    codes = {note.code for check in CHECKS for note in check(result)}
    assert codes == {
        "missing-document-start",
        "layer-folder-mismatch",
        "no-parent-found",
        "abstract-without-children",
        "data-not-selected",
        "truncated-path",
        "recurse-needs-literal",
        "changed-by-other-document",
    }
    secret = POLICY + document("p", "x").replace("example/Kind", "deckhand/Passphrase")
    result = lamina.render([("site.yaml", secret)], dialect="deckhand")
    assert [note.code for check in CHECKS for note in check(result)] == ["secret-not-encrypted", "unused-passphrase"]


def test_skipped_substitutions_leave_notes() -> None:
    result = render(
        document("x", "{a: 1}", substitutions=f"[{substitution('nobody', '.', '.b')}]"), allow_missing_sources=True
    )
    assert data_of(result, "x") == {"a": 1}
    assert [note.code for note in result.notes] == ["substitution-source-not-found"]


def test_compat_notes_name_the_document() -> None:
    parent = document("up", "{a: 1, b: 1}", layer="global", labels="{k: v}")
    child = document("c", layering=", parentSelector: {k: v}, actions: [{method: delete, path: .b}]")
    [*notes] = render(parent, child).compat_notes
    assert sorted(note.path[1:] for note in notes) == [("data", "a"), ("data", "b")]
    assert all("example/Kind/v1/c (site)" in note.message for note in notes)


def chain(count: int) -> list[str]:
    """Documents that each put the one before in twice."""
    first = document("d0", "{x: 1}")
    return [
        first,
        *(
            document(
                f"d{i}",
                substitutions=f"[{substitution(f'd{i - 1}', '.', '.a', src=', deepcopy: true')}, "
                f"{substitution(f'd{i - 1}', '.', '.b', src=', deepcopy: true')}]",
            )
            for i in range(1, count)
        ),
    ]


def test_data_that_doubles_with_every_document_is_rejected() -> None:
    assert [finding.code for finding in errors_of(*chain(60))] == ["result-too-large"]


COPY = ", deepcopy: true"
DOUBLING = {
    "copied with its aliases": [(".a", "", ""), (".b", "", ""), (".a.a", "", COPY)],
    "put at every place": [(".*", "", ""), (".b.b", "", COPY)],
    "written as text": [(".b", "", ""), (".b", ", pattern: x, recurse: {depth: -1}", "")],
}


@pytest.mark.slow
@pytest.mark.parametrize("inserts", DOUBLING.values(), ids=DOUBLING)
def test_documents_that_hold_the_one_before_twice_end_after_bounded_work(inserts: list[tuple[str, str, str]]) -> None:
    documents = [document("d0", "{a: [x]}")]
    for number in range(29):
        entries = ", ".join(substitution(f"d{number}", ".", *insert) for insert in inserts)
        documents.append(document(f"d{number + 1}", substitutions=f"[{entries}]"))

    def run() -> None:
        assert errors_of(*documents)[0].code == "result-too-large"

    run()  # imports what it needs
    assert calls_of(run) < 10_000_000


def test_data_that_grows_deeper_with_every_document_is_rejected() -> None:
    nested = [
        document("d0", "{x: 1}"),
        *(document(f"d{i}", substitutions=f"[{substitution(f'd{i - 1}', '.', '.a')}]") for i in range(1, 400)),
    ]
    codes = {finding.code for finding in errors_of(*nested)}
    assert codes == {"result-too-deep", "dependency-failed"}
    shallow = render(*nested[:100])
    assert shallow.to_yaml()
    assert shallow.to_json()


@pytest.mark.slow
def test_text_that_doubles_with_every_substitution_is_rejected() -> None:
    doubling = ", ".join(
        "{src: {schema: example/Kind/v1, name: s, path: .}, dest: {path: .t, pattern: x}}" for _ in range(40)
    )
    found = errors_of(document("s", "xx"), document("d", "{t: x}", substitutions=f"[{doubling}]"))
    assert [finding.code for finding in found] in (["result-too-large"], ["unknown-substitution-error"])


@pytest.mark.slow
def test_a_pattern_that_would_run_forever_is_stopped() -> None:
    text = "a" * 60 + "b"
    found = errors_of(
        document("s", "v"),
        document("d", f"{{t: {text}}}", substitutions=f"[{substitution('s', '.', '.t', ', pattern: (a|aa)+$')}]"),
    )
    assert found[0].code == "unknown-substitution-error"


def test_data_that_would_hold_itself_is_rejected() -> None:
    source = document("s", "{o: {p: {q: 1}}}")
    taker = document("t", substitutions=f"[{substitution('s', '.o', '.a')}, {substitution('s', '.o', '.a.p.r')}]")
    found = errors_of(source, taker)
    assert found[0].code == "cyclic-data"


def test_a_far_position_is_not_filled_up_to() -> None:
    far = substitution("s", ".", ".a[1000000000]")
    found = errors_of(document("s", "v"), document("d", substitutions=f"[{far}]"))
    assert found[0].code == "unknown-substitution-error"


def test_titles_are_never_read_as_templates() -> None:
    name = "'{old.__class__}'"
    found = errors_of(document("s", "{a: 1}"), document(name, substitutions=f"[{substitution('s', '.b', '.a')}]"))
    assert "{old.__class__}" in found[0].message


def test_a_document_of_many_substitutions_can_be_explained() -> None:
    many = ", ".join(substitution("s", ".", ".a") for _ in range(1500))
    result = render(document("s", "v"), document("d", substitutions=f"[{many}]"), document="d")
    assert len(result.explain("data.a").events) >= 1500


@pytest.mark.parametrize(
    "text",
    [
        "---\n- a list\n",
        "---\njust text\n",
        "---\nschema: 5\nmetadata: []\n",
        "---\nschema: a/b/v1\nmetadata: {name: {a: b}, layeringDefinition: 5, labels: 5, substitutions: 5}\n",
        "---\nschema: a/b/v1\nmetadata: {name: x, layeringDefinition: {layer: site, parentSelector: {a: []}}}\n",
        "---\nschema: a/b/v1\nmetadata: {schema: metadata/Document/v1, name: x, substitutions: [5, {src: 1}]}\n",
        "---\nschema: a/b/v1\nmetadata: {name: x, layeringDefinition: {layer: site, actions: [5, {}]}}\n",
        "---\nschema: a/b/v1\nmetadata: {name: 2020-01-01, labels: {1: 2020-01-01}}\n",
    ],
)
@pytest.mark.parametrize("validate", ["reject", "report", "off"])
def test_odd_documents_never_end_in_a_traceback(text: str, validate: str) -> None:
    try:
        render(text, validate=validate)
    except lamina.LaminaError as error:
        assert all(finding.code for finding in error.diagnostics)
