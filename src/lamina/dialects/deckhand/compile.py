"""From documents to a plan.

documents    the errors of the set itself: documents that violate the schemas, layers that do not exist, parents that
             cannot be chosen, replacements against the rules, cycles. Each is an output that is rejected, in the order
             the real engine would have met it; what needs it gets that error, and everything else goes on.
rendering    one output per document, in the order the engine renders them: the document as written, its parent's data,
             its actions, its substitutions
validation   if selected, the violations of the rendered documents
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from lamina.dialects.deckhand import actions, layering_policy, messages, validation
from lamina.dialects.deckhand.document import DocumentOutput
from lamina.dialects.deckhand.layering_policy import LayerOrder
from lamina.dialects.deckhand.load_documents import documents as collect
from lamina.dialects.deckhand.parents import Labels, ParentChoice, choose, unhashable_labels
from lamina.dialects.deckhand.render_order import NeedsGraph
from lamina.dialects.deckhand.replacement import Replacements, replacements
from lamina.dialects.deckhand.select_documents import arrange
from lamina.dialects.deckhand.site_shape import SiteShape, cache_shape, cached_shape, shape_key
from lamina.dialects.deckhand.substitution import Substituting, unaddressed
from lamina.engine.secrecy import is_secret
from lamina.plugin import (
    Diagnostic,
    Directive,
    Fail,
    From,
    MergeError,
    Output,
    ResultSpec,
    Stage,
    Start,
    show,
    walk,
    word_for,
)

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    from lamina.dialects.deckhand.document import SiteDocument
    from lamina.dialects.deckhand.options import DeckhandOptions
    from lamina.engine.plan import AnyStep, Results
    from lamina.errors import Note
    from lamina.plugin import Compiler, Inputs, Node, Path, Run


@dataclass(slots=True, eq=False)
class Site:
    """A set of documents and everything that follows from their metadata."""

    documents: list[SiteDocument]
    """Each schema, layer and name once."""
    layers: LayerOrder
    labels: Labels
    choices: dict[int, ParentChoice]
    replacements: Replacements
    sources: dict[tuple[str, str], SiteDocument]
    order: list[SiteDocument]
    faults: list[tuple[SiteDocument, Diagnostic]] = field(default_factory=list)
    """The documents that cannot be rendered, in the order the real engine would find them."""
    notes: list[Note] = field(default_factory=list)

    def parent(self, document: SiteDocument) -> SiteDocument | None:
        """The document one is layered on."""
        choice = self.choices.get(id(document))
        return choice.parent if choice else None

    def ancestor(self, document: SiteDocument) -> SiteDocument | None:
        """The document that must be rendered before another can be layered: its parent, or the parent's replacement."""
        parent = self.parent(document)
        if parent is None:
            return None
        replacing = self.replacements.replacement_of(parent)
        return parent if replacing is document else replacing

    def source(self, substitution: Any) -> SiteDocument | None:
        """The document a substitution takes from."""
        return Substituting(self.sources, tolerant=False).source_of(substitution)


def compile_inputs(inputs: Inputs, options: DeckhandOptions) -> Compiler:
    """The plan for the inputs."""
    # The documents are read when the plan is compiled.
    yield from compile_documents(lambda: collect(inputs), options, inputs.run)


def compile_documents(documents: Callable[[], Sequence[SiteDocument]], options: DeckhandOptions, run: Run) -> Compiler:
    """The plan for documents, wherever they come from."""
    yield result_spec(options)
    site = site_of_documents(documents(), options, run)
    yield _rejected_documents(site)
    outputs = tuple(_outputs(site, options))
    results = yield Stage(title="rendering", outputs=outputs, facts=site)
    if options.post_validate:
        yield _checked(site, results, options)


def result_spec(options: DeckhandOptions) -> ResultSpec:
    """All documents, or the one asked for."""
    return ResultSpec(
        shape="list" if options.document is None else "one",
        noun="document",
        order=lambda outputs: arrange(outputs, options),
        partial=options.keep_going,
        secrets="redact" if options.redact else "show" if options.cleartext_secrets else "hide",
    )


def site_of_documents(documents: Sequence[SiteDocument], options: DeckhandOptions, run: Run) -> Site:
    """What follows from the metadata of a set of documents."""
    errors = []
    if options.validate != "off":
        errors = validation.before(documents, documented=options.documented)
    rejected = [pair for pair in errors if options.validate == "reject" or not _usable(pair[0])]
    if options.validate == "off":
        rejected += [(one, fault) for one in documents if (fault := _unusable(one)) is not None]
    notes = [finding for _, finding in errors if options.validate == "report"]
    try:
        order = layering_policy.layers_of(documents, validated=options.validate != "off")
    except MergeError as error:
        raise MergeError.of([*(finding for _, finding in rejected), *error.diagnostics]) from None
    notes += layering_policy.notes(order, documents)
    notes += [note for document in documents if document.notes for note in document.notes]
    key = None if rejected else shape_key(documents, order.order, options.documented)
    shape = cached_shape(run, key, documents)
    if shape is not None:
        site = _site_of_shape(documents, order, shape, notes)
    else:
        site = _related(documents, order, rejected, notes, options)
        cache_shape(run, key, _shape(site, documents))
    return site


def _shape(site: Site, documents: Sequence[SiteDocument]) -> SiteShape | None:
    """The relations of a site by position; None if there are errors or repeated documents."""
    if site.faults or len(site.documents) < len(documents):
        return None
    at = {id(document): number for number, document in enumerate(documents)}
    choices = [
        (at[key], tuple(at[id(one)] for one in choice.candidates), at[id(choice.parent)] if choice.parent else None)
        for key, choice in site.choices.items()
    ]
    replaced = tuple((at[key], at[id(by)]) for key, by in site.replacements.by.items())
    order = tuple(at[id(document)] for document in site.order)
    return SiteShape(tuple(choices), replaced, order, site.layers.order)


def _site_of_shape(documents: Sequence[SiteDocument], order: LayerOrder, shape: SiteShape, notes: list[Note]) -> Site:
    """A site whose relations are known."""
    replaced = Replacements({id(documents[one]): documents[other] for one, other in shape.replaced})
    return Site(
        list(documents),
        LayerOrder(order.policy, shape.layers),
        Labels(documents),
        shape.choices_in(documents),
        replaced,
        _sources(documents, replaced),
        [documents[at] for at in shape.order],
        notes=notes,
    )


def _related(
    documents: Sequence[SiteDocument],
    order: LayerOrder,
    rejected: list[tuple[SiteDocument, Diagnostic]],
    notes: list[Note],
    options: DeckhandOptions,
) -> Site:
    known = {id(document) for document, _ in rejected}
    bad = [
        (one, layering_policy.unknown_layer(one, order))
        for one in documents
        if one.written_layer and not order.lists(one.written_layer) and (one.layer or id(one) not in known)
    ]
    used = layering_policy.used(order, documents)
    labels = Labels(documents)
    choices = choose(documents, used, labels, documented=options.documented)
    first = {document.meta: document for document in reversed(documents)}
    firsts = list(first.values())[::-1]
    for choice in choices.values() if len(firsts) < len(documents) else ():
        # Of documents with the same schema, layer and name the first is the parent, whichever was selected.
        choice.parent = first[choice.parent.meta] if choice.parent is not None else None
    parents = {key: choice.parent for key, choice in choices.items() if choice.parent is not None}
    replaced = replacements(firsts, parents)
    site = Site(firsts, used, labels, choices, replaced, _sources(firsts, replaced), [], notes=notes)
    site.faults = [*rejected, *bad, *unhashable_labels(documents), *_choice_faults(choices), *replaced.faults]
    site.faults += [(one, fault) for one in firsts if id(one) not in known for fault in unaddressed(one)]
    _arrange(site)
    return site


def _usable(document: SiteDocument) -> bool:
    named = bool(document.schema and document.name) and document.schema.count("/") >= 2
    return named and document.misshapen is None and bool(document.layer or not document.written_layer)


def _named(document: SiteDocument) -> bool:
    """Whether schema and name are strings: all that is needed if nothing is validated."""
    metadata = document.metadata
    return (
        isinstance(document.value.get("schema"), str)
        and isinstance(metadata.get("name"), str)
        and isinstance(metadata.get("schema", ""), str)
    )


def _unusable(document: SiteDocument) -> Diagnostic | None:
    """Why a document that nobody validates cannot be used all the same."""
    if not _named(document):
        return messages.DOCUMENT_WITHOUT_NAME.at(document.origin(), subject=document.title)
    path = document.misshapen
    if path is None:
        return None
    found = word_for(walk(document.value, path))
    return messages.PART_NOT_A_MAPPING.at(document.origin(*path), subject=document.title, part=show(path), found=found)


def _choice_faults(choices: dict[int, ParentChoice]) -> list[tuple[SiteDocument, Diagnostic]]:
    """The errors of choices; an invalid candidate is reported before ambiguous ones."""
    found = [(choice.document, choice.fault) for choice in choices.values() if choice.fault is not None]
    return sorted(found, key=lambda pair: pair[1].code != "invalid-document-parent")


def _sources(documents: Sequence[SiteDocument], replaced: Replacements) -> dict[tuple[str, str], SiteDocument]:
    """The sources of substitutions: concrete documents by schema and name, or their replacements; the last one wins."""
    by = replaced.by
    return {each.key: by.get(id(each), each) for each in documents if not each.abstract}


def _arrange(site: Site) -> None:
    """Find the order to render in, and what cannot be ordered."""
    graph = NeedsGraph()
    known = {id(document): document for document in site.documents}
    for document in site.documents:
        ancestor = site.ancestor(document)
        if ancestor is not None:
            graph.add(id(document), id(ancestor))
        for substitution in document.substitutions:
            source = site.source(substitution)
            if source is not None:
                graph.add(id(document), id(source))
    cycles = graph.cycles()
    cyclic = {node for cycle in cycles for node in cycle}
    for cycle in cycles:
        titles = " → ".join(known[node].title for node in (*cycle, cycle[0]))
        for document in (known[node] for node in cycle):
            at = document.origin("metadata", "substitutions")
            fault = messages.SUBSTITUTION_DEPENDENCY_CYCLE.at(at, subject=document.title, titles=titles)
            site.faults.append((document, fault))
    ordered = [known[node] for node in graph.without(cyclic).order()]
    done = {id(document) for document in ordered}
    site.order = [*ordered, *(document for document in site.documents if id(document) not in done)]


def _rejected_documents(site: Site) -> Stage:
    outputs: dict[str, Output] = {}
    for document, finding in site.faults:
        name, number = document.title, 1
        while name in outputs:
            number += 1
            name = f"{document.title} #{number}"
        step = Fail(directive=Directive("refused", finding.at), finding=finding, subject=document.title)
        outputs[name] = Output(name=name, steps=(step,))
    return Stage(
        title="documents",
        outputs=tuple(outputs.values()),
        notes=tuple(site.notes),
    )


def _outputs(site: Site, options: DeckhandOptions) -> Iterator[Output]:
    """The outputs of all documents that can be rendered, in order."""
    rejected = {document.title for document, _ in site.faults}
    substituting = Substituting(
        site.sources, tolerant=options.tolerant, strict=options.strict, documents=site.documents
    )
    held_by: dict[int, str] = {}
    """Which output holds the data of a document that was replaced, by now."""
    replaced = site.replacements.by
    for document in site.order:
        parent = site.parent(document)
        if document.title not in rejected:
            holder = held_by.get(id(parent)) or (parent.title if parent else "")
            ancestor = site.ancestor(document) if rejected else None
            if ancestor is not None and ancestor.title in rejected:
                holder = ancestor.title
            aside = "abstract" if document.abstract else "replaced" if id(document) in replaced else ""
            yield _output(document, parent, holder, aside, substituting, options)
        if document.replacement and parent is not None and not document.control:
            held_by[id(parent)] = document.title


def _output(
    document: SiteDocument,
    parent: SiteDocument | None,
    holder: str,
    aside: str,
    substituting: Substituting,
    options: DeckhandOptions,
) -> Output:
    """The output of a document: the same object as before if its relations are the same, so that it can be reused."""
    documented = options.documented and actions.follows_mode(document)

    def make() -> Output:
        steps: list[AnyStep] = list(_first_steps(document, parent, holder, documented))
        if not document.control:
            steps.extend(substituting.steps(document))
        return DocumentOutput(name=document.title, steps=tuple(steps), hidden=bool(aside), aside=aside)

    sources = [substituting.source_of(each) for each in document.substitutions]
    if None in sources:  # the documents there are instead are named in the message
        return make()
    taken_from = tuple([source.title for source in sources if source is not None]) if sources else ()
    key = (parent and parent.title, holder, aside, documented, substituting.tolerant, taken_from)
    known: Output | None = document.derived.find(key)
    return document.derived.keep(key, make()) if known is None else known


def _first_steps(
    document: SiteDocument, parent: SiteDocument | None, holder: str, documented: bool
) -> Iterator[AnyStep]:
    yield Start(
        directive=document.directive("document"),
        take=From(source=document.node.without(["data"]), layer=document.title),
        subject=document.title,
    )
    if parent is None or document.control or not document.actions:
        yield actions.own_data(document)
        return
    yield actions.inherit(document, parent, holder)
    yield from actions.steps(document, parent, documented=documented)


def _checked(site: Site, results: Results, options: DeckhandOptions) -> Stage:
    """The violations of the rendered documents, as errors or as notes."""
    rendered: list[validation.ValidatedDocument] = []
    for document in site.order:
        folded = results.get(document.title)
        if folded is None or folded.failed or folded.output.hidden:
            continue
        node = folded.node.at(actions.DATA)

        def secret(path: Path, node: Node = node) -> bool:
            return not options.cleartext_secrets and is_secret(node.at(path))

        rendered.append(validation.ValidatedDocument(document, node.value, secret))
    found = validation.after(rendered, documented=options.documented, checked=options.validate != "off")
    if options.validate == "report":
        return Stage(title="validation", outputs=(), notes=tuple(found))
    outputs = [
        Output(
            name=f"validation of {finding.subject} #{number}",
            steps=(Fail(directive=Directive("schema", finding.at), finding=finding, subject=finding.subject),),
            hidden=True,
        )
        for number, finding in enumerate(found, 1)
    ]
    return Stage(title="validation", outputs=tuple(outputs))
