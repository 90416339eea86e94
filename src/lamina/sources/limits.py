"""Limits: what a reader accepts, so that no input can exhaust time, memory or the stack."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from lamina.budget import SIZE
from lamina.errors import Diagnostic, InputError

if TYPE_CHECKING:
    from lamina.origins import Origin
    from lamina.sources.source import Source

_BITS_PER_DIGIT = 3.3219280948873626


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Limits:
    """The bounds of one read."""

    depth: int = 200
    """Levels of nested collections."""
    alias_nodes: int = 1_000_000
    """Nodes that all aliases together may expand to."""
    alias_text: int = 64 * 1024 * 1024
    """Characters that all aliases together may expand to."""
    nodes: int = 5_000_000
    """Nodes of the input, aliases counted as one each."""
    thorough_nodes: int = 500_000
    """Nodes of an input that only a slow reader can read (PyYAML's own loader, PowerShell data files), which needs a
    kilobyte or two for each."""
    size: int = 64 * 1024 * 1024
    """Bytes of the input."""
    run_size: int = SIZE
    """Bytes that one run may read and build, all its inputs and outputs together."""
    digits: int = 4_300
    """Digits of a number; numbers written in fewer than 64 characters always pass."""

    def check_size(self, source: Source) -> None:
        if len(source.data) > self.size:
            raise InputError(
                Diagnostic(
                    code="input-too-large",
                    message=f"the input is {len(source.data):,} bytes long; the limit is {self.size:,}",
                    at=source.locate(0, 0),
                    hint="check that it is the right file, or split it",
                )
            )

    def too_deep(self, at: Origin | None) -> InputError:
        return InputError(
            Diagnostic(
                code="too-deep",
                message=f"collections are nested more than {self.depth} levels deep, which is Lamina's limit",
                at=at,
                hint="flatten the data",
            )
        )

    def too_many_aliases(self, at: Origin | None) -> InputError:
        return InputError(
            Diagnostic(
                code="too-many-aliases",
                message=f"the aliases so far expand to more than {self.alias_nodes:,} nodes, which is Lamina's limit",
                at=at,
                hint="repeat less data through aliases",
            )
        )

    def too_much_alias_text(self, at: Origin | None) -> InputError:
        return InputError(
            Diagnostic(
                code="too-many-aliases",
                message=f"the aliases so far expand to more than {self.alias_text // (1024 * 1024)} MiB of strings, "
                "which is Lamina's limit",
                at=at,
                hint="repeat less data through aliases",
            )
        )

    def too_many_nodes(self, most: int, at: Origin | None) -> InputError:
        return InputError(
            Diagnostic(
                code="input-too-large",
                message=f"the input has more than {most:,} nodes up to here, which is Lamina's limit",
                at=at,
                hint="check that it is the right file, or split it",
            )
        )

    def too_long(self, at: Origin | None) -> InputError:
        return InputError(
            Diagnostic(
                code="number-too-long",
                message=f"the number has more than {self.digits:,} digits",
                at=at,
                hint="quote it if it should be a string",
            )
        )


LIMITS = Limits()


class NumberTooLongError(ValueError):
    """A scalar that would be a number, with more digits than allowed."""


def check_digits(text: str, value: Any, digits: int) -> None:
    """Reject a number with too many digits, as written or as it would have to be written out; strings are accepted."""
    if type(value) not in (int, float):
        return
    written = sum(map(str.isdigit, text)) if len(text) > digits else 0
    if written > digits or (type(value) is int and value.bit_length() > digits * _BITS_PER_DIGIT):
        raise NumberTooLongError
