"""Plain files as a chain of layers, where no option does more than merge them."""

from __future__ import annotations

from typing import TYPE_CHECKING

from lamina import plugin as lp
from lamina.dialects.layers import documents
from lamina.dialects.layers.compile import Setup, may_hold_reference

if TYPE_CHECKING:
    from lamina.dialects.layers.options import LayersOptions


def layer_chain(options: LayersOptions) -> lp.LayerChain | None:
    """The chain of layers that these options merge; None if they do more, or depend on other files."""
    if isinstance(options.rules, str) or options.set or options.set_file or options.env_prefix is not None:
        return None
    if options.node is not None:
        return None
    setup = Setup(lp.Inputs(()), options)
    if not setup.only_merges:
        return None
    resolves = setup.settings.references is not False

    def read(source: lp.Source) -> lp.Document | None:
        if resolves and may_hold_reference(source):
            return None
        document = documents.read_mapping(source)
        return None if document is None or document.notes else document.document

    return lp.LayerChain(policy=setup.policy, read=read, start={})
