"""The two readers of plain lines, for tests that want both."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from c_extensions import extension
from lamina.sources.yaml import pure_lines

if TYPE_CHECKING:
    from lamina.sources.yaml.fast_reader import Reader

MODULE, needs_compiled = extension("lamina.sources.yaml._fast_reader")
PURE: Reader = pure_lines.read
COMPILED: Reader = MODULE.read
both_readers = pytest.mark.parametrize(
    "reader", [pytest.param(PURE, id="pure"), pytest.param(COMPILED, id="compiled", marks=needs_compiled)]
)
