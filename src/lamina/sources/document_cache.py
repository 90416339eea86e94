"""The document cache: documents by their content, so that nothing is parsed twice in one session.

Documents are shared between callers and must never be changed.
"""

from __future__ import annotations

from functools import cache
from typing import TYPE_CHECKING, Any, TypeVar

from lamina.budget import READ, BudgetExceeded
from lamina.errors import Diagnostic, InputError, MergeError
from lamina.sources.document import Document
from lamina.sources.limits import LIMITS
from lamina.sources.source import Source

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from lamina.run import Run
    from lamina.sources.limits import Limits
    from lamina.sources.yaml.scalars import ScalarTable

Read = TypeVar("Read")

_DOCUMENT = 1024
"""The approximate cost of a cached document besides its content, in bytes."""
_NODE = 192
"""The cost of a node besides its text: measured, from 50 in lists of numbers to 195."""


def cached_read(
    how: str, source: Source, run: Run, read: Callable[[Source, Limits], Read], weigh: Callable[[Read], int]
) -> Read:
    """The content of a source, read at most once per run and cached in its session; errors are cached too.

    `weigh` returns the size of the result in bytes, besides the source itself.
    """
    key = source.key_for(how)
    found: Any = run.find(key)
    if found is None:
        weight = _DOCUMENT + 2 * len(source.data)
        try:
            found = read(source, limits_of(run))
            weight += weigh(found)
        except InputError as error:
            found = InputError.of(error.diagnostics)
        run.keep(key, found, weight)
    if isinstance(found, InputError):
        raise InputError.of(found.diagnostics)
    _charge(run, found, source)
    document: Read = found
    return document


def limits_of(run: Run) -> Limits:
    """The limits of reading in a run."""
    return run.session.limits or LIMITS


def file_of(key: Any) -> str | None:
    """The name of the file that a cached document was read from, by its key in a session; None for other keys."""
    match key:
        case (str(), str(name), bytes()):
            return name
        case (str(), Source(name=name)):
            return name
    return None


def _charge(run: Run, found: Any, source: Source) -> None:
    """Count what was read against the budget of the run it is read for."""
    try:
        run.spend(read=found.node_count if type(found) is Document else _nodes(found))
    except BudgetExceeded as spent:
        # Not an InputError, which a dialect may skip: the run ends here.
        raise MergeError(
            Diagnostic(
                code="input-too-large",
                message=f"all inputs together take more than {spent.what} of memory, which is Lamina's limit",
                at=source.locate(0, 0),
                hint="render fewer files at a time",
            )
        ) from None


def _nodes(found: Any) -> int:
    """The number of nodes of several documents; a collection counts twice."""
    documents = found if isinstance(found, list) else ()
    return sum([each.node_count for each in documents if isinstance(each, Document)])


def weight_of(document: Document) -> int:
    """The approximate size of a document in bytes, besides its source."""
    return _NODE * document.positions.record_count


def _weight_of_all(documents: list[Document]) -> int:
    return sum(map(weight_of, documents))


def yaml_document(source: Source, run: Run) -> Document:
    """The one YAML document of a source, read as PyYAML's safe loader reads it."""
    return cached_read("yaml", source, run, _read_yaml, weight_of)


def yaml_document_of_each(sources: Sequence[Source], run: Run) -> list[Document]:
    """The one YAML document of each source; those of a fleet's node, up to its own, were mostly read before."""
    found = run.find_all([source.key_for("yaml") for source in sources])
    nodes, known = 0, len(found)
    for at, each in enumerate(found):
        if type(each) is not Document:
            known = at
            break
        nodes += each.node_count
    if not _charged_together(nodes, run):
        known = 0  # one after the other, up to the one that is too much
    return found if known == len(found) else [*found[:known], *(yaml_document(each, run) for each in sources[known:])]


def _charged_together(nodes: int, run: Run) -> bool:
    """Count the nodes of several documents against the budget of the run; whether it allows all of them."""
    if run.budget is not None and not run.budget.allows(0, nodes * READ):
        return False
    run.spend(read=nodes)
    return True


def _read_yaml(source: Source, limits: Limits) -> Document:
    from lamina.sources.yaml.reader import read_one

    return read_one(source, limits=limits)


def lenient_yaml_document(source: Source, run: Run, *, keep_tags: bool, anchors_again: bool) -> Document:
    """The one YAML document of a source, in which values may have tags of other programs (`keep_tags`), or an anchor
    may be defined again."""
    try:
        return yaml_document(source, run)
    except InputError as error:
        is_other = (keep_tags and b"!" in source.data) or (anchors_again and b"&" in source.data)
        if error.diagnostic.code != "invalid-yaml" or not is_other:
            raise
    from lamina.sources.yaml import scalars

    with_anchors = scalars.PYYAML_ANCHORS_AND_TAGS if keep_tags else scalars.PYYAML_ANCHORS_AGAIN
    table = with_anchors if anchors_again else scalars.PYYAML_KEEPING_TAGS

    def read(source: Source, limits: Limits) -> Document:
        from lamina.sources.yaml.reader import read_one

        return read_one(source, table, limits=limits)

    return cached_read(table.name, source, run, read, weight_of)


def json_document(source: Source, run: Run) -> Document:
    """The JSON value of a source."""
    return cached_read("json", source, run, _read_json, weight_of)


def _read_json(source: Source, limits: Limits) -> Document:
    from lamina.sources.json.reader import read_json

    return read_json(source, limits)


def toml_document(source: Source, run: Run) -> Document:
    """The table of a TOML file."""
    return cached_read("toml", source, run, _read_toml, weight_of)


def _read_toml(source: Source, limits: Limits) -> Document:
    from lamina.sources.toml.document import toml_document

    limits.check_size(source)
    return toml_document(source)


def yaml_document_text_dates(source: Source, run: Run) -> Document:
    """The one YAML document of a source, as libyaml reads it and with dates as text.

    What libyaml rejects is read again as PyYAML's safe loader reads it, dates included: it accepts more, and its error
    messages are better.
    """
    return cached_read("yaml-text-dates", source, run, _read_yaml_text_dates, weight_of)


@cache
def _text_dates() -> tuple[Callable[..., Document], ScalarTable]:
    """The reader and its table; importing them for each of many files takes longer than finding them here."""
    from lamina.sources.yaml.reader import read_one
    from lamina.sources.yaml.scalars import PYYAML_TEXT_DATES

    return read_one, PYYAML_TEXT_DATES


def _read_yaml_text_dates(source: Source, limits: Limits) -> Document:
    read_one, table = _text_dates()
    try:
        return read_one(source, table, "c", limits)
    except InputError as error:
        if error.diagnostic.code != "invalid-yaml":
            raise
        return read_one(source, limits=limits)


def yaml_documents(source: Source, run: Run) -> list[Document]:
    """All YAML documents of a source, read as PyYAML's safe loader reads them with libyaml."""
    return cached_read("yaml-all", source, run, _read_all_yaml, _weight_of_all)


def known_yaml_documents(sources: Sequence[Source], run: Run) -> list[list[Document]] | None:
    """What `yaml_documents` returns for each source, if all of them were read before; None if any has to be read."""
    found = run.find_all([source.key_for("yaml-all") for source in sources])
    nodes = 0
    for each in found:
        if type(each) is not list:
            return None
        for document in each:
            nodes += document.node_count
    return found if _charged_together(nodes, run) else None


def _read_all_yaml(source: Source, limits: Limits) -> list[Document]:
    from lamina.sources.yaml.reader import read

    return read(source, loader="c", limits=limits)


def decode(source: Source) -> str:
    """The start of a source as text, undecodable bytes replaced."""
    return source.data[:4096].decode("utf-8", "replace")
