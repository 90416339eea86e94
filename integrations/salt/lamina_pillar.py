"""Pillar from layered configuration, as Lamina merges it.

Put this file into a folder of `extension_modules` (`pillar/lamina_pillar.py`), and in the configuration of the master:

    ext_pillar:
      - lamina_pillar:
          project: /srv/site          # a folder, or a lamina.toml
          target: "{minion}"          # the name of the target; {minion} stands for the id of the minion

A minion without such a target gets nothing. The Python of the master needs `pip install lamina`.
"""

from __future__ import annotations

from typing import Any

__virtualname__ = "lamina_pillar"


def __virtual__() -> str | tuple[bool, str]:  # noqa: N807 - Salt looks for it
    try:
        import lamina  # noqa: F401
    except ImportError:
        return False, "lamina is not installed in the Python of Salt"
    return __virtualname__


def ext_pillar(minion_id: str, pillar: dict[str, Any], project: str = ".", target: str = "{minion}") -> dict[str, Any]:  # noqa: ARG001 - as Salt calls it
    """The result of the target of a minion."""
    from lamina import Workspace

    name = target.replace("{minion}", minion_id)
    with Workspace(project) as workspace:
        if name not in workspace.targets:
            return {}
        value = workspace.result(name).value
    return value if isinstance(value, dict) else {}
