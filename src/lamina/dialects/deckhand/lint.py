"""Lint rules for documents that render without errors.

secret-not-encrypted       a kind made for secrets is stored in clear text (Pegleg's P001, P009)
missing-document-start     a file does not begin with three dashes (P006)
layer-folder-mismatch      a document's layer is not that of its folder (P008)
no-parent-found            a parentSelector that matches nothing: the document is rendered as written, without a note
abstract-without-children  an abstract document without children
data-not-selected          data that no action selects, and that is therefore not in the result
truncated-path             an action's path of which `.data` is cut off although it is part of a longer name
recurse-needs-literal      a recursive pattern that is not plain text: only strings that contain it literally change
unused-passphrase          a passphrase that nothing substitutes from or mentions
changed-by-other-document  a substitution that takes containers without a copy, into which a later one writes

What Pegleg finds beside these is its own error: two DataSchema documents of one name are duplicates (P004), the
set does not render (P005), or a file is not YAML (P007).
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any, Final

from lamina.dialects.deckhand import messages
from lamina.dialects.deckhand.document import action_path, substitution_path
from lamina.dialects.deckhand.jsonpath import path as jsonpath
from lamina.dialects.deckhand.jsonpath.selector import Unreachable
from lamina.dialects.deckhand.parent_report import site_of
from lamina.dialects.deckhand.shared_changes import shared_changes
from lamina.paths import leaves
from lamina.plugin import Severity, show, walk
from lamina.plugin.extensions import Fix, LintRule, on_result
from lamina.values import same

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Iterable, Iterator, Sequence

    from lamina.dialects.deckhand.document import SiteDocument
    from lamina.engine.step_context import Folded
    from lamina.errors import Note
    from lamina.plugin import Message
    from lamina.plugin.extensions import Rendered

SECRET_KINDS: Final = tuple(
    f"deckhand/{kind}/" for kind in ("Passphrase", "PrivateKey", "CertificateKey", "CertificateAuthorityKey")
)
PASSPHRASE: Final = SECRET_KINDS[0]
_NAMED: Final = 3
"""How many places a finding names."""
_PLAIN: Final = re.compile(r"[^\\.^$*+?{}\[\]|()]*")
_COMMENTS: Final = re.compile(rb"(?:[ \t]*(?:#[^\n]*)?\r?\n)*")


def cleartext_secrets(rendered: Rendered) -> Iterator[Note]:
    """Documents of a kind made for secrets that are not encrypted."""
    for document in site_of(rendered.plan).documents:
        if document.schema.startswith(SECRET_KINDS) and not document.encrypted:
            yield _note(
                document,
                messages.SECRET_NOT_ENCRYPTED,
                ("metadata", "storagePolicy"),
                related=[("the secret is here", document.key_origin("data"))],
            )


def missing_document_starts(rendered: Rendered) -> Iterator[Note]:
    """Files that do not begin with three dashes."""
    sources = {document.source: document for document in site_of(rendered.plan).documents}
    for source, document in sources.items():
        start = _COMMENTS.match(source.data)
        if not source.data[start.end() if start else 0 :].startswith(b"---"):
            yield messages.MISSING_DOCUMENT_START.at(
                source.locate(0, 0),
                subject=document.title,
                fix=Fix(title="add the line", action="add-start", at=source.locate(0, 0), new="---"),
                source=source.name,
            )


def layers_not_of_folders(rendered: Rendered) -> Iterator[Note]:
    """Documents whose layer is not that of their folder."""
    site = site_of(rendered.plan)
    layers = site.layers.written
    for document in site.documents:
        folders = document.source.name.replace("\\", "/").split("/")[:-1]
        named = next((folder for folder in reversed(folders) if folder in layers), None)
        if document.layer and named is not None and named != document.layer:
            path = ("metadata", "layeringDefinition", "layer")
            yield _note(document, messages.LAYER_FOLDER_MISMATCH, path, layer=document.layer, named=named)


def without_parents(rendered: Rendered) -> Iterator[Note]:
    """Selectors that match nothing."""
    for choice in site_of(rendered.plan).choices.values():
        if choice.parent is None and choice.fault is None:
            wanted = ", ".join(f"{key}: {value}" for key, value in choice.document.selector.items())
            yield _note(
                choice.document,
                messages.NO_PARENT_FOUND,
                ("metadata", "layeringDefinition", "parentSelector"),
                wanted=wanted,
            )


def childless_abstracts(rendered: Rendered) -> Iterator[Note]:
    """Abstract documents without children."""
    site = site_of(rendered.plan)
    parents = {id(choice.parent) for choice in site.choices.values() if choice.parent is not None}
    for document in site.documents:
        if document.abstract and id(document) not in parents:
            yield _note(document, messages.ABSTRACT_WITHOUT_CHILDREN, ("metadata", "layeringDefinition", "abstract"))


def data_not_selected(rendered: Rendered) -> Iterator[Note]:
    """Top-level data of a layered document that none of its actions selects; what the parent has alike is in the result
    all the same."""
    site = site_of(rendered.plan)
    results = {output.output.name: output for output in rendered.outputs}
    for document in site.documents:
        data = document.value.get("data")
        if site.parent(document) is None or not document.actions or not isinstance(data, dict):
            continue
        selected = {key for action in document.actions for key in _selected_keys(action, data)}
        for key in data:
            if key not in selected and not _has(results.get(document.title), key, data[key]):
                yield _note(document, messages.DATA_NOT_SELECTED, ("data", key), key=key, path_to=_path_to(key))


def _path_to(key: Any) -> str:
    """The path of a key of the data, as an action has to write it so that Deckhand cuts nothing off."""
    text = str(key)
    if not re.fullmatch(r"[A-Za-z_][A-Za-z0-9_-]*", text):
        return f".data.'{text}'"
    return f".data.{text}" if text.startswith("data") else f".{text}"


def _has(output: Folded | None, key: Any, value: Any) -> bool:
    """Whether a rendered document has a value in its data."""
    return output is not None and not output.failed and same(walk(output.value, ("data", key)), value)


def _selected_keys(action: Any, data: Any) -> Collection[Any]:
    try:
        found = jsonpath.of_action(action["path"]).find(data) if action["method"] != "delete" else []
    except (jsonpath.BadPath, Unreachable, KeyError, TypeError, AttributeError):
        return ()
    return data if any(not one.path for one in found) else [one.path[0] for one in found]


def truncated_paths(rendered: Rendered) -> Iterator[Note]:
    """Paths that lose the start of a name."""
    for document in site_of(rendered.plan).documents:
        for number, action in enumerate(document.actions):
            path = action.get("path") if isinstance(action, dict) else None
            if isinstance(path, str) and re.match(r"\$?\.data[A-Za-z0-9_-]", path):
                read = jsonpath.of_action(path).text
                meant = f".data{path.removeprefix('$')}"
                hint = f"write {meant}"
                if not _selected_keys({"method": "merge", "path": meant}, document.value.get("data")):
                    hint += ", and check the names in the data, which has nothing at that path"
                yield _note(
                    document,
                    messages.TRUNCATED_PATH,
                    (*action_path(number), "path"),
                    written=path,
                    read=read,
                    hint=hint,
                )


def recursive_patterns(rendered: Rendered) -> Iterator[Note]:
    """Recursive patterns that are meant as regular expressions."""
    for document in site_of(rendered.plan).documents:
        for number, substitution in enumerate(document.substitutions):
            for dest in _destinations(substitution):
                pattern = dest.get("pattern")
                if dest.get("recurse") and isinstance(pattern, str) and not _PLAIN.fullmatch(pattern):
                    where = (*substitution_path(number), "dest")
                    yield _note(document, messages.RECURSE_NEEDS_LITERAL, where, pattern=pattern)


def _destinations(substitution: Any) -> list[dict[str, Any]]:
    dest = substitution.get("dest") if isinstance(substitution, dict) else None
    return [one for one in (dest if isinstance(dest, list) else [dest]) if isinstance(one, dict)]


def unused_passphrases(rendered: Rendered) -> Iterator[Note]:
    """Passphrases that nothing uses; a document that mentions one in its data may get it in its own way."""
    site = site_of(rendered.plan)
    taken = {id(site.source(each)) for document in site.order for each in document.substitutions}
    data = [document.value.get("data") for document in site.documents]
    named = {text for each in data for path in leaves(each) if isinstance(text := walk(each, path), str)}
    for document in site.documents:
        if document.schema.startswith(PASSPHRASE) and id(document) not in taken and document.name not in named:
            yield _note(document, messages.UNUSED_PASSPHRASE, ("metadata", "name"))


def changed_by_others(rendered: Rendered) -> Iterator[Note]:
    """Documents that a substitution of another one has changed, by the substitution that shares what is changed."""
    documents = {document.title: document for document in site_of(rendered.plan).documents}
    for change in shared_changes(rendered.outputs, rendered.record.results):
        # Without the layers: sites that differ in them have this in common.
        named = [f"{show(path)} of {'/'.join(documents[name].key)}" for name, path in change.changed]
        places = ", ".join(named[:_NAMED])
        more = len(change.changed) - _NAMED
        document = documents[change.output]
        yield _note(
            document,
            messages.CHANGED_BY_OTHER_DOCUMENT,
            (*change.substitution, "src"),
            related=tuple(("this writes into it", origin) for origin in change.writers if origin is not None)[:_NAMED],
            places=places,
            more=f" and {more:,} more" if more > 0 else "",
        )


def _note(document: SiteDocument, message: Message, path: tuple[Any, ...], **words: Any) -> Note:
    return message.at(document.origin(*path), path, subject=document.title, **words)


CHECKS: Final[Sequence[Callable[[Rendered], Iterable[Note]]]] = (
    cleartext_secrets,
    missing_document_starts,
    layers_not_of_folders,
    without_parents,
    childless_abstracts,
    data_not_selected,
    truncated_paths,
    recursive_patterns,
    unused_passphrases,
    changed_by_others,
)

RULES: Final = (
    LintRule(
        code="secret-not-encrypted",
        title="Deckhand: secret stored in plain text",
        about="The document's schema is for secrets, but its `storagePolicy` is cleartext.",
        check=on_result(cleartext_secrets),
        covers=("cleartext-secret",),
    ),
    LintRule(
        code="missing-document-start",
        title="Deckhand: file does not start with three dashes",
        about="When files are concatenated, its first document is merged into the last document of the previous file.",
        severity=Severity.INFO,
        check=on_result(missing_document_starts),
        fix="adds the line",
    ),
    LintRule(
        code="layer-folder-mismatch",
        title="Deckhand: layer does not match the folder",
        about="The document is in a folder named after a different layer, so people look for it in the wrong place.",
        check=on_result(layers_not_of_folders),
    ),
    LintRule(
        code="no-parent-found",
        title="Deckhand: parentSelector matches no document",
        about="No document has the selected labels, so this one is rendered as written and its actions are ignored.",
        check=on_result(without_parents),
    ),
    LintRule(
        code="abstract-without-children",
        title="Deckhand: abstract document without children",
        about="No document has it as its parent, so it is in no result: remove it, or correct the labels.",
        check=on_result(childless_abstracts),
        of_all=True,
    ),
    LintRule(
        code="data-not-selected",
        title="Deckhand: data not selected by any action",
        about="A document with a parent contributes only the data that its actions select.",
        check=on_result(data_not_selected),
    ),
    LintRule(
        code="truncated-path",
        title="Deckhand: action path starts with .data as part of a longer name",
        about="Deckhand cuts `.data` off action paths, even inside a longer name: `.database` becomes `.base`.",
        check=on_result(truncated_paths),
    ),
    LintRule(
        code="recurse-needs-literal",
        title="Deckhand: recursive pattern is not a plain string",
        about="With `recurse`, only strings that contain the pattern literally are changed.",
        check=on_result(recursive_patterns),
    ),
    LintRule(
        code="unused-passphrase",
        title="Deckhand: unused passphrase",
        about="No document substitutes from the passphrase or mentions it, so it is probably not needed.",
        severity=Severity.INFO,
        check=on_result(unused_passphrases),
        of_all=True,
    ),
    LintRule(
        code="changed-by-other-document",
        title="Deckhand: document changed by another document's substitution",
        about="A substituted value is shared with its source, so a later change appears in both.",
        check=on_result(changed_by_others),
    ),
)
