"""Documents: what is between two `---`, with its metadata.

A document is a mapping of `schema`, `metadata` and `data`; what else it holds is carried along. It is known by schema,
layer and name while it is rendered, and by schema and name to those who substitute from it.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Final

from lamina._support.derived import Derived
from lamina.paths import child
from lamina.plugin import MISSING, Directive, LiteralNode, Output, SourceNode, walk
from lamina.plugin.extensions import Secrecy

if TYPE_CHECKING:
    from lamina.errors import Note
    from lamina.plugin import Node, Origin, Path, Source
    from lamina.plugin.formats import PositionMap
    from lamina.sources.document import Document as Read

POLICY = "deckhand/LayeringPolicy"
DATA_SCHEMA = "deckhand/DataSchema"
CONTROL = "metadata/Control"
_CERTIFICATES = ("Certificate", "CertificateKey", "CertificateAuthority", "CertificateAuthorityKey")
SECRETS = tuple(f"deckhand/{kind}/" for kind in ("Passphrase", "PrivateKey", "PublicKey", *_CERTIFICATES))
"""The schemas that Deckhand has for secrets."""

Meta = tuple[str, str, str]
_DATA: Final = ("data",)
_LAYERING: Final = ("metadata", "layeringDefinition")
SELECTOR: Final = (*_LAYERING, "parentSelector")
_LABELS: Final = ("metadata", "labels")


@dataclass(slots=True, kw_only=True, eq=False)
class DocumentOutput(Output):
    """The output of a document."""

    aside: str = ""
    """What people call a document that is not in the result: abstract, replaced."""


class WrittenDirective(Directive):
    """A directive that is written in a document: where, is looked up when somebody asks, which few ever do.

    It knows the document's value and positions rather than the document, which holds the steps made of it.
    """

    __slots__ = ("_positions", "_value", "path")
    path: Path
    """The path in the document."""
    _positions: PositionMap
    _value: dict[Any, Any]

    def __init__(self, text: str, positions: PositionMap, value: dict[Any, Any], path: Path) -> None:
        object.__setattr__(self, "text", text)
        object.__setattr__(self, "_positions", positions)
        object.__setattr__(self, "_value", value)
        object.__setattr__(self, "path", path)

    @property
    def origin(self) -> Origin:
        return _origin(self._positions, self._value, self.path)


def _origin(positions: PositionMap, value: Any, path: Path) -> Origin:
    """Where a part of a value was written, or as much of the way to it as there is."""
    index = 0
    for step in path:
        inner = child(value, step)
        if inner is MISSING:
            break
        index = positions.member(index, value, step)[1] if isinstance(value, dict) else positions.item(index, step)
        value = inner
    return positions.origin(index)


@dataclass(slots=True, eq=False)
class SiteDocument:
    """One document and the parts of it that decide how it is rendered; parts of the wrong type count as absent."""

    value: dict[Any, Any]
    positions: PositionMap
    source: Source
    notes: list[Note] = field(default_factory=list)
    plain_keys: bool = False
    """Whether all keys are known to be strings, as in JSON."""
    schema: str = field(init=False)
    name: str = field(init=False)
    layer: str = field(init=False)
    labels: dict[Any, Any] = field(init=False)
    selector: dict[Any, Any] = field(init=False)
    actions: list[Any] = field(init=False)
    substitutions: list[Any] = field(init=False)
    abstract: bool = field(init=False)
    replacement: bool = field(init=False)
    control: bool = field(init=False)
    encrypted: bool = field(init=False)
    title: str = field(init=False)
    meta: Meta = field(init=False)
    """Identifies the document while it is rendered."""
    key: tuple[str, str] = field(init=False)
    """Identifies it as a source of substitutions."""
    derived: Derived = field(default_factory=Derived, init=False, repr=False)
    """Values derived from the document, and from what is in their key."""
    passes: bool | None = field(default=None, init=False, repr=False)
    """Whether its form is known to be right (see `validation`); None if nobody asked."""
    follows_mode: bool | None = field(default=None, init=False, repr=False)
    """Whether the compatibility modes differ about its actions (see `actions`); None if nobody asked."""
    _relations: str | None = field(default=None, init=False, repr=False)
    _node: SourceNode | None = field(default=None, init=False, repr=False)
    _data: Node | None = field(default=None, init=False, repr=False)

    def __post_init__(self) -> None:
        metadata = _mapping(self.value.get("metadata"))
        layering = _mapping(metadata.get("layeringDefinition"))
        self.schema = _text(self.value.get("schema"))
        self.name = _text(metadata.get("name"))
        self.layer = _text(layering.get("layer"))
        self.labels = _mapping(metadata.get("labels"))
        self.selector = _mapping(layering.get("parentSelector"))
        self.actions = _sequence(layering.get("actions"))
        self.substitutions = _sequence(metadata.get("substitutions"))
        self.abstract = layering.get("abstract") is True
        self.replacement = metadata.get("replacement") is True
        self.control = _text(metadata.get("schema")).startswith(CONTROL)
        self.encrypted = metadata.get("storagePolicy") == "encrypted"
        self.title = f"{self.schema}/{self.name}" + (f" ({self.layer})" if self.layer else "")
        self.meta = self.schema, self.layer, self.name
        self.key = self.schema, self.name

    @property
    def metadata(self) -> dict[Any, Any]:
        """All of the metadata."""
        return _mapping(self.value.get("metadata"))

    @property
    def written_layer(self) -> Any:
        """The layer as it was written, which may be no string."""
        return _mapping(self.metadata.get("layeringDefinition")).get("layer")

    @property
    def misshapen(self) -> Path | None:
        """The first part that must be a mapping, since Deckhand looks into it, and is something else."""
        for path in (_LAYERING, SELECTOR, _LABELS) if self.layer else (_LAYERING, SELECTOR):
            value = walk(self.value, path)
            if value and value is not MISSING and not isinstance(value, dict):
                return path
        return None

    @property
    def node(self) -> SourceNode:
        if self._node is None:
            self._node = SourceNode(self.value, (), self.positions, 0, self.title)
        return self._node

    @property
    def data(self) -> Node:
        """The data as written; none counts as null, and it is secret in an encrypted document and in one whose schema
        is made for secrets, whatever its storagePolicy says."""
        if self._data is None:
            self._data = self._data_node()
        return self._data

    def _data_node(self) -> Node:
        if "data" not in self.value:
            return LiteralNode(None, _DATA)
        node = self.node  # which record of the positions is that of the data, few ever ask
        return SourceNode(self.value["data"], _DATA, self.positions, node, self.title, secret=self.secrecy)

    @property
    def secrecy(self) -> Secrecy:
        """How secret the data is."""
        if self.encrypted:
            return Secrecy.ENCRYPTED
        return Secrecy.WITHHELD if self.schema.startswith(SECRETS) else Secrecy.OPEN

    def relations(self) -> str:
        """All that its relations to other documents follow from, as text; none where aliases could make that
        endless."""
        if self._relations is None:
            value = self.value
            self._relations = "" if self.positions.aliases else repr((value.get("schema"), value.get("metadata")))
        return self._relations

    def origin(self, *path: Any) -> Origin:
        """The origin of a part of the document, or of the nearest existing parent."""
        return _origin(self.positions, self.value, path)

    def directive(self, text: str, path: Path = ()) -> Directive:
        """A part of the document that causes a step."""
        return WrittenDirective(text, self.positions, self.value, path)

    def key_origin(self, key: str) -> Origin | None:
        """Where a key at the top of the document was written."""
        return self.positions.origin(self.positions.member(0, self.value, key)[0]) if key in self.value else None


def action_path(number: int) -> Path:
    """Where an action is in a document."""
    return ("metadata", "layeringDefinition", "actions", number)


def substitution_path(number: int) -> Path:
    """Where a substitution is in a document."""
    return ("metadata", "substitutions", number)


def of(read: Read, source: Source) -> SiteDocument:
    """The document read from a source; its value must be a mapping."""
    return SiteDocument(read.value, read.positions, source, read.notes, plain_keys=read.only_json)


def _mapping(value: Any) -> dict[Any, Any]:
    return value if isinstance(value, dict) else {}


def _sequence(value: Any) -> list[Any]:
    return value if isinstance(value, list) else []


def _text(value: Any) -> str:
    return value if isinstance(value, str) else ""
