"""Faults: what Lamina says where Heat rejects, or dies without naming the parameter."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from lamina.engine.plan import FaultText

if TYPE_CHECKING:
    from collections.abc import Mapping

_ONE_NOTATION: Final = "write it the same way in both files: as a YAML list, or as text with commas"

SHIPPED: Final[Mapping[str, FaultText]] = {
    "not-a-list": FaultText(
        code="invalid-parameter-value",
        message="{path} is merged as a comma_delimited_list, and {new_kind} in {layer} is neither a list nor a text",
        hint="write a list, or a text with commas; a single number needs quotes or brackets",
    ),
    "list-into-other": FaultText(
        code="type-mismatch",
        message="{path} cannot be merged: it is {old_kind} in the earlier files and {new_kind} in {layer}",
        hint=_ONE_NOTATION,
    ),
    "text-into-list": FaultText(
        code="type-mismatch",
        message="{path} cannot be merged: it is {old_kind} in the earlier files and {new_kind} in {layer}",
        hint=_ONE_NOTATION,
    ),
    "not-a-text": FaultText(
        code="invalid-parameter-value",
        message="{path} is merged as a string, and {layer} gives {new_kind}",
        hint="put the value in quotes, or use the strategy overwrite for this parameter",
    ),
    "no-two-texts": FaultText(
        code="type-mismatch",
        message="{path} cannot be merged as a string: it is {old_kind} in the earlier files and {new_kind} in {layer}",
        hint="put both values in quotes, or use the strategy overwrite for this parameter",
    ),
    "number-under-merge": FaultText(
        code="invalid-parameter-value",
        message="{path} is declared as a number, and {new_kind} in {layer} cannot be merged: Heat never adds up",
        hint="use the strategy overwrite for this parameter",
    ),
    "number-and-other": FaultText(
        code="type-mismatch",
        message="{path} cannot be merged as a number: it is {old_kind} in the earlier files and {new_kind} in {layer}",
        hint="use the strategy overwrite for this parameter",
    ),
    "boolean-under-merge": FaultText(
        code="invalid-parameter-value",
        message="{path} is declared as a boolean, and {new_kind} in {layer} cannot be merged",
        hint="use the strategy overwrite for this parameter",
    ),
    "boolean-has-no-strategy": FaultText(
        code="invalid-strategy-for-type",
        message="{path} is declared as a boolean, and {layer} would merge it: booleans can only be overwritten",
        hint="use the strategy overwrite for this parameter",
    ),
    "shared": FaultText(
        code="shared-by-alias",
        message="{path} stands in several places through a YAML alias, so what {layer} adds to it shows in all of them",
        hint="Heat changes lists and mappings in place; write the value out instead of the alias",
    ),
    "not-json": FaultText(
        code="invalid-parameter-value",
        message="{path} is merged as json, and the text in {layer} is not JSON",
        hint="write the value as a YAML mapping, or correct the JSON text",
    ),
    "mapping-into-text": FaultText(
        code="type-mismatch",
        message="{path} cannot be merged: it is JSON text in the earlier files, which Heat does not read, and "
        "{new_kind} in {layer}",
        hint="write the earlier value as a YAML mapping",
    ),
    "mapping-into-other": FaultText(
        code="type-mismatch",
        message="{path} cannot be merged: it is {old_kind} in the earlier files and {new_kind} in {layer}",
        hint="write a mapping in both files, or use the strategy overwrite for the parameter",
    ),
    "text-into-other": FaultText(
        code="type-mismatch",
        message="{path} cannot be merged: it is {old_kind} in the earlier files and {new_kind} in {layer}",
        hint="write the value the same way in both files, with quotes in both or in none",
    ),
    "not-a-mapping": FaultText(
        code="type-mismatch",
        message="{path} cannot be merged: both sides must be mappings, and it is {old_kind} in the earlier files and "
        "{new_kind} in {layer}",
        hint="write a mapping in both files; event_sinks and encrypted_param_names must stand in one file only",
    ),
}

SPEC: Final[Mapping[str, FaultText]] = {
    "other-type": FaultText(
        code="type-mismatch",
        message="{path} cannot be combined: it is {old_kind} in the earlier files and {new_kind} in {layer}, and the "
        "strategy named for it takes neither or only one of them",
        hint="write both values in the type the strategy is for, or name overwrite for this parameter",
    ),
    "no-strategy": FaultText(
        code="invalid-strategy-for-type",
        message="{path} is a number or a boolean in {layer}, and only overwrite can be named for it",
        hint="name overwrite for this parameter, or no strategy",
    ),
    "not-a-mapping": SHIPPED["not-a-mapping"],
    "mapping-into-text": SHIPPED["mapping-into-other"],
    "mapping-into-other": SHIPPED["mapping-into-other"],
}

CLIENT: Final[Mapping[str, FaultText]] = {
    "mapping-into-other": FaultText(
        code="type-mismatch",
        message="{path} cannot be updated: it is {old_kind} in the earlier files and {new_kind} in {layer}",
        hint="write a mapping in both files",
    ),
}
