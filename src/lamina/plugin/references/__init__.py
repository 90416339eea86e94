"""For strings with references to other values: how they are written, and how they are filled in.

`interpolate` fills in an output when everything is merged, so that a reference of a lower layer reads what a higher
one sets. A dialect that must fill strings in earlier takes them apart with `References.parts`, and keeps what waits for
what in a `Chain`, so that nothing needs itself.
"""

from __future__ import annotations

from lamina.plugin.references.chain import Chain
from lamina.plugin.references.interpolate import interpolate
from lamina.plugin.references.notation import Reference, References, UnclosedReference

__all__ = ["Chain", "Reference", "References", "UnclosedReference", "interpolate"]
