"""Strategies: which one holds for a parameter, as Heat decides it.

One table, parameter to strategy, is kept for the whole run and shared by `parameters` and `parameter_defaults`. A
declared parameter enters it the first time a file gives it a value that is not null. What a file says of a parameter:
its own entry; else what the table has; else the file's `default`; else overwrite. A word that is none of the three
counts as the file's `default`, which is not checked. If the table has a strategy and the file's differs, Heat rejects.
So a first file that says nothing fixes overwrite, a later `default` changes nothing, and a file that names a strategy
for a parameter it does not set is not heard.

Heat's manual differs: strategies are set per file, and a file without one overwrites. Nothing is
remembered and nothing can conflict. That is what the documented mode does.

See Surface shipped in docs/reference/heat.md; golden cases in shipped-strategy-rules.json.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import partial
from itertools import islice
from typing import TYPE_CHECKING, Any, Final

from lamina._support import suggestions
from lamina.dialects.heat import messages
from lamina.dialects.heat.sections import DEFAULTS, PARAMETERS, SHIPPED_STRATEGIES
from lamina.dialects.heat.type_tables import OVERWRITE, WORDS
from lamina.plugin import Directive

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Iterator

    from lamina.dialects.heat.environment import Environment
    from lamina.plugin import Diagnostic, Origin

DEFAULT: Final = "default"
UNNAMED: Final = "Heat's default"
"""How the strategy of a parameter without one is printed."""
_EMPTY: Final[Mapping[Any, Any]] = {}


@dataclass(slots=True, eq=False)
class FixedStrategy:
    """The strategy in force for a parameter: the word, the file that fixed it, how it came to it, and the line.

    The line is looked up on demand.
    """

    parameter: str
    word: Any
    file: str
    how: str
    origin_of: Callable[[], Origin | None]
    number: int = 0
    """How many others were fixed before it."""

    @property
    def origin(self) -> Origin | None:
        return self.origin_of()

    @property
    def directive(self) -> Directive:
        return Directive(f"strategy {self.word} ({self.how})", self.origin)


class Directives(Mapping[str, Directive]):
    """What caused the change of each parameter, as of one file: by the first so many entries of the table."""

    def __init__(self, fixed: Mapping[str, FixedStrategy]) -> None:
        self._fixed = fixed
        self._count = len(fixed)

    def __getitem__(self, name: str) -> Directive:
        known = self._fixed[name]
        if known.number >= self._count:
            raise KeyError(name)
        return known.directive

    def __iter__(self) -> Iterator[str]:
        return islice(self._fixed, self._count)

    def __len__(self) -> int:
        return self._count


@dataclass(slots=True, eq=False)
class StrategyTable:
    """The table of one run."""

    documented: bool = False
    fixed: dict[str, FixedStrategy] = field(default_factory=dict)
    is_ambiguous: bool = False
    """Whether a word is in force that is not a strategy."""

    def add_names(
        self, environment: Environment, section: str, names: Collection[str], *, all_met: bool = False
    ) -> Diagnostic | None:
        """Take note of the parameters a file sets in a section; the first conflict, if there is any.

        `all_met` says that all of them were met before.
        """
        own = strategies_in(environment)
        fixed = self.fixed
        if not self.documented and not self._may_conflict(own):
            for name in () if all_met else [name for name in names if name not in fixed]:
                self._fix(environment, section, name)
            return None
        for name in names:
            known = fixed.get(name)
            if known is None or self.documented:
                self._fix(environment, section, name)
            elif (name in own or known.word not in WORDS) and word_for(own, name, known.word) != known.word:
                return _conflict(environment, section, known, word_for(own, name, known.word))
        return None

    def _fix(self, environment: Environment, section: str, name: str) -> None:
        own = strategies_in(environment)
        entry = name if name in own else DEFAULT if DEFAULT in own else None
        place = (section, name) if entry is None else (SHIPPED_STRATEGIES, entry)
        word = word_for(own, name, None)
        how, where = _how(own, name, entry), partial(environment.origin_of, *place)
        number = self.fixed[name].number if name in self.fixed else len(self.fixed)
        self.fixed[name] = FixedStrategy(name, word, environment.name, how, where, number)
        self.is_ambiguous = self.is_ambiguous or word not in WORDS

    def directives(self) -> Directives:
        """What the table says of each parameter now. By the manual the next file may say something else."""
        return Directives(dict(self.fixed) if self.documented else self.fixed)

    def _may_conflict(self, own: Mapping[Any, Any]) -> bool:
        """Whether what a file sets may differ from what is in force; the fast path sees that most cannot."""
        if self.is_ambiguous:
            return True
        for name, word in own.items():
            known = self.fixed.get(name)
            if known is not None and word != known.word and word_for(own, name, known.word) != known.word:
                return True
        return False


def strategies_in(environment: Environment) -> Mapping[Any, Any]:
    """What a file says of strategies; nothing if it is not a mapping, which is noticed elsewhere."""
    own = environment.section(SHIPPED_STRATEGIES)
    return own if isinstance(own, dict) else _EMPTY


def word_for(own: Mapping[Any, Any], name: Any, known: Any) -> Any:
    """A file's strategy for a parameter, given what is in force."""
    default = own.get(DEFAULT, OVERWRITE)
    word = own.get(name, default if known is None else known)
    return word if word in WORDS else default


def _how(own: Mapping[Any, Any], name: str, entry: str | None) -> str:
    if entry is None:
        return UNNAMED
    if own[entry] not in WORDS:
        return f"unknown strategy {own[entry]!r}"
    return f"set for {name}" if entry == name else "the file's default"


def _conflict(environment: Environment, section: str, known: FixedStrategy, word: Any) -> Diagnostic:
    name = known.parameter
    at = environment.origin_of(SHIPPED_STRATEGIES, name) or environment.origin_of(section, name)
    return messages.STRATEGIES_DIFFER.at(
        at,
        (section, name),
        subject=environment.name,
        related=[(f"{known.word} comes from here ({known.how})", known.origin)],
        word=word,
        name=name,
        file=known.file,
        earlier_word=known.word,
        hint=_hint(environment, known, word),
    )


def _hint(environment: Environment, known: FixedStrategy, word: Any) -> str:
    raw = strategies_in(environment).get(known.parameter)
    if raw is not None and raw not in WORDS:
        suggestion = suggestions.did_you_mean(str(raw), WORDS)
        return f"{suggestion}unknown strategy {raw!r} is treated as {word}; known strategies: {', '.join(WORDS)}"
    if known.word not in WORDS:
        return f"{known.word!r} is not a strategy; known strategies: {', '.join(WORDS)}"
    return (
        f"the first file that sets a parameter decides its strategy: set {word} for {known.parameter} in "
        f"{known.file}, or remove it from {environment.name}"
    )


@dataclass(frozen=True, slots=True)
class Attempt:
    """What another file says of a parameter's strategy, and what comes of it."""

    file: str
    word: Any
    outcome: str
    origin: Origin | None


@dataclass(frozen=True, slots=True)
class StrategyRow:
    """One line of the table: the strategy in force, what fixed it, and who else set one."""

    fixed: FixedStrategy
    attempts: tuple[Attempt, ...] = ()


def sets(environment: Environment, name: str) -> bool:
    """Whether a file gives a parameter a value."""
    for section in (PARAMETERS, DEFAULTS):
        values = environment.section(section)
        if isinstance(values, dict) and values.get(name) is not None:
            return True
    return False


def table_rows(environments: list[Environment], fixed: Mapping[str, FixedStrategy]) -> list[StrategyRow]:
    """The table, parameter by parameter, in the order in which they were fixed."""
    with_strategies = [environment for environment in environments if strategies_in(environment)]
    return [
        StrategyRow(known, tuple(found for each in with_strategies if (found := _attempt(each, known))))
        for known in fixed.values()
    ]


def _attempt(environment: Environment, known: FixedStrategy) -> Attempt | None:
    own, name = strategies_in(environment), known.parameter
    entry = name if name in own else DEFAULT if DEFAULT in own else None
    if environment.name == known.file or entry is None:
        return None
    does_set = sets(environment, name)
    if entry == DEFAULT and (not does_set or own[DEFAULT] == known.word):
        return None
    if not does_set:
        outcome = "ignored: the file does not set the parameter"
    elif entry == DEFAULT:
        outcome = "ignored: a later default has no effect"
    else:
        outcome = "agrees" if word_for(own, name, known.word) == known.word else "conflict"
    return Attempt(environment.name, own[entry], outcome, environment.origin_of(SHIPPED_STRATEGIES, entry))
