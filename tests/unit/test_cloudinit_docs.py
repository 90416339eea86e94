"""Every code of the cloud-init dialect is in its reference."""

from __future__ import annotations

import re
from pathlib import Path

from lamina.dialects.cloudinit import messages
from lamina.errors import Message

ROOT = Path(__file__).parents[2]
GIVEN = re.compile(r'code="([a-z-]+)"')


def test_every_code_is_documented() -> None:
    page = (ROOT / "docs/reference/cloud-init.md").read_text()
    sources = [path.read_text() for path in (ROOT / "src/lamina/dialects/cloudinit").glob("*.py")]
    codes = {match[1] for text in sources for match in GIVEN.finditer(text)}
    codes |= {row.code for row in vars(messages).values() if isinstance(row, Message)}
    assert len(codes) > 60
    assert sorted(code for code in codes if f"`{code}`" not in page) == []
