"""Reading YAML and JSON as Ansible does: JSON first, whatever a file is called, and with its three tags.

`!unsafe` marks text that is no template, `!vault` (once `!vault-encrypted`) text that is encrypted. In JSON the objects
`{"__ansible_unsafe": ...}` and `{"__ansible_vault": ...}` mean the same. The value is the text; the tag is kept with
its position.
"""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any, Final

from lamina import plugin as lp
from lamina.plugin import extensions as lpx
from lamina.plugin import formats as lpf

if TYPE_CHECKING:
    from collections.abc import Iterator

UNSAFE: Final = "!unsafe"
VAULTS: Final = ("!vault", "!vault-encrypted")
_TABLE: Final = replace(
    lpf.PYYAML,
    name="ansible",
    tags={UNSAFE: "any", "!vault": "string", "!vault-encrypted": "string"},
    merged_repeats=True,
)
_JSON_TAGS: Final = {"__ansible_unsafe": UNSAFE, "__ansible_vault": "!vault"}
_ENCRYPTED: Final = b"$ANSIBLE_VAULT"
_TEMPLATE: Final = ("{{", "{%", "{#")


def is_encrypted(source: lp.Source) -> bool:
    """Whether a whole file is encrypted."""
    return source.data.startswith(_ENCRYPTED)


def is_template(text: Any) -> bool:
    """Whether a value is a text in which Ansible sees a template."""
    return isinstance(text, str) and any(mark in text for mark in _TEMPLATE)


def read(source: lp.Source, run: lp.Run, *, quiet: bool = False) -> lp.LayerDocument:
    """The only document of a file; `quiet` says nothing of keys that stand twice."""
    if source.data.lstrip()[:1] == b"{":
        try:
            return lpf.read_as("ansible-json", source, run, _read_json)
        except lp.InputError as error:
            if error.diagnostic.code != "invalid-json":
                raise
    return (
        lpf.read_as("ansible, quiet", source, run, _read_quietly)
        if quiet
        else lpf.read_as("ansible", source, run, _read)
    )


def root(document: lp.LayerDocument, layer: str) -> lp.SourceNode:
    """The node of a document; what is encrypted in it is secret."""
    return document.root(layer, secret_keys=_encrypted_keys(document.document) or None)


def _read(source: lp.Source, limits: lpf.Limits) -> lpf.Document:
    return lpf.read_table_yaml(source, _TABLE, limits)


def _read_quietly(source: lp.Source, limits: lpf.Limits) -> lpf.Document:
    document = _read(source, limits)
    document.notes = []
    return document


def _read_json(source: lp.Source, limits: lpf.Limits) -> lpf.Document:
    document = lpf.read_python_json(source, limits)
    document.notes = []  # that a key stands twice is said of YAML only
    if b'"__ansible_' in source.data:
        document.value = _tagged(document.value, 0, document.positions)
    return document


def _tagged(value: Any, record: int, positions: lpf.PositionMap) -> Any:
    """A value of JSON with the objects that mean a tag in the place of their texts."""
    if isinstance(value, list):
        return [_tagged(each, positions.item(record, at), positions) for at, each in enumerate(value)]
    if not isinstance(value, dict):
        return value
    for name, tag in _JSON_TAGS.items():
        if isinstance(value.get(name), str):
            positions.tags[record] = tag
            return value[name]
    members = {key: positions.member(record, value, key)[1] for key in value}
    return {key: _tagged(each, members[key], positions) for key, each in value.items()}


def _encrypted_keys(document: lpf.Document) -> lpx.SecretKeys:
    """The members of a document that are encrypted."""
    if not any(tag in VAULTS for tag in document.positions.tags.values()):
        return {}
    found: dict[Any, Any] = document.derived.once("encrypted", lambda: dict(_encrypted(document.value, 0, document)))
    return found


def _encrypted(value: Any, record: int, document: lpf.Document) -> Iterator[tuple[Any, lpx.Secrecy | lpx.SecretKeys]]:
    positions = document.positions
    record = positions.resolve(record)
    if isinstance(value, dict):
        inside = [(key, each, positions.member(record, value, key)[1]) for key, each in value.items()]
    elif isinstance(value, list):
        inside = [(at, each, positions.item(record, at)) for at, each in enumerate(value)]
    else:
        return
    for key, each, at in inside:
        if isinstance(each, (dict, list)):
            if found := dict(_encrypted(each, at, document)):
                yield key, found
        elif positions.tag(positions.resolve(at)) in VAULTS:
            yield key, lpx.Secrecy.ENCRYPTED
