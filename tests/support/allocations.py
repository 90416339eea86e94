"""How many blocks of memory an action leaves allocated: the measure of the leak tests of the C extensions."""

from __future__ import annotations

import gc
import sys
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable

ROUNDS = 5


def blocks_left_by(action: Callable[[], object], before: Callable[[], object] = gc.collect) -> int:
    """The difference an action makes to the number of allocated blocks, in the quietest of several rounds.

    The count is of the whole process, so other tests' garbage, collected meanwhile, changes it too. That happens in
    some round or other; a leak, or a reference released once too often, shows in every one. `before` runs before each.
    """
    return min(_difference(action, before) for _ in range(ROUNDS))


def _difference(action: Callable[[], object], before: Callable[[], object]) -> int:
    before()
    gc.collect()
    allocated = sys.getallocatedblocks()
    action()
    gc.collect()
    return abs(sys.getallocatedblocks() - allocated)
