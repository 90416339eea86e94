"""Secrets in cloud-config: there is no store to refer to, but every password may be a hash.

`chpasswd.list` has lines `NAME:PASSWORD`, as one string or as a list. A password that is a hash is set as it is;
`R` and `RANDOM` stand for one that cloud-init makes.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any, Final

from lamina.protocol.extensions import Secrets

if TYPE_CHECKING:
    from lamina.paths import Path

_LIST: Final = ("chpasswd", "list")
_LINE: Final = re.compile(r"^[^:\s]+:(?!R$|RANDOM$|\$(?:1|2a|2y|5|6|y|gy)\$)(?!\$\{|\{\{|<)\S", re.MULTILINE)
_HASH: Final = "write its hash (mkpasswd --method=SHA-512)"
_USERS: Final = ("users", "user")


def holds(path: Path, value: Any) -> str | None:
    """Why a value is a secret: a line with a name and a password."""
    if path[:2] == _LIST and isinstance(value, str) and _LINE.search(value):
        return "holds a password"
    return None


def advice(path: Path) -> str:
    """What to do about a secret."""
    if str(path[-1]).replace("-", "_") == "plain_text_passwd":
        return f"{_HASH} as hashed_passwd instead"
    if path[:2] == ("chpasswd", "users"):
        return f"{_HASH} with type: hash"
    if path[:2] == _LIST or path == ("password",) or (path[0] in _USERS and path[-1] == "passwd"):
        return _HASH
    return "user-data can be read on the machine for as long as it runs; let the machine fetch it at boot"


SECRETS: Final = Secrets(advice, holds)
