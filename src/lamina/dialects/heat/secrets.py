"""Secrets: parameters that some template declares as hidden, and those that an environment lists as encrypted.

Their values are hidden in both sections of parameters, whichever file sets them.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from lamina.dialects.heat.sections import ENCRYPTED, ENCRYPTED_IN_MANUAL, WITH_STRATEGIES
from lamina.plugin.extensions import Secrecy

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from lamina.dialects.heat.environment import Environment
    from lamina.dialects.heat.template import Types


def mark_secrets(environments: Sequence[Environment], types: Types) -> None:
    """Mark the values of secret parameters in all files."""
    secret = secret_parameters(environments, types)
    for environment in environments if secret else ():
        keys = {section: _of_section(environment.section(section), secret) for section in WITH_STRATEGIES}
        environment.node.secret_keys = {section: inner for section, inner in keys.items() if inner} or None


def secret_parameters(environments: Sequence[Environment], types: Types) -> dict[Any, Secrecy]:
    """The names of all secret parameters."""
    hidden: dict[Any, Secrecy] = {name: Secrecy.WITHHELD for name, known in types.items() if known.hidden}
    lists = (environment.section(name) for environment in environments for name in (ENCRYPTED, ENCRYPTED_IN_MANUAL))
    names = (name for listed in lists if isinstance(listed, list) for name in listed)
    return hidden | {name: Secrecy.ENCRYPTED for name in names if isinstance(name, str)}


def _of_section(section: Any, secret: Mapping[Any, Secrecy]) -> dict[Any, Secrecy]:
    if not isinstance(section, dict):
        return {}
    return {name: secret[name] for name in section if name in secret}
