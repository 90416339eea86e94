"""The two ways to read plain lines, for tests that want both: the C extension, and the event reader alone."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from c_extensions import extension

if TYPE_CHECKING:
    from lamina.sources.yaml.fast_reader import Reader

MODULE, needs_compiled = extension("lamina.sources.yaml._fast_reader")
COMPILED: Reader = MODULE.read
both_readers = pytest.mark.parametrize(
    "reader", [pytest.param(None, id="events"), pytest.param(COMPILED, id="compiled", marks=needs_compiled)]
)
