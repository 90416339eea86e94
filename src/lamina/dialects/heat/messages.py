"""Messages for values that Heat rejects, or on which it fails without naming the parameter."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from lamina.errors import Message

if TYPE_CHECKING:
    from collections.abc import Mapping

_ONE_NOTATION: Final = "use the same form in both files: a YAML list, or a comma-separated string"

SHIPPED: Final[Mapping[str, Message]] = {
    "not-a-list": Message(
        code="invalid-parameter-value",
        message="{path} is merged as a comma_delimited_list, but {layer} sets {new_kind}, which is neither a "
        "list nor a string",
        hint="write a list, or a comma-separated string; a single number needs quotes or brackets",
    ),
    "list-into-other": Message(
        code="type-mismatch",
        message="{path} cannot be merged: it is {old_kind} in the earlier files and {new_kind} in {layer}",
        hint=_ONE_NOTATION,
    ),
    "text-into-list": Message(
        code="type-mismatch",
        message="{path} cannot be merged: it is {old_kind} in the earlier files and {new_kind} in {layer}",
        hint=_ONE_NOTATION,
    ),
    "not-a-text": Message(
        code="invalid-parameter-value",
        message="{path} is merged as a string, but {layer} sets {new_kind}",
        hint="put the value in quotes, or use the strategy overwrite for this parameter",
    ),
    "no-two-texts": Message(
        code="type-mismatch",
        message="{path} cannot be merged as a string: it is {old_kind} in the earlier files and {new_kind} in {layer}",
        hint="put both values in quotes, or use the strategy overwrite for this parameter",
    ),
    "number-under-merge": Message(
        code="invalid-parameter-value",
        message="{path} is declared as a number, and {new_kind} in {layer} cannot be merged: Heat does not add numbers",
        hint="use the strategy overwrite for this parameter",
    ),
    "number-and-other": Message(
        code="type-mismatch",
        message="{path} cannot be merged as a number: it is {old_kind} in the earlier files and {new_kind} in {layer}",
        hint="use the strategy overwrite for this parameter",
    ),
    "boolean-under-merge": Message(
        code="invalid-parameter-value",
        message="{path} is declared as a boolean, and {new_kind} in {layer} cannot be merged",
        hint="use the strategy overwrite for this parameter",
    ),
    "boolean-has-no-strategy": Message(
        code="invalid-strategy-for-type",
        message="{path} is declared as a boolean, so {layer} cannot merge it: booleans can only be overwritten",
        hint="use the strategy overwrite for this parameter",
    ),
    "shared": Message(
        code="shared-by-alias",
        message="{path} is shared through a YAML alias, so what {layer} adds appears everywhere the alias is used",
        hint="Heat changes lists and mappings in place; write the value out instead of the alias",
    ),
    "not-json": Message(
        code="invalid-parameter-value",
        message="{path} is merged as json, but the string in {layer} is not valid JSON",
        hint="write the value as a YAML mapping, or fix the JSON",
    ),
    "mapping-into-text": Message(
        code="type-mismatch",
        message="{path} cannot be merged: it is a JSON string in the earlier files, which Heat does not parse, "
        "and {new_kind} in {layer}",
        hint="write the earlier value as a YAML mapping",
    ),
    "mapping-into-other": Message(
        code="type-mismatch",
        message="{path} cannot be merged: it is {old_kind} in the earlier files and {new_kind} in {layer}",
        hint="write a mapping in both files, or use the strategy overwrite for the parameter",
    ),
    "text-into-other": Message(
        code="type-mismatch",
        message="{path} cannot be merged: it is {old_kind} in the earlier files and {new_kind} in {layer}",
        hint="use the same form in both files: quoted in both, or in neither",
    ),
    "not-a-mapping": Message(
        code="type-mismatch",
        message="{path} cannot be merged: both sides must be mappings, and it is {old_kind} in the earlier files and "
        "{new_kind} in {layer}",
        hint="write a mapping in both files; event_sinks and encrypted_param_names may be set in one file only",
    ),
}

SPEC: Final[Mapping[str, Message]] = {
    "other-type": Message(
        code="type-mismatch",
        message="{path} cannot be combined: it is {old_kind} in the earlier files and {new_kind} in {layer}, "
        "which its strategy does not accept",
        hint="write both values in the type that the strategy expects, or use overwrite for this parameter",
    ),
    "no-strategy": Message(
        code="invalid-strategy-for-type",
        message="{path} is a number or a boolean in {layer}, so its only valid strategy is overwrite",
        hint="use overwrite for this parameter, or no strategy",
    ),
    "not-a-mapping": SHIPPED["not-a-mapping"],
    "mapping-into-text": SHIPPED["mapping-into-other"],
    "mapping-into-other": SHIPPED["mapping-into-other"],
}

CLIENT: Final[Mapping[str, Message]] = {
    "mapping-into-other": Message(
        code="type-mismatch",
        message="{path} cannot be updated: it is {old_kind} in the earlier files and {new_kind} in {layer}",
        hint="write a mapping in both files",
    ),
}
