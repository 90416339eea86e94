"""What a golden case of Helm compares: the values of each chart that takes part, and which subcharts are on.

What Helm says on stderr is compared as facts: that there is a remark of each kind, and none of another kind.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any, Final

from lamina.dialects.helm.compile import release_of
from lamina.dialects.helm.uses import shown
from lamina.plugin import extensions as lpx

if TYPE_CHECKING:
    from collections.abc import Mapping

    from lamina.dialects.helm.options import HelmOptions

_KINDS: Final = (
    (r"warning: cannot overwrite table|warning: destination for|warning: skipped value", "default-not-used"),
    (r"warning: skipping globals|Conflict: cannot merge map|key .* is table", "global-not-passed"),
    (r"Warning: ImportValues missing table", "import-missing"),
    (r"Warning: Condition path", "condition-not-boolean"),
    (r"Warning: Tag", "tag-not-boolean"),
    (r"Warning: Dependencies are handled in Chart\.yaml", "requirements-yaml"),
)
"""What Helm says, and the code of what Lamina says instead."""


def _observe(result: lpx.Rendered) -> Mapping[str, Any]:
    release = release_of(result)
    values: dict[str, Any] = {}
    for path, _ in release.use.walk():
        node = result.outputs[0].node.at(path)
        # Helm looks for a subchart's values by a path with dots, and does not find those of such a name.
        values[shown(path)] = {} if any("." in name for name in path) else node.value
    libraries = [shown(path) for path, each in release.use.walk() if each.chart.metadata.is_library]
    return {
        "value": values,
        "enabled": sorted(path for path in values if path != "."),
        **({"libraries": sorted(libraries)} if libraries else {}),
    }


def _checks(options: HelmOptions, expect: Mapping[str, Any], result: lpx.Rendered) -> list[str]:
    """Whether Lamina remarks on what Helm remarks on."""
    wanted = {
        next((code for pattern, code in _KINDS if re.match(pattern, said)), said) for said in expect.get("warned", ())
    }
    found = {note.code for note in result.notes} & {code for _, code in _KINDS}
    return [] if found == wanted else [f"expected remarks {sorted(wanted)}, got {sorted(found)}"]


GOLDEN = lpx.Golden(observe=_observe, check=_checks, checked=("warned",))
