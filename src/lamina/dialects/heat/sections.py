"""Sections: what may be in an environment file, by each rule set.

An unknown section is rejected; the first one is reported. A known section that is null is rejected too, except by
the client, which takes it. `merge_strategy` belongs to the specification, `parameter_merge_strategies` to Heat; the one
is unknown where the other applies. Heat's manual calls `encrypted_param_names` by another name, `encrypted_parameters`,
which the program does not know.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

from lamina._support import suggestions
from lamina.dialects.heat import messages
from lamina.paths import show_key

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from lamina.engine.node import SourceNode
    from lamina.errors import Diagnostic

PARAMETERS: Final = "parameters"
DEFAULTS: Final = "parameter_defaults"
REGISTRY: Final = "resource_registry"
ENCRYPTED: Final = "encrypted_param_names"
ENCRYPTED_IN_MANUAL: Final = "encrypted_parameters"
EVENT_SINKS: Final = "event_sinks"
SHIPPED_STRATEGIES: Final = "parameter_merge_strategies"
SPEC_STRATEGIES: Final = "merge_strategy"

DATA: Final = (PARAMETERS, DEFAULTS, REGISTRY, ENCRYPTED, EVENT_SINKS)
WITH_STRATEGIES: Final = (PARAMETERS, DEFAULTS)
EMPTY: Final[Mapping[str, Any]] = {PARAMETERS: {}, REGISTRY: {}, DEFAULTS: {}, ENCRYPTED: [], EVENT_SINKS: []}

STRATEGIES: Final[Mapping[str, str]] = {
    "strategies": SHIPPED_STRATEGIES,
    "deep-update": SHIPPED_STRATEGIES,
    "spec": SPEC_STRATEGIES,
}
"""The section of strategies, by rule set."""


def known_sections(rule_set: str, *, documented: bool = False) -> tuple[str, ...]:
    """The sections an environment may have."""
    more = (ENCRYPTED_IN_MANUAL,) if documented and rule_set == "strategies" else ()
    return (*DATA, STRATEGIES[rule_set], *more)


def rejected_section(node: SourceNode, rule_set: str, known: Iterable[str], *, by_client: bool) -> Diagnostic | None:
    """Why the sections of an environment are rejected, if they are; the client takes those that are null."""
    for key, value in node.value.items():
        if key not in known:
            return _unknown(node, key, rule_set, list(known))
        if value is None and not by_client:
            return messages.EMPTY_SECTION.at(
                node.key_origin(key),
                (key,),
                subject=node.layer,
                key=key,
                empty="[]" if key in (ENCRYPTED, EVENT_SINKS) else "{}",
            )
    return None


def _unknown(node: SourceNode, key: Any, rule_set: str, known: list[str]) -> Diagnostic:
    nearest = suggestions.did_you_mean(str(key), known)
    return messages.UNKNOWN_SECTION.at(
        node.key_origin(key),
        (key,),
        subject=node.layer,
        key=show_key(key),
        hint=_WHY.get((rule_set, key)) or f"{nearest}known sections: {', '.join(known)}",
    )


_TO_SPEC: Final = "merge_strategy is from the specification; --rule-set spec follows it"
_WHY: Final[Mapping[tuple[str, Any], str]] = {
    ("strategies", SPEC_STRATEGIES): f"Heat reads parameter_merge_strategies. {_TO_SPEC}",
    ("deep-update", SPEC_STRATEGIES): f"Heat's client reads parameter_merge_strategies. {_TO_SPEC}",
    ("spec", SHIPPED_STRATEGIES): "the specification uses merge_strategy; --rule-set strategies follows Heat",
    ("strategies", ENCRYPTED_IN_MANUAL): "Heat's manual lists this name, but Heat itself reads encrypted_param_names",
}
