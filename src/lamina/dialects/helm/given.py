"""What the user gives: value files in order, then what is set on the command line, in Helm's fixed order of flags."""

from __future__ import annotations

import csv
from typing import TYPE_CHECKING, Any, Final

from lamina import plugin as lp
from lamina.dialects.helm import messages
from lamina.dialects.helm.chart import read_values
from lamina.dialects.helm.set_arguments import Flag, assignments
from lamina.dialects.helm.set_steps import set_step
from lamina.plugin import formats as lpf

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from lamina.dialects.helm.options import HelmOptions

NAME: Final = "values given"
"""The output of all that the user gives, before any default."""
_LATER_WINS: Final = lp.Policy(
    lp.Cases(
        (lp.MAPS, lp.MAPS, lp.Union(lp.Cases(((lp.ABSENT,), lp.ALL, lp.TAKE), (lp.ALL, lp.ALL, lp.DESCEND)))),
        (lp.ALL, lp.ALL, lp.TAKE),
    ),
    "the later file wins",
)
_FLAGS: Final[tuple[tuple[Flag, str], ...]] = (
    ("--set-json", "set_json"),
    ("--set", "set"),
    ("--set-string", "set_string"),
    ("--set-file", "set_file"),
    ("--set-literal", "set_literal"),
)
"""In the order in which Helm applies them, whatever the order on the command line."""


def value_mappings(inputs: lp.Inputs) -> tuple[lp.SourceNode, ...]:
    """The mappings of the value files, in order."""
    roots = [read_values(source, inputs.run) for source in _value_files(inputs)]
    return tuple(root for root in roots if root is not None)


def given_output(inputs: lp.Inputs, options: HelmOptions, files: tuple[lp.SourceNode, ...]) -> lp.Output:
    """The output of what the user gives."""
    merges = [lp.merge(root, _LATER_WINS) for root in files]
    return lp.Output(name=NAME, steps=(lp.start(), *merges, *_set_steps(inputs, options)), hidden=True)


def _value_files(inputs: lp.Inputs) -> Iterator[lp.Source]:
    for item in inputs.items:
        if isinstance(item, lp.Source):
            yield item
        elif not isinstance(item, lpf.Folder):  # a name that is no file: an argument of -f is a list between commas
            for name in next(csv.reader([item.name]), []):
                source = inputs.files.read(name)
                if source is None:
                    raise lp.InputError(messages.NO_FILE.at(name=name))
                yield source


def _set_steps(inputs: lp.Inputs, options: HelmOptions) -> Iterator[lp.Merge]:
    read_file = _file_reader(inputs)
    names: dict[str, int] = {}
    for flag, field in _FLAGS:
        for argument in _arguments(flag, getattr(options, field)):
            name = _called(f"{flag} {argument.partition('=')[0]}", names)
            for assignment in assignments(flag, argument, name, read_file, inputs.run):
                yield set_step(assignment, flag)


def _arguments(flag: str, given: Any) -> tuple[str, ...]:
    if isinstance(given, (list, tuple)) and all(isinstance(each, str) for each in given):
        return tuple(given)
    raise lp.UsageError(messages.NOT_STRINGS.at(flag=flag, written=given))


def _called(name: str, names: dict[str, int]) -> str:
    """What an argument is called in origins: its flag and the first path, numbered if there are several."""
    names[name] = names.get(name, 0) + 1
    return name if names[name] == 1 else f"{name} ({names[name]})"


def _file_reader(inputs: lp.Inputs) -> Callable[[str, lp.Origin], lp.SourceNode]:
    """Reads the text of files for `--set-file`."""

    def read(name: str, at: lp.Origin) -> lp.SourceNode:
        source = inputs.files.read(name)
        if source is None:
            try:
                source, _ = inputs.opened(name)
            except lp.InputError as error:
                raise lp.InputError(messages.NO_FILE.at(at, name=name)) if not inputs.in_memory else error from None
        positions = lpf.PositionMap(source.locate)
        positions.add(0, 0)
        return lp.SourceNode(source.data.decode("utf-8", "replace"), (), positions, 0, f"--set-file {source.name}")

    return read
