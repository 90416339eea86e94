"""What the dialect thinks is likely a mistake."""

from lamina.plugin import Diagnostic
from lamina.plugin.extensions import LintRule, on_result, origins_of


def shouting_keys(result):
    """Keys that are written in upper case."""
    for output in result.outputs:
        for key in output.value if isinstance(output.value, dict) else ():
            if str(key).isupper():
                origin = origins_of(output.node.child(key))[0]
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

CODES = {
    "unset-variable": (
        "a string has ${NAME}, and nothing says what it is",
        "give it with `--set NAME=VALUE`, or correct the name",
    ),
}
