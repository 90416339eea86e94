"""What a golden case of Datum compares: the value, whether the program warned of different types, and key order."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from lamina.protocol.extensions import Golden

if TYPE_CHECKING:
    from collections.abc import Mapping

    from lamina.dialects.datum.options import DatumOptions
    from lamina.protocol.rendered import Rendered


def checks(options: DatumOptions, expect: Mapping[str, Any], rendered: Rendered) -> list[str]:
    """The problems of a result by the options of a case."""
    problems: list[str] = []
    warned = any(note.code == "different-types" for note in rendered.notes)
    if warned != options.warns:
        problems.append(f"expected {'a' if options.warns else 'no'} warning of different types")
    if options.check_key_order and _orders(rendered.plain) != _orders(expect["value"]):
        problems.append(f"expected keys in the order {_orders(expect['value'])}, got {_orders(rendered.plain)}")
    return problems


def _orders(value: Any) -> Any:
    """The keys of a value, in order, at every level."""
    if isinstance(value, dict):
        return [(key, _orders(item)) for key, item in value.items()]
    return [_orders(item) for item in value] if isinstance(value, list) else None


GOLDEN = Golden(
    check=checks,
    compats=("program", "manual"),
    options={"handlers": False, "variable": {"nobody": None, "x": None, "5": None}},  # which their build does not set
)
