"""Actions: how a document is merged with its parent.

The result starts as a copy of the parent's rendered data, and each action in turn changes it, always taking from the
document's own data as written. What no action selects is not in the result.

merge     what the path selects first in the document, combined with what it selects first in the result: two mappings
          key by key, deeper where both hold a mapping; otherwise the document's value is taken. The outcome is put at
          every location the path selects. Nothing or null in the document is rejected.
replace   the same, always taking the document's value
delete    `.` empties the data. Elsewhere nothing or null in the result is rejected, and the first value in the result
          that equals what is selected is removed, wherever it is.

Missing mappings and lists are created, lists padded with empty mappings. A list put at a position is distributed
item by item; so a list put at one position leaves its first item there.

Documented: `merge` at a position appends the document's whole list to the result's; `delete` removes what is at the
path. See Actions in docs/reference/deckhand.md; golden cases in actions.json.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import TYPE_CHECKING, Any, Final

from lamina._support import suggestions
from lamina.dialects.deckhand import messages
from lamina.dialects.deckhand.document import SELECTOR, action_path
from lamina.dialects.deckhand.jsonpath import path as jsonpath
from lamina.dialects.deckhand.steps import Drop, SelectedFrom, Spread
from lamina.plugin import (
    ALL,
    DESCEND,
    LISTS,
    MAPS,
    TAKE,
    Cases,
    Directive,
    Fail,
    From,
    LiteralNode,
    Merge,
    Message,
    OutputRef,
    Policy,
    Union,
)
from lamina.plugin.operators import JoinLists

if TYPE_CHECKING:
    from collections.abc import Iterator

    from lamina.dialects.deckhand.document import SiteDocument
    from lamina.engine.plan import AnyStep

DATA: Final = ("data",)
METHODS: Final = ("merge", "replace", "delete")

REPLACE: Final = Policy(Cases.everywhere(TAKE), "replace")
MERGE: Final = Policy(
    Cases((MAPS, MAPS, Union(Cases((MAPS, MAPS, DESCEND), (ALL, ALL, TAKE)))), (ALL, ALL, TAKE)), "merge"
)
APPEND: Final = Policy(Cases((LISTS, LISTS, JoinLists("old")), (ALL, ALL, TAKE)), "append")
WHOLE: Final = jsonpath.read(".")
_WORDS: Final = ("document", "parent", "method", "path")
"""What the messages for the faults of an action are filled in with."""


class FaultMessages(Mapping[str, Message]):
    """The messages for the faults of a step: templates that are filled in on demand."""

    __slots__ = ("_names", "_templates", "_words")

    def __init__(self, templates: Mapping[str, Message], names: tuple[str, ...], *words: str) -> None:
        self._templates = templates
        self._names = names
        self._words = words

    def __getitem__(self, fault: str) -> Message:
        text = self._templates[fault]
        message = text.message
        for name, word in zip(self._names, self._words, strict=True):
            # Data must not be interpreted as a template.
            message = message.replace(f"<{name}>", word.replace("{", "{{").replace("}", "}}"))
        return replace(text, message=message)

    def __iter__(self) -> Iterator[str]:
        return iter(self._templates)

    def __len__(self) -> int:
        return len(self._templates)


_PATH_RULE = "paths go through mappings by key and through lists by index"
CONTAINS_ITSELF: Final = Message(
    code="cyclic-data",
    message="{layer}: the data would contain itself",
    hint="a substituted value is shared with its source; add `deepcopy: true` to its src",
)
FAULTS: Final[Mapping[str, Message]] = {
    "nothing-to-take": Message(
        code="missing-document-key",
        message="cannot <method> at <path>: <document> has no value there (its parent is <parent>)",
        hint="add a value at this path to the document's own data; null does not count",
        at_directive=True,
    ),
    "nothing-to-drop": Message(
        code="missing-document-key",
        message="cannot delete <path>: <document> inherits no value there from its parent <parent>",
        hint="delete works on the inherited data, after the preceding actions; null does not count as a value",
        at_directive=True,
    ),
    "no-such-place": Message(
        code="unreachable-path",
        message="cannot <method> at <path> (<document>, parent <parent>): {path} is {old_kind}, which {detail}",
        hint=_PATH_RULE,
        at_directive=True,
    ),
    "no-such-source": Message(
        code="unreachable-path",
        message="cannot <method> at <path>: <document> has {new_kind} on that path, which {detail}",
        hint=_PATH_RULE,
        at_directive=True,
    ),
    "endless": CONTAINS_ITSELF,
}


def inherit(document: SiteDocument, parent: SiteDocument, source: str) -> Merge:
    """The step that starts a document with its parent's data; `source` is the output that has it."""
    return Spread(
        directive=document.directive(f"parent {parent.title}", SELECTOR),
        take=From(source=OutputRef(source), path=DATA, layer=parent.title),
        policy=REPLACE,
        path=DATA,
        select=WHOLE,
        subject=document.title,
        verb="inherited",
        faults=FAULTS,
    )


def own_data(document: SiteDocument) -> Merge:
    """The step that gives a document its own data."""
    return Spread(
        directive=document.directive("data as written", DATA),
        take=From(source=document.data, layer=document.title),
        policy=REPLACE,
        path=DATA,
        select=WHOLE,
        subject=document.title,
        faults=FAULTS,
    )


def steps(document: SiteDocument, parent: SiteDocument, *, documented: bool) -> Iterator[AnyStep]:
    """The steps of a document's actions."""
    for number, action in enumerate(document.actions):
        yield _step(document, parent, number, action, documented)


def _step(document: SiteDocument, parent: SiteDocument, number: int, action: Any, documented: bool) -> AnyStep:
    method, path = (action.get("method"), action.get("path")) if isinstance(action, dict) else (None, None)
    if method not in METHODS or not isinstance(path, str):
        return _rejected(
            document, number, messages.UNSUPPORTED_ACTION, method=method, path=path, hint=_suggestion(method)
        )
    try:
        select = jsonpath.of_action(path)
    except jsonpath.BadPath as bad:
        return _rejected(document, number, messages.BAD_DOCUMENT_PATH, problem=str(bad))
    common: dict[str, Any] = {
        "directive": document.directive(f"{method} {path}", action_path(number)),
        "subject": document.title,
        "faults": FaultMessages(FAULTS, _WORDS, document.title, parent.title, method, path),
        "path": DATA,
    }
    if method == "delete":
        # An emptied document is an empty mapping, whatever it was (case dh-actions-delete-root).
        if select.whole:
            return Spread(**common, take=From(source=LiteralNode({}, ())), policy=REPLACE, select=WHOLE, verb="removed")
        return Drop(**common, select=select, equal=not documented)
    policy = REPLACE if method == "replace" else MERGE
    if documented and method == "merge" and select.ends_at_position:
        select, policy = jsonpath.list_of(select), APPEND
    take = SelectedFrom(source=document.data, select=select, needed=True, layer=document.title)
    return Spread(**common, take=take, policy=policy, select=select, create=True)


def follows_mode(document: SiteDocument) -> bool:
    """Whether the program and its manual differ about any of a document's actions."""
    if not document.actions:
        return False
    if document.follows_mode is None:
        document.follows_mode = _has_compat_differences(document)
    return document.follows_mode


def _has_compat_differences(document: SiteDocument) -> bool:
    for action in document.actions:
        method, path = (action.get("method"), action.get("path")) if isinstance(action, dict) else (None, None)
        if method == "delete":
            return True
        try:
            if method == "merge" and isinstance(path, str) and jsonpath.of_action(path).ends_at_position:
                return True
        except jsonpath.BadPath:
            continue
    return False


def _suggestion(method: Any) -> str:
    suggestion = suggestions.did_you_mean(str(method), METHODS)
    return f"{suggestion}write {{method: merge, path: .a.b}}; methods are {', '.join(METHODS)}"


def _rejected(document: SiteDocument, number: int, message: Message, **words: Any) -> Fail:
    origin = document.origin(*action_path(number))
    finding = message.at(origin, subject=document.title, **words)
    return Fail(directive=Directive("action", origin), finding=finding, subject=document.title)
