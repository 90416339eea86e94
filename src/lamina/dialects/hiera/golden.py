"""What a golden case of Hiera compares: the value with the order of keys, and whether it is Sensitive."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from lamina.dialects.hiera.ruby_text import to_s
from lamina.plugin import extensions as lpx

if TYPE_CHECKING:
    from collections.abc import Mapping

    from lamina.dialects.hiera.options import HieraOptions


def _written(value: Any) -> Any:
    """A value with its keys as Ruby writes them."""
    if isinstance(value, dict):
        return {to_s(key): _written(item) for key, item in value.items()}
    return [_written(item) for item in value] if isinstance(value, list) else value


def observe(result: lpx.Rendered) -> Mapping[str, Any]:
    """The value, which a case writes down also where it is Sensitive."""
    found = next((stage.facts for stage in result.plan.stages if stage.facts is not None), None)
    return {
        "value": _written(result.outputs[0].node.value),
        "sensitive": bool(found and found.found and found.found.sensitive),
    }


def checks(options: HieraOptions, expect: Mapping[str, Any], result: lpx.Rendered) -> list[str]:
    """Whether keys are in the order that is expected, and what is Sensitive without being expected to be."""
    found, wanted = _orders(observe(result)["value"]), _orders(expect["value"])
    problems = [] if found == wanted else [f"expected keys in the order {wanted}, got {found}"]
    if observe(result)["sensitive"] and not expect.get("sensitive"):
        problems.append("expected a value that is not Sensitive")
    return problems


def _orders(value: Any) -> Any:
    if isinstance(value, dict):
        return [(key, _orders(item)) for key, item in value.items()]
    return [_orders(item) for item in value] if isinstance(value, list) else None


GOLDEN = lpx.Golden(observe=observe, check=checks)
