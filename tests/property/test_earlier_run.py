"""What a run takes over from an earlier one is what it would have made itself."""

from __future__ import annotations

from typing import Any

import yaml
from hypothesis import given
from hypothesis import strategies as st

from lamina import LaminaError
from lamina.dialects.registry import find, make_options
from lamina.run import Run
from lamina.session import Session
from lamina.sources.inputs import gather
from lamina.views.render import render_explained
from lamina.views.result import Result
from lamina.workspace.earlier_run import EarlierRun
from support.deckhand_sites import POLICY, knotted_sites, sites

DECKHAND = find("deckhand")


def rendered(documents: list[Any], session: Session, earlier: EarlierRun | None, **options: Any) -> Result:
    """The result of a site with a file for each document."""
    texts = [(f"{number}.yaml", yaml.safe_dump(document)) for number, document in enumerate(documents)]
    result = render_explained(DECKHAND, gather(texts, run=Run(session)), make_options(DECKHAND, options), earlier)
    assert result.notes is not None
    return result


def shown(documents: list[Any], session: Session, earlier: EarlierRun | None, **options: Any) -> tuple[str, ...]:
    """All there is to say of a site: values, where each comes from, its history, notes; or what is wrong."""
    try:
        result = rendered(documents, session, earlier, **options)
    except LaminaError as error:
        return (str(error),)
    histories = "\n".join(str(history) for history in result.explain_all())
    notes = "\n".join(f"{note} {note.path}" for note in result.notes)
    return result.to_yaml(), result.to_annotated_yaml(), histories, notes


@st.composite
def edited(draw: st.DrawFn, documents: list[Any]) -> list[Any]:
    """A site after an edit: documents that went, have the data or the relations of another, or moved."""
    after = list(documents)
    for _ in range(draw(st.integers(1, 2))):
        at = draw(st.integers(0, len(after) - 1))
        kind = draw(st.sampled_from(["data", "data", "data", "gone", "moved", "substitutions"]))
        other = draw(st.sampled_from(documents))
        if kind == "gone" and len(after) > 1:
            del after[at]
        elif kind == "moved":
            after.insert(draw(st.integers(0, len(after) - 1)), after.pop(at))
        elif kind == "data" and after[at] is not POLICY:
            after[at] = {**after[at], "data": other["data"]}
        elif kind == "substitutions" and "substitutions" in other["metadata"]:
            taken = {"substitutions": other["metadata"]["substitutions"]}
            after[at] = {**after[at], "metadata": {**after[at]["metadata"], **taken}}
    return after


@given(st.data(), sites(8) | knotted_sites(), st.booleans())
def test_a_run_after_an_edit_gives_what_a_fresh_one_gives(data: Any, documents: list[Any], tolerant: bool) -> None:
    options = {"fail_on_missing_sub_src": not tolerant, "keep_going": True}
    with Session() as session:
        earlier_run = EarlierRun(rendered(documents, session, None, **options).record)
        for _ in range(3):
            documents = data.draw(edited(documents))
            with Session() as other:
                wanted = shown(documents, other, None, **options)
            assert shown(documents, session, earlier_run, **options) == wanted
            try:
                earlier_run = EarlierRun(rendered(documents, session, earlier_run, **options).record)
            except LaminaError:
                continue
