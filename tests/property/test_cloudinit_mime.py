"""MIME messages: the quick way to cut them and Python's own parser agree."""

from __future__ import annotations

import re
from dataclasses import fields
from email import message_from_string
from typing import Any

from hypothesis import given
from hypothesis import strategies as st

from lamina.dialects.cloudinit.mime import _Lines, _MimeReading
from lamina.dialects.cloudinit.part_walker import Entity
from lamina.sources.source import Source

headers = st.sampled_from(
    [
        *("Content-Type: text/cloud-config", "Content-Type: text/plain; name=x", "content-type: text/x-shellscript"),
        *('Content-Type: multipart/mixed; boundary="C"', "Content-Type: message/rfc822", "Content-Type: nonsense"),
        *("Content-Transfer-Encoding: base64", "Content-Transfer-Encoding: quoted-printable"),
        *(
            "Merge-Type: list()+",
            " dict()",
            "merge-type: str()",
            "Merge-Type:",
            "X-Merge-Type: dict()",
            "Launch-Index: 1",
        ),
        *(
            'Content-Disposition: attachment; filename="f.cfg"',
            "From someone",
            "\tindented",
            "odd\x0cbreak: 1",
            "no header",
        ),
    ]
)
bodies = st.sampled_from(
    [
        "",
        "#cloud-config",
        "a: 1",
        "b: =C3=A9",
        "YTogMQo=",
        " --B",
        "--BB",
        "--B x",
        "--C",
        "--C--",
        "é: 1",
        "--B ",
        "--B--",
    ]
)


@st.composite
def messages(draw: st.DrawFn) -> str:
    end = draw(st.sampled_from(["\n", "\n", "\n", "\r\n", "\r"]))
    lines = [
        "MIME-Version: 1.0",
        'Content-Type: multipart/mixed; boundary="B"',
        "",
        *draw(st.sampled_from([[], ["to all"]])),
    ]
    for _ in range(draw(st.integers(0, 3))):
        body = draw(st.lists(bodies, max_size=4))
        lines += ["--B", *draw(st.lists(headers, max_size=3)), *draw(st.sampled_from([[""], [""], []])), *body]
    lines += draw(st.sampled_from([["--B--"], ["--B--"], ["--B--", "after"], []]))
    return end.join(lines) + draw(st.sampled_from(["", end]))


def shown(entity: Entity) -> list[Any]:
    """All an entity says."""
    found = [getattr(entity, each.name) for each in fields(entity)]
    return [
        {name: (header.text, header.origin) for name, header in each.items()} if isinstance(each, dict) else each
        for each in found
    ]


@given(messages())
def test_both_ways_give_the_same_pieces(text: str) -> None:
    source = Source.of_text("message", text)
    quick = _MimeReading(source, text).flat()
    if quick is not None:
        thorough = list(_MimeReading(source, text).entities_in(message_from_string(text)))
        assert list(map(shown, quick)) == list(map(shown, thorough))


@given(st.text("ab\r\n\x0b\x1c\u2028é", max_size=9), st.lists(st.integers(0, 9), max_size=6))
def test_places_count_breaks_and_nothing_else(text: str, offsets: list[int]) -> None:
    lines = _Lines(text)
    starts = [0, *(match.end() for match in re.finditer("\r\n|\r|\n", text))]
    for offset in offsets:
        if offset <= len(text):
            line = max(at for at, start in enumerate(starts) if start <= offset)
            assert lines.position(offset) == (line, offset - starts[line])
