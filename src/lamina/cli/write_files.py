"""Results as files, one for each document or node; each is written whole or not at all."""

from __future__ import annotations

import os
import shutil
from contextlib import suppress
from pathlib import Path as FilePath
from typing import TYPE_CHECKING, Any

from lamina.cli.spinner import spinner
from lamina.errors import Diagnostic, UsageError
from lamina.fleet.file_names import file_stem

if TYPE_CHECKING:
    from collections.abc import Sequence


def as_line(name: str, value: Any) -> str:
    """A document or node as one line of JSON."""
    from lamina.sources.json.writer import dump

    return dump({"name": name, "value": value}, indent=None)


def write_files(documents: Sequence[tuple[str, Any]], folder: str, form: str, *, sort_keys: bool) -> int:
    """Write each document into the folder, under its name; give how many there were."""
    target = FilePath(folder)
    ending = "yaml" if form == "yaml" else "json"
    try:
        target.mkdir(parents=True, exist_ok=True)
        with spinner("writing", "file") as counting:
            for name, value in counting(documents):
                _write(target / f"{file_stem(name)}.{ending}", _text(value, form, sort_keys).encode("utf-8"))
    except OSError as error:
        raise unwritable(error, folder) from None
    return len(documents)


def write_file(path: str, data: str | bytes) -> None:
    """Write one file, whole or not at all; what is not a regular file, such as a pipe, is written into."""
    target = FilePath(path)
    text = data.encode("utf-8") if isinstance(data, str) else data
    try:
        if target.exists() and not target.is_file():
            target.write_bytes(text)
        else:
            _write(target, text)
    except OSError as error:
        raise unwritable(error, path) from None


def unwritable(error: OSError, target: str) -> UsageError:
    """The error that a file or folder cannot be written."""
    reason = (error.strerror or str(error)).lower()
    hint = (
        "create the folder first"
        if isinstance(error, FileNotFoundError)
        else "choose another file, or check its permissions"
    )
    message = f"{error.filename or target} cannot be written: {reason}"
    return UsageError(Diagnostic(code="unwritable-file", message=message, hint=hint))


def _text(value: Any, form: str, sort_keys: bool) -> str:
    if form == "yaml":
        from lamina.sources.yaml.writer import dump as dump_yaml

        return dump_yaml(value, sort_keys=sort_keys)
    from lamina.sources.json.writer import dump as dump_json

    return dump_json(value, sort_keys=sort_keys)


def _write(path: FilePath, data: bytes) -> None:
    """Write a file under another name and then give it its own; a link stays a link, and rights stay as they are."""
    target = path.resolve()
    temporary = target.with_name(f".{target.name}.{os.getpid()}")
    try:
        temporary.write_bytes(data)
        if target.exists():
            shutil.copymode(target, temporary)
        temporary.replace(target)
    except OSError as error:
        with suppress(OSError):
            temporary.unlink()
        raise OSError(error.errno, error.strerror, str(path)) from None
