"""Secrecy: what must not be shown to those who only ask where values come from.

Secrecy belongs to what was written. Whatever was made from something secret is secret too, however many outputs it went
through; what was displaced by it, or stands beside it, is not.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

from lamina.engine.provenance import writings_of

if TYPE_CHECKING:
    from lamina.engine.node import Node

SECRET: Final = "(secret)"
"""What is shown in a secret's place."""


def is_secret(node: Node) -> bool:
    """Whether anything a node's value was made from is secret, or holds something that is."""
    return any(written.holds_secret for written in writings_of(node))


def without_secrets(node: Node) -> Any:
    """The value of a node with everything secret in it left out."""
    value = node.value
    if not is_secret(node):
        return value
    if isinstance(value, dict) and value:
        return {key: without_secrets(node.child(key)) for key in value}
    if isinstance(value, list) and value:
        return [without_secrets(node.child(position)) for position in range(len(value))]
    return SECRET
