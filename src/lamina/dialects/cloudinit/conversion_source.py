"""Converting cloud-init layers into those of another system: parts, or the files of an image, in their order."""

from __future__ import annotations

from typing import TYPE_CHECKING

from lamina.dialects.sequence_conversion import SequenceConversion, planned_layers

if TYPE_CHECKING:
    from lamina.dialects.cloudinit.options import CloudInitOptions
    from lamina.dialects.conversion import LayeredSet
    from lamina.sources.inputs import Inputs


def convert_from(inputs: Inputs, options: CloudInitOptions, name: str) -> LayeredSet:
    """The layers of the merged cloud-config; scripts and other parts are not layers and are not converted."""
    from lamina.dialects.cloudinit.dialect import DIALECT
    from lamina.views.render import render_with

    result = render_with(DIALECT, inputs, options)
    conversion = SequenceConversion("cloud-init user-data")
    conversion.add(name or "cloud-config", planned_layers(result, inputs), result)
    return conversion.layers()
