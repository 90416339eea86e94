"""What the lines of files decide, found in one walk through the results and kept as long as these and the text.

While a target fails, its last good result answers: lines are counted in the text that it was made from, mapped to the
text as it is now, and the answers are marked as stale.
"""

from __future__ import annotations

from collections import OrderedDict
from dataclasses import replace
from typing import TYPE_CHECKING, Final, NamedTuple

from lamina.run import Run
from lamina.sources.source import Source
from lamina.views.diff.edited_lines import same_lines
from lamina.workspace.line_uses import KnownRules, LineUse, uses_of_lines

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Sequence

    from lamina.session import Session
    from lamina.views.result import Result
    from lamina.workspace.seen import LastGood

_MOST: Final = 32
"""Of how many files it is kept."""


class _KeptUses(NamedTuple):
    """What all lines of a file decide, and what it was found in."""

    readers: Sequence[LastGood]
    text: bytes
    found: dict[int, list[LineUse]]

    def holds(self, readers: Sequence[LastGood], text: bytes) -> bool:
        """Whether nothing of it has changed since."""
        if (self.text is not text and self.text != text) or len(readers) != len(self.readers):
            return False
        pairs = zip(readers, self.readers, strict=True)
        return all(new.result is old.result and new[2:] == old[2:] and new.target == old.target for new, old in pairs)


class FileUses:
    """What the lines of files decide."""

    def __init__(self, session: Session) -> None:
        self._session = session
        self._kept: OrderedDict[str, _KeptUses] = OrderedDict()
        self._rules = KnownRules()

    def of_file(
        self, name: str, text: bytes, readers: Sequence[LastGood], check: Callable[[], object] = lambda: None
    ) -> dict[int, list[LineUse]]:
        """What all lines of a file decide."""
        kept = self._kept.get(name)
        if kept is None or not kept.holds(readers, text):
            every = range(1, text.count(b"\n") + text.count(b"\r") + 2)
            kept = _KeptUses(readers, text, self._found(name, text, readers, every, check))
            self._kept[name] = kept
        while len(self._kept) > _MOST:
            self._kept.popitem(last=False)
        return kept.found

    def of_lines(
        self, name: str, text: bytes, readers: Sequence[LastGood], lines: Collection[int]
    ) -> dict[int, list[LineUse]]:
        """What some lines of a file decide, those of the whole file if they are known."""
        kept = self._kept.get(name)
        if kept is None or not kept.holds(readers, text):
            return self._found(name, text, readers, lines, lambda: None)
        return {line: kept.found[line] for line in lines if line in kept.found}

    def keep(self, results: Collection[Result]) -> None:
        """Forget what was found in results that are none any more."""
        current = set(map(id, results))
        self._rules.keep(results)
        for name, kept in list(self._kept.items()):
            if any(id(each.result) not in current for each in kept.readers):
                self._kept.pop(name, None)

    def _found(
        self,
        name: str,
        text: bytes,
        readers: Sequence[LastGood],
        lines: Collection[int],
        check: Callable[[], object],
    ) -> dict[int, list[LineUse]]:
        found: dict[int, dict[str, list[LineUse]]] = {}
        for then in dict.fromkeys(each.text for each in readers if each.text is not None):
            same = [each for each in readers if each.text == then]
            now = {line: line for line in lines} if then == text else same_lines(then, text)
            wanted = [line for line, at in now.items() if at in lines]
            results = [(each.target, each.result) for each in same]
            stale = {each.target for each in same if each.is_stale}
            uses = uses_of_lines(
                results, Source(name, then), wanted, Run(self._session), known=self._rules, check=check
            )
            for line, of_line in uses.items():
                by_target = found.setdefault(now[line], {})
                for use in of_line:
                    shown = replace(use, stale=True) if use.target in stale else use
                    by_target.setdefault(use.target, []).append(shown)
        order = [each.target for each in readers]
        return {
            line: [use for target in order for use in by_target.get(target, ())]
            for line, by_target in sorted(found.items())
        }
