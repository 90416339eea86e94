"""The service answers as the real one did, on SQLite and on PostgreSQL."""

from __future__ import annotations

from typing import Any

import pytest

from service import sequence
from service.servers import Server


@pytest.mark.parametrize("case", list(sequence.load()), ids=lambda case: f"{case['area']}-{case['id']}")
def test_a_recorded_sequence(case: dict[str, Any], server: Server) -> None:
    assert sequence.play(server, case) == [], case["about"]
