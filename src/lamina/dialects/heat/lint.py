"""Lint rules for environments: valid, but probably mistakes.

undeclared-parameter        a parameter no template declares; in every file but the first Heat drops it silently
mixed-notation              a list in one file and text with commas in another; as soon as `merge` is named Heat fails
entries-overridden          a list or map without a strategy: the last file wins, and entries of earlier ones are lost
concatenated-strings        strings that deep_merge concatenated (`httphttp`)
unused-strategy             a strategy for a parameter that no file sets
ignored-strategy            a strategy in a file that does not set the parameter, which Heat ignores
late-strategy               a `default` in a later file, which changes nothing for parameters set before
scalar-with-merge-strategy  a number or boolean under merge; it fails as soon as a second file sets it
unknown-strategy-name       a word that is not a strategy; Heat takes the file's default in its place
"""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any, Final

from lamina._support import suggestions
from lamina.dialects.heat import messages
from lamina.dialects.heat.parameter_schema import BOOLEAN, LIST, NUMBER
from lamina.dialects.heat.plan_facts import Facts, facts_of
from lamina.dialects.heat.sections import SHIPPED_STRATEGIES, WITH_STRATEGIES
from lamina.dialects.heat.strategies import DEFAULT, UNNAMED, sets, strategies_in, table_rows
from lamina.dialects.heat.type_tables import DEEP_MERGE, MERGE, WORDS
from lamina.engine.secrecy import SECRET, is_secret
from lamina.paths import leaves
from lamina.plugin import Severity, show, walk, word_for
from lamina.plugin.extensions import LintRule, on_result

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator

    from lamina.dialects.heat.environment import Environment
    from lamina.errors import Note
    from lamina.plugin import Origin, Path
    from lamina.plugin.extensions import Rendered

_MAX_LISTED: Final = 4
"""How many entries a finding names."""


def undeclared_parameters(rendered: Rendered) -> Iterable[Note]:
    """Parameters no template declares, in whatever file.

    One that another template of the tree declares is for services that some other deployment has; and of a tree that is
    not generated yet it is not known what it declares. Both are only worth a note.
    """
    facts = facts_of(rendered.plan)
    if not facts.has_template or facts.rule_set == "deep-update":
        return
    generated = facts.tree is None or facts.tree.is_generated
    undeclared = [each for each in _set_parameters(facts) if each[2] not in facts.types]
    declared_in_tree = facts.tree.declared() if facts.tree and undeclared else ()
    known = [str(name) for name in facts.types]
    for environment, section, name, _ in undeclared:
        place, path = environment.origin_of(section, name), (section, name)
        if generated and name not in declared_in_tree:
            suggestion = suggestions.did_you_mean(name, known, "declare it in a template, or remove it")
            yield messages.UNDECLARED_PARAMETER.at(place, path, name=name, hint=suggestion)
        else:
            message = messages.DECLARED_ELSEWHERE if generated else messages.NOT_DECLARED_SO_FAR
            yield message.at(place, path, name=name)


def mixed_notations(rendered: Rendered) -> Iterable[Note]:
    """List parameters written as a list in one file and as text with commas in another."""
    facts = facts_of(rendered.plan)
    first: dict[Any, tuple[type, Origin | None]] = {}
    reported: set[Any] = set()
    for environment, section, name, value in _set_parameters(facts):
        declared = facts.types.get(name)
        if not isinstance(value, (list, str)) or (declared and declared.kind != LIST):
            continue
        if not declared and isinstance(value, str) and "," not in value:
            continue
        place = environment.origin_of(section, name)
        kind, earlier = first.setdefault(name, (type(value), place))
        if kind is not type(value) and name not in reported:
            reported.add(name)
            yield messages.MIXED_NOTATION.at(
                place,
                (section, name),
                related=[("the other form is here", earlier)],
                name=name,
                found=word_for(value),
                other="a list" if kind is list else "a string",
            )


def dropped_entries(rendered: Rendered) -> Iterable[Note]:
    """Lists and maps that the last file replaces without a strategy, so that entries are lost.

    That the last file wins is how Heat works; it is likely a mistake only where the files name strategies for others.
    An empty list is never meant to add to another one.
    """
    facts = facts_of(rendered.plan)
    severity = Severity.WARNING if facts.slots or any(map(strategies_in, facts.environments)) else Severity.INFO
    for (section, name), values in _without_strategy(facts).items():
        last, final = values[-1]
        if not final:
            continue
        dropped = [(environment, entry) for environment, value in values for entry in _missing(value, final)]
        if not dropped:
            continue
        listed = ", ".join(dict.fromkeys(str(entry) for _, entry in dropped[:_MAX_LISTED])) + (
            " …" if len(dropped) > _MAX_LISTED else ""
        )
        if rendered.hides_secrets and is_secret(last.node.at((section, name))):
            listed = SECRET
        places = (environment.origin_of(section, name) for environment in dict.fromkeys(each for each, _ in dropped))
        related = [("the earlier value is here", place) for place in places]
        note = messages.ENTRIES_OVERRIDDEN.at(
            last.origin_of(section, name),
            (section, name),
            related=related,
            name=name,
            listed=listed,
            file=values[0][0].name,
        )
        yield replace(note, severity=severity)


def _without_strategy(facts: Facts) -> dict[tuple[str, Any], list[tuple[Environment, Any]]]:
    """The values of parameters for which no file sets a strategy, not even one without effect."""
    with_strategy = {row.fixed.parameter for row in table_rows(facts.environments, facts.fixed) if row.attempts}
    values_set: dict[tuple[str, Any], list[tuple[Environment, Any]]] = {}
    for environment, section, name, value in _set_parameters(facts):
        known = facts.fixed.get(name)
        if known and known.how == UNNAMED and name not in with_strategy and value is not None:
            values_set.setdefault((section, name), []).append((environment, value))
    return values_set


def _missing(value: Any, final: Any) -> list[Any]:
    """The entries of a collection that another one of its kind does not have."""
    if isinstance(value, dict) and isinstance(final, dict):
        return [key for key in value if key not in final]
    if isinstance(value, list) and isinstance(final, list):
        return [item for item in value if item not in final]
    return []


def joined_strings(rendered: Rendered) -> Iterable[Note]:
    """Texts inside json parameters that deep_merge joined."""
    facts = facts_of(rendered.plan)
    for name, fixed in facts.fixed.items():
        for section in WITH_STRATEGIES if fixed.word == DEEP_MERGE else ():
            found = [path for path in _strings_in(rendered.plain, (section, name)) if _is_joined(rendered, path)]
            if found:
                history = rendered.history_at(found[0])
                more = f", and {len(found) - 1} more like it" if len(found) > 1 else ""
                yield messages.CONCATENATED_STRINGS.at(
                    history.origins[-1],
                    found[0],
                    name=name,
                    found=show(found[0]),
                    count=len(history.origins),
                    more=more,
                )


def _strings_in(value: Any, base: Path) -> Iterator[Path]:
    inner = walk(value, base)
    for path in leaves(inner) if isinstance(inner, dict) else ():
        if path and all(isinstance(step, str) for step in path) and isinstance(walk(inner, path), str):
            yield (*base, *path)


def _is_joined(rendered: Rendered, path: Path) -> bool:
    return any(
        event.verdict == "appended" and isinstance(event.result, str) for event in rendered.history_at(path).events
    )


def unused_strategies(rendered: Rendered) -> Iterable[Note]:
    """Strategies for parameters that no file sets."""
    facts = facts_of(rendered.plan)
    named = [
        (name, environment.origin_of(SHIPPED_STRATEGIES, name))
        for environment in _with_strategies(facts)
        for name in strategies_in(environment)
        if name != DEFAULT
    ]
    if facts.slots is not None:
        named = [(name, slot.origin) for name, slot in facts.slots.parameters.items()]
    for name, place in named:
        if not any(sets(environment, name) for environment in facts.environments):
            yield messages.UNUSED_STRATEGY.at(place, (name,), name=name)


def ineffective_strategies(rendered: Rendered) -> Iterable[Note]:
    """Strategies in files that do not set the parameter, and defaults that came too late."""
    facts = facts_of(rendered.plan)
    for row in table_rows(facts.environments, facts.fixed):
        known = row.fixed
        for each in row.attempts:
            if not each.outcome.startswith("ignored") or each.word == known.word:
                continue
            is_late = "default" in each.outcome
            yield (messages.LATE_STRATEGY if is_late else messages.IGNORED_STRATEGY).at(
                each.origin,
                (known.parameter,),
                related=[(f"{known.word} comes from here ({known.how})", known.origin)],
                file=each.file,
                word=each.word,
                name=known.parameter,
                fixed=known.word,
                first=known.file,
            )


def scalars_under_merge(rendered: Rendered) -> Iterable[Note]:
    """Numbers and booleans with a strategy that cannot merge them."""
    facts = facts_of(rendered.plan)
    for name, fixed in facts.fixed.items():
        declared = facts.types.get(name)
        if declared and declared.kind in (NUMBER, BOOLEAN) and fixed.word in (MERGE, DEEP_MERGE):
            yield messages.SCALAR_WITH_MERGE_STRATEGY.at(
                fixed.origin, (name,), name=name, kind=declared.kind, word=fixed.word
            )


def unknown_words(rendered: Rendered) -> Iterable[Note]:
    """Words Heat does not know, for which it takes the file's default silently."""
    facts = facts_of(rendered.plan)
    for environment in _with_strategies(facts):
        for name, word in strategies_in(environment).items():
            if word not in WORDS:
                hint = suggestions.did_you_mean(str(word).lower(), WORDS, f"known strategies: {', '.join(WORDS)}")
                place = environment.origin_of(SHIPPED_STRATEGIES, name)
                yield messages.UNKNOWN_STRATEGY_NAME.at(place, (name,), word=word, name=name, hint=hint)


def _with_strategies(facts: Facts) -> list[Environment]:
    return facts.environments if facts.rule_set == "strategies" else []


def _set_parameters(facts: Facts) -> Iterator[tuple[Environment, str, Any, Any]]:
    for environment in facts.environments:
        for section in WITH_STRATEGIES:
            values = environment.section(section)
            for name, value in values.items() if isinstance(values, dict) else ():
                yield environment, section, name, value


CHECKS: Final[tuple[Callable[[Rendered], Iterable[Note]], ...]] = (
    undeclared_parameters,
    mixed_notations,
    dropped_entries,
    joined_strings,
    unused_strategies,
    ineffective_strategies,
    scalars_under_merge,
    unknown_words,
)

RULES: Final = (
    LintRule(
        code="undeclared-parameter",
        title="Heat: a parameter that no template declares",
        about="No template declares the parameter, and Heat silently drops it from every file but the first.",
        check=on_result(undeclared_parameters),
        covers=("near-miss-key",),
    ),
    LintRule(
        code="mixed-notation",
        title="Heat: a list in one file and a comma-separated string in another",
        about="Heat fails on the mix as soon as the parameter has a strategy.",
        check=on_result(mixed_notations),
        covers=("type-change",),
    ),
    LintRule(
        code="entries-overridden",
        title="Heat: a list or mapping that replaces another",
        about="The parameter has no strategy, so the last file wins, and entries from earlier files are dropped.",
        check=on_result(dropped_entries),
    ),
    LintRule(
        code="concatenated-strings",
        title="Heat: strings that deep_merge concatenated",
        about="Inside json parameters, deep_merge concatenates strings, which is rarely intended.",
        check=on_result(joined_strings),
    ),
    LintRule(
        code="unused-strategy",
        title="Heat: a strategy for a parameter that no file sets",
        about="No file sets the parameter: its name is probably misspelled, or it was removed.",
        check=on_result(unused_strategies),
    ),
    LintRule(
        code="ignored-strategy",
        title="Heat: a strategy in a file that does not set the parameter",
        about="Heat reads a parameter's strategy only from files that set the parameter, so this one has no effect.",
        check=on_result(ineffective_strategies),
    ),
    LintRule(
        code="late-strategy",
        title="Heat: a default strategy that comes too late",
        about="The first file that sets a parameter decides its strategy; a later default has no effect.",
        check=on_result(ineffective_strategies),
    ),
    LintRule(
        code="scalar-with-merge-strategy",
        title="Heat: a number or boolean with a merge strategy",
        about="Heat cannot merge numbers and booleans, so rendering fails as soon as a second file sets the parameter.",
        check=on_result(scalars_under_merge),
    ),
    LintRule(
        code="unknown-strategy-name",
        title="Heat: an unknown strategy",
        about="Heat does not know the strategy and silently uses the file's default instead.",
        check=on_result(unknown_words),
    ),
)
