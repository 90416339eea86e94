"""Converting Heat environments into layers of another system."""

from __future__ import annotations

from typing import TYPE_CHECKING

from lamina.dialects.sequence_conversion import SequenceConversion, planned_layers

if TYPE_CHECKING:
    from lamina.dialects.conversion import LayeredSet
    from lamina.dialects.heat.options import HeatOptions
    from lamina.sources.inputs import Inputs


def convert_from(inputs: Inputs, options: HeatOptions, name: str) -> LayeredSet:
    """The environment that the files come to; a template says what it is, and is not a layer."""
    from lamina.dialects.heat.dialect import DIALECT
    from lamina.views.render import render_with

    result = render_with(DIALECT, inputs, options)
    conversion = SequenceConversion("Heat environments")
    conversion.add(name or "environment", planned_layers(result, inputs), result)
    return conversion.layers()
