"""Plain files as a chain of layers, where no option does more than merge them."""

from __future__ import annotations

from typing import TYPE_CHECKING

from lamina import plugin as lp
from lamina.dialects.layers import tags
from lamina.dialects.layers.compile import Setup, may_hold_reference
from lamina.dialects.layers.detect import may_name_preset

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
    preset = setup.settings.preset
    by_name = preset is None and options.rules is None

    def read(source: lp.Source) -> lp.Document | None:
        if (resolves and may_hold_reference(source)) or (by_name and may_name_preset(source.name)):
            return None
        if preset in tags.PRESETS and tags.may_have_tags(source):
            return None
        document = setup.read(source)
        return None if document is None or document.notes else document.document

    return lp.LayerChain(policy=setup.policy, read=read, start={})
