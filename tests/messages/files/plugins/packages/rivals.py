"""Dialects that get in one another's way on the command line."""

from dataclasses import dataclass
from typing import Any

from lamina.plugin import TAKE, Cases, Compiler, Dialect, Inputs, Policy, merge, option, output, read_yaml


@dataclass(frozen=True, kw_only=True)
class PlainOptions:
    level: bool = option(False, flag="--level", about="all of them")


@dataclass(frozen=True, kw_only=True)
class RichOptions:
    level: int = option(0, flag="--level", short="-l", about="how many of them")


@dataclass(frozen=True, kw_only=True)
class GreedyOptions:
    form: str = option("", flag="--format", about="a name that is taken")


def compile_inputs(inputs: Inputs, options: Any) -> Compiler:
    """The last file wins, and the level is reported."""
    policy = Policy(Cases.everywhere(TAKE), f"level {getattr(options, 'level', 'unknown')!r}")
    yield from output(
        "result", *(merge(read_yaml(source, inputs.run).root(source.name), policy) for source in inputs.sources)
    )


def dialect(name: str, options: type[Any]) -> Dialect[Any]:
    """One of the three, which differ in their options alone."""
    codes = {
        "level-too-high": (f"the level is more than {name} can do", "lower it"),
        "ambiguous-option": ("two levels", "use one"),
    }
    return Dialect(
        name=name,
        title=name,
        options=options,
        detect=lambda inputs: False,
        compile=compile_inputs,
        extensions={"codes": codes} if name != "greedy" else {},
    )


PLAIN, RICH, GREEDY = dialect("plain", PlainOptions), dialect("rich", RichOptions), dialect("greedy", GreedyOptions)
