"""Value handlers: the known ones, which strings they handle, and the evaluation of Datum.InvokeCommand.

`Datum.yml` names handlers under `DatumHandlers`. Two modules are known: Datum.InvokeCommand, whose scripts
(`[x={ ... }=]`, `[x= "..." =]`) are evaluated as far as they are in the safe subset, and Datum.ProtectedData, whose
values (`[ENC=...]`) are secrets that are not decrypted here. Others are reported.

A script is matched greedily: from the first `[x=` to the last `=]`, ignoring case, over several lines; text around it
is dropped. The result is evaluated again as long as it contains a script itself, in which case text around it is kept;
a string is expanded again at the end. Golden cases in handlers.json.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Final

from lamina.dialects.datum.equality import truth
from lamina.dialects.datum.expressions.errors import ScriptFailed, SelfReference
from lamina.dialects.datum.expressions.evaluator import Evaluator
from lamina.dialects.datum.expressions.parser import (
    expandable,
    one_expandable_string,
    one_literal_string,
    script_block,
)
from lamina.dialects.datum.expressions.values import FileItem, collected, enumerated, plain, scalar, text
from lamina.sources.caseless_keys import caseless

if TYPE_CHECKING:
    from collections.abc import Callable

    from lamina.budget import Budget
    from lamina.engine.node import Node

INVOKE: Final = "datum.invokecommand::invokecommand"
PROTECTED: Final = "datum.protecteddata::protecteddatum"
_SCRIPT = re.compile(r"\[x=(?P<content>.*)=\]", re.IGNORECASE | re.DOTALL)
_SECRET = re.compile(r"\s*\[ENC=.*\]\s*", re.IGNORECASE | re.DOTALL)
_KINDS = re.compile(r"\{.+\}|\".+\"|'.+'", re.DOTALL)


@dataclass(frozen=True, slots=True)
class HandlerRules:
    """The handlers a definition names, as far as they matter here."""

    invoke: bool = False
    """Scripts are evaluated."""
    at_load: bool = False
    """Scripts are evaluated when a file is read, before its position in the tree is known."""
    protected: bool = False
    throw: bool = False
    """A script that fails fails the node."""
    any: bool = field(init=False)
    """Whether there is anything that is evaluated, or marked as a secret."""

    def __post_init__(self) -> None:
        object.__setattr__(self, "any", self.invoke or self.protected)


NO_HANDLERS: Final = HandlerRules()


def rules_of(handlers: Node, throw: Node) -> HandlerRules:
    """The rules of `DatumHandlers` and `DatumHandlersThrowOnError`."""
    named = handlers.value if isinstance(handlers.value, dict) else {}
    invoke = named.get(caseless(INVOKE), {}) if caseless(INVOKE) in named else None
    skips = isinstance(invoke, dict) and truth(invoke.get(caseless("SkipDuringLoad")))
    return HandlerRules(
        invoke=caseless(INVOKE) in named,
        at_load=caseless(INVOKE) in named and not skips,
        protected=caseless(PROTECTED) in named,
        throw=truth(throw.value),
    )


def holds_script(value: Any) -> bool:
    """Whether a value is a string with a script in it."""
    return isinstance(value, str) and ("[x=" in value or "[X=" in value) and _found(value) is not None


def is_protected(value: Any) -> bool:
    """Whether a value is a string that Datum.ProtectedData would decrypt."""
    return isinstance(value, str) and _SECRET.fullmatch(value) is not None


def _found(value: str) -> re.Match[str] | None:
    match = _SCRIPT.search(value.strip())
    return match if match is not None and match["content"] else None


class Script(str):
    """A string with a script in it and its location; compared as written, unless its value is needed."""

    __slots__ = ("file", "node", "value_of")

    file: FileItem | None
    node: Node | None
    value_of: Callable[[], Any] | None

    @classmethod
    def of(
        cls, text: str, file: FileItem | None, node: Node | None, value_of: Callable[[], Any] | None = None
    ) -> Script:
        made = cls(text)
        made.file, made.node, made.value_of = file, node, value_of
        return made

    def __reduce__(self) -> tuple[Any, ...]:
        return str, (str(self),)


class Runner:
    """Evaluates texts for one node.

    `lookup` returns the value of a variable, given the file and the text of a script.
    """

    def __init__(self, lookup: Callable[[str, FileItem | None, str], Any]) -> None:
        self._lookup = lookup

    def result(self, value: str, file: FileItem | None, budget: Budget) -> Any:
        """The value of a string with a script in it, as a plain value."""
        match = _found(value)
        if match is None:
            raise ScriptFailed("it contains no script")
        budget.enter()
        try:
            found = self._again(self._first(match["content"], file, value, budget), value, budget)
            if not isinstance(found, str) or is_protected(found):
                return plain(found)
            return self._expanded(str(found), file, value, budget)
        finally:
            budget.leave()

    def _first(self, content: str, file: FileItem | None, script: str, budget: Budget) -> Any:
        """The result of the script itself."""
        content = content.strip()
        if not _KINDS.fullmatch(content):
            raise ScriptFailed("it is neither a script block nor a quoted string")
        if content[0] == "{":
            return self._output(content, file, script, budget)
        found = one_expandable_string(content) if content[0] == '"' else one_literal_string(content)
        if found is None:
            raise ScriptFailed("it is neither a script block nor a quoted string")
        return self._expanded(found, file, script, budget) if content[0] == '"' else found

    def _output(self, content: str, file: FileItem | None, script: str, budget: Budget) -> Any:
        """The output of a script block: nulls dropped, lists flattened one level, a single item unwrapped."""
        outputs = self._evaluator(file, script, budget).script(script_block(content))
        flattened = [item for output in outputs for item in enumerated(output)]
        kept = [item for item in flattened if not (item is None or (not isinstance(item, list) and _is_null(item)))]
        found = collected(kept)
        return scalar(found) if not isinstance(found, list) else found

    def _again(self, found: Any, script: str, budget: Budget) -> Any:
        """A string that contains another script, with the script replaced by its value."""
        while holds_script(found):
            budget.spend(1)
            match = _found(found)
            assert match is not None
            if found.strip() == script.strip():
                raise SelfReference("the script returns itself")
            inner = self.result(str(found), found.file if isinstance(found, Script) else None, budget)
            made = str(found).replace(match[0], text(inner))
            budget.spend(size=4 * len(made))
            if made == found:
                raise SelfReference("the script returns itself")
            found = made
        return found

    def _expanded(self, string: str, file: FileItem | None, script: str, budget: Budget) -> str:
        if "$" not in string and "`" not in string:
            return string
        return self._evaluator(file, script, budget).expanded(expandable(string))

    def _evaluator(self, file: FileItem | None, script: str, budget: Budget) -> Evaluator:
        return Evaluator(budget, lambda name: self._lookup(name, file, script))


def _is_null(value: Any) -> bool:
    return getattr(value, "is_located", False) is True and value.items() is None and value.plain() is None
