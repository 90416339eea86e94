"""Does a folder look like the variables of an Ansible inventory?"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from lamina.sources.inputs import Inputs

_VARIABLES: Final = re.compile(r"(?:[^/]+/){0,3}(?:group_vars|host_vars)/[^/]+")


def detect(inputs: Inputs) -> bool:
    """Whether a folder has an ansible.cfg, or variables of groups or hosts near its top."""
    for folder in inputs.folders:
        if folder.files.read("ansible.cfg") is not None:
            return True
        if any(_VARIABLES.match(name) for name in folder.files.names() if "_vars/" in name):
            return True
    return False
