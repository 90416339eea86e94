"""Lookups as most nodes have them: a table of the node's own file, over tables of layers that other nodes have, too.

Where nothing is evaluated and there is nothing to note, the value of such a lookup follows from the content of the file
and from what was merged of the layers below. So nothing else is prepared for the node: neither its layers one by one
nor what its scripts may ask for. Everything that is not as plain as that is left to `NodeView.lookup`, which is the
definition; tests compare the two.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from lamina.dialects.datum.general_layers import layers_of
from lamina.dialects.datum.lookup import Hit, Lookup, in_tables
from lamina.dialects.datum.prefix_templates import own_keys, own_names, prefix_templates_of
from lamina.dialects.datum.shared_lookups import plain_merge_of, shared_table
from lamina.dialects.datum.tree import TreeFolder
from lamina.engine.node import SourceNode
from lamina.engine.plan import ValuedOutput
from lamina.engine.suffix_cache import OrderMatters
from lamina.paths import MISSING
from lamina.sources.powershell.case_insensitive import caseless

if TYPE_CHECKING:
    from lamina.dialects.datum.datum_yml import Definition
    from lamina.dialects.datum.general_layers import GeneralLayers
    from lamina.dialects.datum.hierarchy import Hierarchy
    from lamina.dialects.datum.lookup_options import Entries, PathLookup
    from lamina.dialects.datum.node_values import OwnData
    from lamina.dialects.datum.prefix_templates import PrefixTemplate
    from lamina.dialects.datum.shared_lookups import PlainKeyMerge
    from lamina.dialects.datum.tree import File
    from lamina.engine.plan import AnyStep


def plain_lookup(hierarchy: Hierarchy, own: OwnData, path: str) -> ValuedOutput | None:
    """The output of the lookup of a path for a node, if it is that plain and has nothing to note; else None."""
    node, file = own.node, own.file
    if file is None or type(node) is not SourceNode or not hierarchy.takes_as_written(own):
        return None
    entries = hierarchy.entries
    at = entries.lookup_of(path)
    merge = _merge_of(at, entries)
    value = None if merge is None else in_tables(node.value, at.keys)
    if merge is None or value is None or value is MISSING:
        return None
    layers = _layers_below(node.value, file, hierarchy.definition)
    general = None if layers is None else layers.hits(at.keys)
    if general is None or not general.hits:
        return None
    try:
        merge.check(value)
        table = merge.combine(value, shared_table(merge, general.values, general.merged))[0]
    except OrderMatters:
        return None

    def steps() -> tuple[AnyStep, ...]:
        hit = Hit((node, at.keys), value, file.name, 0)
        return Lookup(at, (hit, *general.hits), entries, file.name, literal=True, general=general).steps()

    return ValuedOutput(at.path, table, steps)


def _merge_of(at: PathLookup, entries: Entries) -> PlainKeyMerge | None:
    """How the tables at a path are merged; None if they are not, or if there is something to note for some nodes."""
    found: tuple[PlainKeyMerge | None] | None = at.derived.find("plain lookup")
    if found is None:
        lookup = Lookup(at, (), entries)
        is_plain = not lookup.entry.strategy.at_once and not lookup.unreachable
        found = at.derived.keep("plain lookup", (plain_merge_of(at, entries) if is_plain else None,))
    return found[0]


def _layers_below(own: Any, file: File, definition: Definition) -> GeneralLayers | None:
    """The layers below a node's own file; None if some are not found by its properties alone, or are missing."""
    templates = prefix_templates_of(definition)
    if len(templates.own) != 1 or not templates.general or (template := templates.own[0][1]) is None:
        return None
    keys = own_keys(own)
    own_part = own_names(own, template.properties, keys)
    general = own_names(own, templates.properties, keys)
    if own_part is None or general is None or not _leads_to(template, own_part[0], file):
        return None
    layers = layers_of(general, templates, is_live=definition.root.is_live)
    return layers if layers.is_complete else None


def _leads_to(template: PrefixTemplate, names: list[str], file: File) -> bool:
    """Whether a prefix with a template leads to a file, given what the properties of the node in it are."""
    here: TreeFolder | File | None = template.folder
    given = iter(names)
    for text, is_own in template.segments:
        if not isinstance(here, TreeFolder):
            return False
        here = here.member(caseless(next(given) if is_own else text))
    return here is file
