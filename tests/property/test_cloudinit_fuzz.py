"""Whatever comes in, only a LaminaError comes out, and soon."""

from __future__ import annotations

import base64
import gzip
import json
from pathlib import Path
from typing import Any

from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

import lamina
from lamina.paths import leaves
from lamina.sources.inputs import Inputs, MemoryFiles
from lamina.sources.source import Source

CASES = Path(__file__).parent.parent / "cases" / "cloud-init"
TOKENS = [
    *(b"#cloud-config\n", b"#cloud-config-archive\n", b"#cloud-config-jsonp\n", b"#include\n", b"#!/bin/sh\n"),
    *(b"## template: jinja\n", b"{{ v1.x }}", b"{% for a in b %}", b"{%", b"%}", b"}}", b"merge_how: ", b"!!binary x"),
    *(b"MIME-Version: 1.0\n", b"Content-Type: multipart/mixed; boundary=B\n", b"--B\n", b"--B--\n", b"boundary*0*=x"),
    *(
        b"Content-Transfer-Encoding: base64\n",
        b"Content-Type: application/gzip\n",
        b"filename*=utf-8''%ff",
        b"charset=x",
    ),
    *(b"\n\n", b"- ", b": ", b"\x00", b"\xff\xfe", b"\xef\xbb\xbf", b"\x1f\x8b", b"&a ", b"*a", b"<<: ", b"\t", b"\r"),
    *(
        b'[{"op": "move", "from": "/a", "path": "/a/b"}]',
        b'{"op": "add"}',
        b"file:///bundle/self",
        b"?",
        b"=\n",
        b"0x_",
    ),
]


def corpus() -> list[bytes]:
    found: list[bytes] = []
    for path in sorted(CASES.glob("*.json")):
        for case in json.loads(path.read_text()):
            coded = case["options"].get("encoding", {})
            for name, text in case["files"].items():
                found.append(base64.b64decode(text) if name in coded else text.encode())
    return sorted(set(found), key=len)[:600]


seeds = st.sampled_from(corpus())


@st.composite
def mutated(draw: st.DrawFn) -> bytes:
    """A real bundle, cut, spliced and garbled."""
    data = bytearray(draw(seeds))
    for _ in range(draw(st.integers(0, 4))):
        at = draw(st.integers(0, len(data)))
        piece = draw(st.one_of(st.sampled_from(TOKENS), st.binary(max_size=6), seeds))
        data[at : at + draw(st.integers(0, 12))] = piece
    whole = bytes(data)
    return gzip.compress(whole, mtime=0) if draw(st.integers(0, 9)) == 0 else whole


payloads = st.one_of(st.binary(max_size=200), st.lists(st.sampled_from(TOKENS), max_size=20).map(b"".join), mutated())


def survives(inputs: Inputs, **options: Any) -> None:
    try:
        result = lamina.render(inputs, dialect="cloud-init", **options)
        result.to_yaml()
        for path in list(leaves(result.plain))[:20]:
            result.explain(path)
    except lamina.LaminaError as error:
        assert error.diagnostic.code
        assert str(error)


@settings(suppress_health_check=list(HealthCheck), max_examples=150)
@given(payload=payloads, other=payloads, strict=st.booleans(), index=st.sampled_from([None, 0, 1]))
def test_user_data(payload: bytes, other: bytes, strict: bool, index: int | None) -> None:
    files = MemoryFiles({"self": payload, "other": other})
    inputs = Inputs((Source("self", payload), Source("other", other)), files)
    survives(inputs, strict=strict, launch_index=index, instance_data={"v1": {"x": 1, "b": [1]}})


NAMES = ["cloud.cfg", "cloud.cfg.d/1.cfg", "cloud.cfg.d/2.cfg", "vendor-data", "vendor-data2", "user-data"]


@settings(suppress_health_check=list(HealthCheck), max_examples=75)
@given(
    files=st.dictionaries(st.sampled_from(NAMES), payloads, max_size=4),
    mode=st.sampled_from(["confd", "layers", "fold", "user-data"]),
)
def test_layers(files: dict[str, bytes], mode: str) -> None:
    inputs = Inputs(tuple(Source(name, data) for name, data in files.items()), MemoryFiles(files))
    survives(inputs, mode=mode)
