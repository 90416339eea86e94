"""What can be asked of the Deckhand dialect."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from lamina.dialects.base import compat_option, option, unknown
from lamina.errors import UsageError

VALIDATE = ("refuse", "report", "off")
_WORDS = {True: "refuse", False: "off"}


@dataclass(frozen=True, slots=True, kw_only=True)
class DeckhandOptions:
    """How Deckhand's documents are checked, rendered and shown."""

    compat: str = compat_option()
    validate: Any = option(
        "refuse",
        flag="--validate",
        metavar="WORD",
        on_command_line="report",
        about="refuse: documents that break Deckhand's schemas fail, as in the real engine; report: they are reported "
        "and rendered as far as possible; off: not looked at",
    )
    """One of the three words; true stands for `refuse` and false for `off`."""
    fail_on_missing_sub_src: bool = option(True, about="a substitution that cannot be made is an error")
    allow_missing_sources: bool = option(
        False, flag="--allow-missing-sources", about="skip substitutions that cannot be made, with a note"
    )
    post_validate: bool = option(
        False, flag="--post-validate", about="check rendered documents against the DataSchema documents of the set"
    )
    keep_going: bool = option(False, flag="--keep-going", about="give the documents that could be rendered")
    document: str | None = option(
        None, flag="--document", metavar="NAME", about="only this document: NAME or SCHEMA/NAME"
    )
    redact: bool = option(False, flag="--redact", about="leave secrets out of the rendered data, too")
    cleartext_secrets: bool = option(
        False,
        flag="--cleartext-secrets",
        grants="showing secrets in plain text",
        about="show secrets wherever values are explained",
    )

    def __post_init__(self) -> None:
        word = _WORDS[self.validate] if isinstance(self.validate, bool) else self.validate
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
