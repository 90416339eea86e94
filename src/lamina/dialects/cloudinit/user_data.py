"""User-data, from files to steps: unpack, select by launch index, handle."""

from __future__ import annotations

import re
from dataclasses import replace
from typing import TYPE_CHECKING, Any, Final

from lamina.dialects.cloudinit import messages
from lamina.dialects.cloudinit.content_types import JSON_PATCH
from lamina.dialects.cloudinit.part_handlers import Handling, select
from lamina.dialects.cloudinit.part_walker import Unpacking
from lamina.engine.node import LiteralNode
from lamina.engine.plan import Directive, From, Output, Stage, Start
from lamina.errors import UsageError

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence

    from lamina.dialects.cloudinit.boot.scripts import StoredScript
    from lamina.dialects.cloudinit.options import CloudInitOptions
    from lamina.engine.plan import Compiler
    from lamina.errors import Note
    from lamina.sources.inputs import Files, Inputs
    from lamina.sources.source import Source

OUTPUT: Final = "cloud-config"
_VENDOR: Final = re.compile(r"(?:^|[-_.])vendor[-_.]?(?:data)?[-_.]?(2)?(?:[-_.]|$)", re.IGNORECASE)


def compile_user_data(inputs: Inputs, options: CloudInitOptions) -> Compiler:
    """The inputs as files of user-data, one after the other."""
    user_data = UserDataFiles(inputs, options, _variables(options, inputs))
    output, notes = user_data.output(inputs.sources, OUTPUT, index=wanted_index(options))
    empty = [_empty(source) for source in inputs.sources if not source.data or source.data.isspace()]
    noted = (*notes, *empty, *_layers_as_parts(inputs.sources))
    yield Stage(title="user-data", outputs=(output,), notes=noted, facts=user_data.scripts)


def _empty(source: Source) -> Note:
    return messages.EMPTY_USER_DATA.at(source.locate(0, 0), subject=source.name, name=source.name)


def _variables(options: CloudInitOptions, inputs: Inputs) -> Mapping[str, Any] | None:
    if options.instance_data is None:
        return None
    from lamina.dialects.cloudinit.instance_data import read

    return read(options.instance_data, inputs)


class UserDataFiles:
    """Creates outputs from files, with the state that all of them share."""

    def __init__(
        self,
        inputs: Inputs,
        options: CloudInitOptions,
        variables: Any,
        files_of: Callable[[str], Files] | None = None,
    ) -> None:
        """`files_of` returns the files that a file may name, if it is not one of the inputs."""
        self._inputs = inputs
        self._files_of = files_of or inputs.files_of
        self._options = options
        self._variables = variables
        self.scripts: list[StoredScript] = []
        """The scripts and boot hooks among the parts of all outputs made so far."""

    def output(
        self,
        user_data: Iterable[Source],
        name: str,
        *,
        index: int | None = None,
        excluded: Collection[Any] = (),
        hidden: bool = False,
    ) -> tuple[Output, list[Note]]:
        """The output that merges the parts of the files, and the notes on them; a hidden one is a layer of several."""
        urls = _urls(self._options.urls)

        def fetch(url: str) -> Source:
            from lamina.dialects.cloudinit.includes import Fetcher

            return Fetcher(urls, self._inputs, files, allow_net=self._options.allow_net).fetch(url)

        unpacking = Unpacking(fetch, self._inputs.run)
        for source in user_data:
            files = self._files_of(source.name)
            unpacking.add_file(source)
        parts, left_out = select(unpacking.parts, index, self._inputs.run)
        patched = any(part.content_type == JSON_PATCH for part in parts)
        handling = Handling(self._options, self._variables, self._inputs.run, excluded, patched=patched)
        for part in parts:
            handling.part(replace(part, name=f"{name}/{part.name}") if hidden else part)
        self.scripts += handling.scripts
        first = start({} if handling.steps else None)
        output = Output(name=name, steps=(first, *handling.steps), hidden=hidden)
        return output, [*unpacking.notes, *left_out, *handling.notes]


def _urls(given: Any) -> Mapping[str, str]:
    """The files to read instead of fetching URLs."""
    if not given:
        return {}
    from lamina.dialects.cloudinit.includes import url_map

    return url_map(given)


def wanted_index(options: CloudInitOptions) -> int | None:
    """The launch index asked for, if any."""
    if options.launch_index is None:
        return None
    try:
        return int(options.launch_index)
    except (TypeError, ValueError):
        raise UsageError(messages.BAD_LAUNCH_INDEX.at(launch_index=options.launch_index)) from None


def start(value: object) -> Start:
    """The step an output begins with."""
    return Start(directive=Directive("the empty start"), take=From(source=LiteralNode(value, ())))


def _layers_as_parts(sources: Sequence[Source]) -> Iterator[Note]:
    """A warning if files are merged as parts of one user-data, but the name of one suggests another layer."""
    named = {source.name: option for source in sources if (option := _option_for(source.name))}
    if not named or len(sources) < 2:
        return
    others = [source.name for source in sources if source.name not in named]
    options = [
        f"{option} {name.rpartition('/')[0] if option == '--conf-d' else name}" for name, option in named.items()
    ]
    arguments = " ".join(dict.fromkeys([*options, *(f"--user-data {name}" for name in others[:1])]))
    verb = "is named like another layer" if len(named) == 1 else "are named like other layers"
    yield messages.LAYER_AS_PART.at(
        next(source for source in sources if source.name in named).locate(0, 0),
        count=len(sources),
        names=" and ".join(named),
        verb=verb,
        arguments=arguments,
    )


def _option_for(path: str) -> str | None:
    """The option for the layer that the name of a file suggests; None for user-data."""
    folder, _, name = path.rpartition("/")
    if name == "cloud.cfg":
        return "--cloud-cfg"
    if folder.endswith("cloud.cfg.d") and name.endswith(".cfg"):
        return "--conf-d"
    found = _VENDOR.search(name)
    return None if found is None else f"--vendor-data{found[1] or ''}"
