"""Reading YAML as Psych does: values of Ruby with the position of every node.

What differs from PyYAML: the meaning of plain scalars, symbols, and what `LocatedReading` says of anchors and merge
keys. Plainly written files are read by the fast reader; it knows none of these.
"""

from __future__ import annotations

import base64
import binascii
from typing import Any, Final, NoReturn

from lamina import plugin as lp
from lamina.dialects.hiera.psych_scalars import PSYCH, Symbol, TimeScalarError, plain
from lamina.dialects.hiera.ruby_text import hash_key
from lamina.plugin import formats as lpf

_YAML: Final = "tag:yaml.org,2002:"
_RUBY_FACTS: Final = "!ruby/object:Puppet::Node::Facts"
"""The one Ruby object that is taken, as a mapping: what Puppet's server stores the facts of a node as."""


def read(source: lp.Source, run: lp.Run) -> lp.LayerDocument:
    """The first document of a YAML file; an empty file holds null."""
    return lpf.read_as("psych", source, run, _read)


def _read(source: lp.Source, limits: lpf.Limits) -> lpf.Document:
    if b"<<" not in source.data:  # the fast reader takes a quoted merge key for a key
        found = lpf.read_plain_yaml(source, PSYCH, limits)
        if found and not found[0].notes:  # it takes 1 and true for the same key, and says so
            return found[0]
    return _PsychReading(source, limits).document()


def reject(code: str, message: str, at: lp.Origin | None, hint: str) -> NoReturn:
    """Stop with one finding on an input."""
    raise lp.InputError(lp.Diagnostic(code=code, message=message, at=at, hint=hint))


class _PsychReading(lpf.LocatedReading):
    """One traversal of the events of a file."""

    code = "parse"

    def document(self) -> lpf.Document:
        try:
            return super().document()
        except lp.InputError as error:
            if error.diagnostic.code != "invalid-yaml":
                raise
            finding = error.diagnostic
            reject("parse", f"invalid YAML: {finding.message}", finding.at, finding.hint or "correct the YAML here")

    def is_merge(self, event: Any, value: Any) -> bool:
        return bool(value == "<<")

    def scalar(self, event: Any, record: int) -> Any:
        tag, text = event.tag, event.value
        if event.implicit[1] or tag == "!":
            return text
        try:
            if tag is None or not tag.startswith(("!ruby", _YAML, "!binary", "!str", "!float")):
                return plain(text)
            return self._tagged(tag.removeprefix(_YAML).removeprefix("!"), text, record)
        except TimeScalarError:
            what = f"{text} is a date or time, and Puppet rejects files that contain one"
            reject("yaml-class", what, self.positions.origin(record), "quote it if it should be a string")
        except (ValueError, OverflowError):
            at = self.positions.origin(record)
            reject("parse", f"{text!r} is not a valid {tag}", at, "correct the value, or remove the tag")

    def _tagged(self, tag: str, text: str, record: int) -> Any:
        if tag == "str":
            return text
        if tag == "binary":
            try:
                return base64.b64decode(text).decode()
            except binascii.Error as error:
                raise ValueError from error
        if tag == "float":
            return float(plain(text))
        if tag.startswith("ruby"):
            self._reject_class(f"!{tag}", record)
        return plain(text)

    def _reject_class(self, tag: str, record: int) -> NoReturn:
        what = f"Puppet rejects files that contain {tag}"
        reject("yaml-class", what, self.positions.origin(record), "use a plain mapping, list or string without the tag")

    def check_collection(self, tag: str, record: int) -> None:
        kind = tag.replace(_YAML, "!")
        if (kind == "!set" or kind.startswith("!ruby")) and not (kind == _RUBY_FACTS and not self.stack):
            self._reject_class(tag, record)

    def sequence(self, done: lpf.OpenCollection) -> Any:
        return self._ordered(done) if done.tag.replace(_YAML, "!") == "!omap" else done.values

    def _ordered(self, done: lpf.OpenCollection) -> dict[Any, Any]:
        """A list of mappings with one entry each, as one mapping."""
        value: dict[Any, Any] = {}
        members: dict[Any, tuple[int, int]] = {}
        for item, record in zip(done.values, done.records, strict=True):
            at = self.positions.resolve(record)
            if isinstance(item, dict):
                value.update(item)
                members.update(self.positions.pairs(at, item))
        self.positions.members[done.index] = members
        return value

    def key(self, written: Any, there: dict[Any, Any], record: int) -> Any:
        return written.name if isinstance(written, Symbol) else hash_key(written, there)
