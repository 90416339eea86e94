"""What the dialect thinks is likely a mistake."""

from lamina.errors import Diagnostic
from lamina.views.lint.rule import LintRule, on_result


def shouting_keys(rendered):
    """Keys that are written in upper case."""
    for key in rendered.plain or {}:
        if str(key).isupper():
            origin = rendered.explain((key,)).origins[0]
            message = f"{key} is all upper case"
            yield Diagnostic(code="shouting-key", message=message, at=origin, hint="write it in lower case")


RULES = (
    LintRule(
        code="shouting-key",
        title="A key in upper case",
        about="Keys are written in lower case here.",
        check=on_result(shouting_keys),
    ),
)
