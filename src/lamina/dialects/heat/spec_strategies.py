"""The strategies of the specification: collected from all files before anything is merged.

`merge_strategy` has a slot for each type (`list`, `dict`, `string`) and, below `parameters`, one for each parameter. A
slot may be filled by any file and then holds for the whole run, also for the files before it. Two files that fill a
slot with different words are in conflict, even if no file sets the parameter; equal words are fine. The words of a type
are `extend` (list), `merge` and `deep_merge` (dict), `append` (string), and `overwrite` for all; a slot of a type takes
only the words of that type, a parameter takes any.

See Surface spec in docs/reference/heat.md; golden cases in spec-stated.json and spec-reading.json.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Final

from lamina._support import suggestions
from lamina.dialects.heat import messages
from lamina.dialects.heat.engine_rules import bad_strategies
from lamina.dialects.heat.sections import SPEC_STRATEGIES
from lamina.plugin import Directive

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from lamina.dialects.heat.environment import Environment
    from lamina.plugin import Diagnostic, Origin, Path

OVERWRITE: Final = "overwrite"
LIST: Final = "list"
DICT: Final = "dict"
STRING: Final = "string"
OF_PARAMETERS: Final = "parameters"

WORDS: Final[Mapping[str, tuple[str, ...]]] = {
    LIST: ("extend", OVERWRITE),
    DICT: ("merge", "deep_merge", OVERWRITE),
    STRING: ("append", OVERWRITE),
}
"""The words of each type."""
TYPE_OF: Final[Mapping[str, str]] = {word: kind for kind, words in WORDS.items() for word in words if word != OVERWRITE}
"""The type a word is for."""


@dataclass(frozen=True, slots=True)
class StrategySlot:
    """A filled slot: the word, and where it was written first."""

    name: str
    word: str
    file: str
    origin: Origin | None

    @property
    def directive(self) -> Directive:
        return Directive(f"strategy {self.word} (for {self.name})", self.origin)


@dataclass(slots=True, eq=False)
class Slots:
    """The filled slots of a run: by type, and by parameter."""

    types: dict[str, StrategySlot] = field(default_factory=dict)
    parameters: dict[Any, StrategySlot] = field(default_factory=dict)

    def fill(self, environments: Sequence[Environment]) -> Diagnostic | None:
        """Collect the strategies of all files; the first thing wrong with them, if anything is."""
        for environment in environments:
            for finding in self._fill(environment):
                return finding
        return None

    def _fill(self, environment: Environment) -> Iterator[Diagnostic]:
        own = environment.node.value.get(SPEC_STRATEGIES, {})
        if not isinstance(own, dict):
            yield bad_strategies(environment, SPEC_STRATEGIES)
            return
        for key, word in own.items():
            path = (SPEC_STRATEGIES, key)
            if key == OF_PARAMETERS:
                yield from self._fill_parameters(environment, word)
            elif key not in WORDS:
                yield _unknown(environment, path, f"unknown key {key}", [*WORDS, OF_PARAMETERS], key)
            elif word not in WORDS[key]:
                yield _unknown(environment, path, f"unknown strategy {word!r} for {key}", WORDS[key], word)
            else:
                yield from self._resolve(self.types, key, key, word, environment, path)

    def _fill_parameters(self, environment: Environment, own: Any) -> Iterator[Diagnostic]:
        path = (SPEC_STRATEGIES, OF_PARAMETERS)
        if not isinstance(own, dict):
            words = [OVERWRITE, *TYPE_OF]
            yield _unknown(environment, path, f"{OF_PARAMETERS} must map parameters to strategies", words, own)
            return
        for name, word in own.items():
            if word != OVERWRITE and word not in list(TYPE_OF):
                words = [OVERWRITE, *TYPE_OF]
                yield _unknown(environment, (*path, name), f"unknown strategy {word!r} for {name}", words, word)
            else:
                yield from self._resolve(self.parameters, name, str(name), word, environment, (*path, name))

    def _resolve(
        self, slots: dict[Any, StrategySlot], key: Any, name: str, word: str, environment: Environment, path: Path
    ) -> Iterator[Diagnostic]:
        known = slots.setdefault(key, StrategySlot(name, word, environment.name, environment.origin_of(*path)))
        if known.word != word:
            yield messages.SPEC_STRATEGIES_DIFFER.at(
                environment.origin_of(*path),
                path,
                subject=environment.name,
                related=[(f"{known.word} is set here", known.origin)],
                word=word,
                name=known.name,
                file=known.file,
                earlier_word=known.word,
            )


def _unknown(environment: Environment, path: Path, what: str, words: Sequence[str], given: Any) -> Diagnostic:
    suggestion = suggestions.did_you_mean(str(given), words)
    return messages.UNKNOWN_STRATEGY.at(
        environment.origin_of(*path),
        path,
        subject=environment.name,
        what=what,
        suggestion=suggestion,
        listed=", ".join(words),
    )
