"""Substitution: values of one document inserted into another.

For each entry in order: what `src.path` selects first in the source's data (all of the data if that is not a mapping),
a part of it if there is a `src.pattern`, is put at each `dest`. This comes after the document's own actions, and in
abstract documents too. A source may be in any layer, but abstract documents are none.

no pattern            the value is put at every place selected; at `.` two mappings are united, the new keys winning
dest.pattern          the first selected text gets the value, as Python writes it, at every match; the outcome is put at
                      every place. A place that is missing or no text is rejected.
dest.recurse          every text below the first place, down to a depth, that literally contains the pattern. If the
                      place is a string it is as without `recurse`; if it is missing an empty mapping is made.

A value is copied one level deep only: containers inside it stay those of the source, and a later change of them, by
pattern or at a deeper destination, shows in the source and in all others that took them. `src.deepcopy` prevents that.

Nothing and null at `src.path` are rejected; so is a source that is not there. With `fail_on_missing_sub_src: false` the
first puts null (or the text None) and the second is skipped, and any other failure is skipped too, leaving behind what
was made on the way below the outermost mapping. See Substitution in docs/reference/deckhand.md;
golden cases in substitution.json.
"""

from __future__ import annotations

from collections.abc import Hashable
from functools import cached_property
from typing import TYPE_CHECKING, Any, Final

from lamina._support import suggestions
from lamina._support.safe_regex import Pattern
from lamina.dialects.deckhand import messages
from lamina.dialects.deckhand.actions import DATA, REPLACE, FaultMessages
from lamina.dialects.deckhand.document import substitution_path
from lamina.dialects.deckhand.jsonpath import path as jsonpath
from lamina.dialects.deckhand.secret_catalogs import SECRETS, listed_in_catalogs
from lamina.dialects.deckhand.steps import Probe, SelectedFrom, Spread
from lamina.dialects.deckhand.substitute_string import Splice, StringsWith, extract
from lamina.engine.operators.whole import RejectPair as Unfit
from lamina.plugin import (
    ALL,
    MAPS,
    NULL,
    TAKE,
    Cases,
    Diagnostic,
    Directive,
    Fail,
    From,
    LiteralNode,
    Message,
    OnFault,
    OutputRef,
    Policy,
    Union,
    Unknown,
    word_for,
)
from lamina.values import EMPTY_LIST, EMPTY_MAP, EMPTY_TEXT, FALSE, ZERO

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping

    from lamina.dialects.deckhand.document import SiteDocument
    from lamina.dialects.deckhand.jsonpath.selector import Selector
    from lamina.engine.plan import AnyStep
    from lamina.plugin import Origin, Path

_WORDS: Final = ("document", "source", "src", "dest")
"""What the messages for the faults of a substitution are filled in with."""
_FALSY = (NULL, FALSE, ZERO, EMPTY_TEXT, EMPTY_LIST, EMPTY_MAP)

AT_TOP: Final = Policy(
    Cases(
        (MAPS, MAPS, Union(Cases.everywhere(TAKE))),
        # Data that is empty afterwards counts as not substituted.
        (ALL, _FALSY, Unfit("nothing-left")),
        (ALL, ALL, TAKE),
    ),
    "substitute",
)
"""At `.`: top-level keys are updated, anything else replaces the data."""


_SUGGESTED: Final = 30
"""For how many missing sources a similar one is looked for, which takes as long as there are documents."""


class Substituting:
    """Converts the substitutions of documents to steps."""

    def __init__(
        self,
        sources: Mapping[tuple[str, str], SiteDocument],
        *,
        tolerant: bool,
        strict: bool = True,
        documents: Iterable[SiteDocument] = (),
    ) -> None:
        """`documents` are those among which catalogs are looked for if a source is missing; if one lists it, what is
        taken from it is unknown, unless the substitutions are `tolerant` or `strict`."""
        self._sources = sources
        self._documents = documents
        self.tolerant = tolerant
        self._strict = strict
        self._suggestions: dict[tuple[str, str], str] = {}
        """What may be meant by sources that are missing; many documents may lack the same one."""

    @cached_property
    def _catalogs(self) -> dict[tuple[str, str], tuple[SiteDocument, Path]]:
        return listed_in_catalogs(self._documents)

    def source_of(self, substitution: Any) -> SiteDocument | None:
        """The document a substitution takes from."""
        source = substitution.get("src") if isinstance(substitution, dict) else None
        if not isinstance(source, dict):
            return None
        schema, name = source.get("schema"), source.get("name")
        return self._sources.get((schema, name)) if isinstance(schema, str) and isinstance(name, str) else None

    def steps(self, document: SiteDocument) -> Iterator[AnyStep]:
        """The steps of a document's substitutions."""
        for number, substitution in enumerate(document.substitutions):
            source = self.source_of(substitution)
            entry = _SubstitutionEntry(document, number, substitution, source, self.tolerant)
            if source is None and well_formed(substitution):
                src = substitution["src"]
                catalog = self._catalogs.get((src["schema"], src["name"]))
                suggestion = "" if catalog else self._hint(src)
                is_elsewhere = bool(self._catalogs) and src["schema"] in SECRETS
                if (catalog is not None or is_elsewhere) and not self.tolerant and not self._strict:
                    yield from entry.generated(src, catalog, suggestion)
                    continue
                yield entry.missing_source(src, catalog, suggestion)
            else:
                yield from entry.steps()

    def _hint(self, src: Mapping[str, Any]) -> str:
        key = src["schema"], src["name"]
        if key not in self._suggestions:
            self._suggestions[key] = self._suggested(*key) if len(self._suggestions) < _SUGGESTED else ""
        return self._suggestions[key]

    def _suggested(self, schema: str, name: str) -> str:
        """A source of the same schema with a similar name, or of a similar schema with the same name."""
        near = suggestions.nearest(name, (other for kind, other in self._sources if kind == schema))
        if near is not None:
            return f"did you mean {schema}/{near}? "
        kind = suggestions.nearest(schema, (kind for kind, other in self._sources if other == name))
        return f"did you mean {kind}/{name}? " if kind is not None else ""


class _SubstitutionEntry:
    """One entry of a document's substitutions."""

    def __init__(
        self, document: SiteDocument, number: int, value: Any, source: SiteDocument | None, tolerant: bool
    ) -> None:
        self.document = document
        self.path = substitution_path(number)
        self.value = value
        self.source = source
        self.on_fault = OnFault.ALLOW if tolerant else OnFault.STOP
        self.tolerant = tolerant

    def steps(self) -> Iterator[AnyStep]:
        if not well_formed(self.value):
            yield self.rejected(messages.SUBSTITUTION_WITHOUT_DEST, self.path)
            return
        assert self.source is not None
        src = self.value["src"]
        try:
            take = self.take(src, self.source)
        except jsonpath.BadPath as bad:
            yield self.rejected(messages.BAD_DOCUMENT_PATH, (*self.path, "src", "path"), problem=str(bad))
            return
        yield from self._put_all(take, src, self.source.title)

    def generated(
        self, src: Mapping[str, Any], catalog: tuple[SiteDocument, Path] | None, suggestion: str
    ) -> Iterator[AnyStep]:
        """The steps of an entry whose source is a secret that is yet to be generated, or is kept elsewhere: what it
        takes is unknown."""
        title = f"{src['schema']}/{src['name']}"
        if catalog is None:
            reason, holder = f"{title} is not among the documents", self.document
            place: Path = (*self.path, "src")
            hint = f"{suggestion}add the document, or correct src.name; secrets are often kept elsewhere"
        else:
            holder, place = catalog
            reason = f"{title} is generated, as {holder.title} lists it, and is not among the documents"
            hint = "add the generated file"
        unknown = LiteralNode(Unknown(reason, holder.origin(*place), hint=hint), ())
        yield from self._put_all(From(source=unknown, layer=holder.title), src, title)

    def _put_all(self, take: From, src: Mapping[str, Any], title: str) -> Iterator[AnyStep]:
        several = isinstance(self.value["dest"], list)
        for number, dest in enumerate(self.value["dest"] if several else [self.value["dest"]]):
            yield from self.put(take, src, title, dest, (*self.path, "dest", *((number,) if several else ())))

    def take(self, src: Mapping[str, Any], source: SiteDocument) -> SelectedFrom:
        pattern = src.get("pattern")
        return SelectedFrom(
            source=OutputRef(source.title),
            path=DATA,
            select=jsonpath.of_source(src["path"]),
            whole_unless_mapping=True,
            needed=not self.tolerant,
            cast=extract(Pattern(pattern), src.get("match_group", 0)) if pattern else None,
            shared=not src.get("deepcopy"),
            layer=source.title,
        )

    def put(
        self, take: From, src: Mapping[str, Any], title: str, dest: Mapping[str, Any], path: tuple[Any, ...]
    ) -> Iterator[AnyStep]:
        words = f"substitution of {src['path']} of {title} into {dest['path']}"
        common: dict[str, Any] = {
            "directive": self.document.directive(words, path),
            "take": take,
            "subject": self.document.title,
            "verb": "substituted",
            "on_fault": self.on_fault,
            "faults": FaultMessages(FAULTS, _WORDS, self.document.title, title, src["path"], dest["path"]),
        }
        try:
            select = jsonpath.of_destination(dest["path"])
        except jsonpath.BadPath as bad:
            # The source is read first, and has its own faults.
            yield Probe(**common)
            yield self.rejected(messages.UNKNOWN_SUBSTITUTION_ERROR, path, soft=True, problem=str(bad))
            return
        pattern = dest.get("pattern")
        each = _each(pattern, dest.get("recurse"), select.whole)
        yield Spread(**common, path=DATA, policy=_policy(select, pattern), select=select, each=each, create=True)

    def missing_source(
        self, src: Mapping[str, Any], catalog: tuple[SiteDocument, Path] | None, suggestion: str
    ) -> Fail:
        """The step of an entry whose source is not there: it is yet to be generated if a catalog lists it."""
        hint = f"{suggestion}add the document, or correct src.schema and src.name; abstract documents cannot be sources"
        related: tuple[tuple[str, Origin], ...] = ()
        if catalog is not None:
            listing, place = catalog
            related = ((f"{listing.title} lists it", listing.origin(*place)),)
            hint = "it is generated from that catalog: add the generated file, or render with --allow-missing-sources"
        return self.rejected(
            messages.SUBSTITUTION_SOURCE_NOT_FOUND,
            (*self.path, "src"),
            soft=True,
            related=related,
            schema=src["schema"],
            name=src["name"],
            hint=hint,
        )

    def rejected(
        self,
        message: Message,
        path: tuple[Any, ...],
        *,
        soft: bool = False,
        related: tuple[tuple[str, Origin], ...] = (),
        **words: Any,
    ) -> Fail:
        finding = message.at(self.document.origin(*path), subject=self.document.title, related=related, **words)
        return Fail(
            directive=Directive("substitution", finding.at),
            finding=finding,
            subject=self.document.title,
            on_fault=self.on_fault if soft else OnFault.STOP,
        )


def unaddressed(document: SiteDocument) -> Iterator[Diagnostic]:
    """Errors in substitutions that are not executed, but whose sources Deckhand looks up anyway."""
    listed = document.substitutions
    raw = document.metadata.get("substitutions", [])
    if raw is not listed and (raw or raw is None or isinstance(raw, int)):
        yield _unusable(document, messages.SUBSTITUTIONS_NOT_A_LIST, (), found=word_for(raw))
    for number, substitution in enumerate(listed if document.control else ()):
        if not _addressed(substitution):
            yield _unusable(document, messages.SUBSTITUTION_WITHOUT_SOURCE, (number,))


def _addressed(substitution: Any) -> bool:
    src = substitution.get("src") if isinstance(substitution, dict) else None
    return isinstance(src, dict) and all(isinstance(src.get(key, []), Hashable) for key in ("schema", "name"))


def _unusable(document: SiteDocument, message: Message, path: tuple[Any, ...], **words: Any) -> Diagnostic:
    return message.at(document.origin("metadata", "substitutions", *path), subject=document.title, **words)


def well_formed(substitution: Any) -> bool:
    """Whether a substitution has all the parts it needs, of the kinds they must be."""
    if not (isinstance(substitution, dict) and isinstance(substitution.get("src"), dict)):
        return False
    src, dest = substitution["src"], substitution.get("dest")
    return (
        all(isinstance(src.get(key), str) for key in ("schema", "name", "path"))
        and isinstance(src.get("pattern", ""), str)
        and type(src.get("match_group", 0)) is int
        and isinstance(dest, (dict, list))
        and all(_well_formed_dest(one) for one in (dest if isinstance(dest, list) else [dest]))
    )


def _well_formed_dest(dest: Any) -> bool:
    if not (isinstance(dest, dict) and isinstance(dest.get("path"), str) and isinstance(dest.get("pattern", ""), str)):
        return False
    recurse = dest.get("recurse", {})
    return isinstance(recurse, dict) and type(recurse.get("depth", -1)) is int


def _policy(select: Selector, pattern: str | None) -> Policy:
    if pattern:
        return _splicing(pattern, select.whole)
    return AT_TOP if select.whole else REPLACE


def _splicing(pattern: str, at_top: bool) -> Policy:
    return Policy(Cases.everywhere(Splice(Pattern(pattern), reject_empty=at_top)), f"pattern {pattern}")


def _each(pattern: str | None, recurse: Mapping[str, Any] | None, at_top: bool) -> StringsWith | None:
    return StringsWith(pattern, recurse.get("depth", -1), reject_empty=at_top) if pattern and recurse else None


_INTO = "cannot substitute <src> of <source> into <dest> of <document>"
_UNKNOWN = "unknown-substitution-error"
FAULTS: Final[Mapping[str, Message]] = {
    "nothing-to-take": Message(
        code="substitution-source-data-not-found",
        message=f"{_INTO}: the source has no value there",
        hint="add the value to the source, or correct src.path; null does not count as a value",
        at_directive=True,
    ),
    "no-such-source": Message(
        code="unreachable-path",
        message=f"{_INTO}: the source has {{new_kind}} on that path, which {{detail}}",
        hint="paths go through mappings by key and through lists by index",
        at_directive=True,
    ),
    "no-such-place": Message(
        code=_UNKNOWN,
        message=f"{_INTO}: {{path}} is {{old_kind}}, which {{detail}}",
        hint="missing parts of a path are created only if they are plain keys and indexes",
        at_directive=True,
    ),
    "no-text": Message(
        code=_UNKNOWN,
        message=f"{_INTO}: dest.pattern needs a string at {{path}}, not {{old_kind}}",
        hint="put a string that contains the pattern at dest.path",
        at_directive=True,
    ),
    "bad-pattern": Message(
        code=_UNKNOWN,
        message=f"{_INTO}: {{detail}}",
        hint="patterns are Python regular expressions; escape literal brackets with a backslash",
        at_directive=True,
    ),
    "bad-cast": Message(
        code=_UNKNOWN,
        message=f"{_INTO}: {{detail}}",
        hint="src.match_group is the number of a group in src.pattern; 0 is the whole match",
        at_directive=True,
    ),
    "nothing-left": Message(
        code=_UNKNOWN,
        message=f"{_INTO}: the data would be empty, which Deckhand treats as a failure",
        hint="substitute into a key of the data instead",
        at_directive=True,
    ),
    "endless": Message(
        code="cyclic-data",
        message=f"{_INTO}: the data would contain itself",
        hint="add `deepcopy: true` to src",
        at_directive=True,
    ),
}
