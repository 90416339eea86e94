"""The options of the Deckhand dialect."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from lamina.errors import UsageError
from lamina.protocol.dialect import compat_option, option, strict_option, unknown

VALIDATE = ("reject", "report", "off")
_WORDS = {True: "reject", False: "off", "refuse": "reject"}
"""Other values for the same; `refuse` is the word of an earlier release."""


@dataclass(frozen=True, slots=True, kw_only=True)
class DeckhandOptions:
    """How Deckhand's documents are checked, rendered and shown."""

    compat: str = compat_option()
    strict: bool = strict_option()
    validate: Any = option(
        "reject",
        flag="--validate",
        metavar="[reject|report|off]",
        on_command_line="report",
        about=(
            "reject: documents that violate Deckhand's schemas fail, as in Deckhand; report: report violations and "
            "render what can be rendered; off: do not check"
        ),
    )
    """One of the three words; true means `reject` and false `off`."""
    fail_on_missing_sub_src: bool = option(True, about="fail if a substitution's source or value is missing")
    allow_missing_sources: bool = option(
        False, flag="--allow-missing-sources", about="skip substitutions whose source is missing, with a note"
    )
    post_validate: bool = option(
        False, flag="--post-validate", about="also check rendered documents against the DataSchema documents"
    )
    keep_going: bool = option(
        False, flag="--keep-going", about="output the documents that rendered, even if others failed"
    )
    document: str | None = option(
        None, flag="--document", metavar="NAME", about="output only this document: NAME or SCHEMA/NAME"
    )
    redact: bool = option(False, flag="--redact", about="hide secrets in the rendered data too")
    cleartext_secrets: bool = option(
        False,
        flag="--cleartext-secrets",
        grants="showing secrets in plain text",
        about="show secrets in explanations, notes, diffs and reports",
    )

    def __post_init__(self) -> None:
        word = _WORDS.get(self.validate, self.validate)
        if word not in VALIDATE:
            raise UsageError(unknown("value", str(word), VALIDATE, " for validate"))
        object.__setattr__(self, "validate", word)

    @property
    def tolerant(self) -> bool:
        """Whether substitutions that cannot be made are skipped."""
        return self.allow_missing_sources or not self.fail_on_missing_sub_src

    @property
    def documented(self) -> bool:
        return self.compat == "manual"


def scope(options: DeckhandOptions) -> DeckhandOptions | None:
    """All documents, unless one is asked for."""
    return options if options.document is None else None
