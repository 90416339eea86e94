"""Strategies: parts of cloud-config packed in every way user-data can be packed, and where each line then is."""

from __future__ import annotations

import base64
import gzip
import quopri
from collections.abc import Callable
from dataclasses import dataclass, field

import yaml
from hypothesis import strategies as st

from lamina.origins import Origin
from lamina.sources.inputs import Inputs, MemoryFiles
from lamina.sources.source import Source
from support.cloud_configs import Unique, mappings, part_text, rules


@dataclass
class Bundle:
    """Inputs and the files beside them; `inner` holds the texts of parts whose lines are not lines of a file."""

    payloads: list[str] = field(default_factory=list)
    files: dict[str, bytes] = field(default_factory=dict)
    inner: dict[str, str] = field(default_factory=dict)
    unzipped: dict[str, str] = field(default_factory=dict)

    def inputs(self) -> Inputs:
        return Inputs(tuple(Source(name, self.files[name]) for name in self.payloads), MemoryFiles(self.files))

    def text_at(self, origin: Origin) -> str:
        """What is at a position, to the end of its line."""
        if origin.part and ":" in origin.part:
            name, _, line = origin.part.rpartition(":")
            return self.inner[name].split("\n")[int(line) - 1]
        text = self.unzipped.get(origin.source) or self.files[origin.source].decode()
        return text.split("\n")[origin.line - 1][origin.column - 1 :]


Pack = Callable[[Bundle, str, list[str]], None]


def plain(bundle: Bundle, name: str, texts: list[str]) -> None:
    for number, text in enumerate(texts):
        bundle.files[f"{name}.{number}"] = text.encode()
        bundle.payloads.append(f"{name}.{number}")


def zipped(bundle: Bundle, name: str, texts: list[str]) -> None:
    for number, text in enumerate(texts):
        bundle.files[f"{name}.{number}"] = gzip.compress(text.encode(), mtime=0)
        bundle.unzipped[f"{name}.{number}"] = text
        bundle.payloads.append(f"{name}.{number}")


def included(bundle: Bundle, name: str, texts: list[str]) -> None:
    lines = ["#include", "# what follows is elsewhere"]
    for number, text in enumerate(texts):
        bundle.files[f"{name}-{number}.cfg"] = text.encode()
        lines.append(f"file:///bundle/{name}-{number}.cfg")
    bundle.files[name] = "\n".join(lines).encode()
    bundle.payloads.append(name)


def archived(style: str | None) -> Pack:
    def archive(bundle: Bundle, name: str, texts: list[str]) -> None:
        class Dumper(yaml.SafeDumper):
            pass

        def represent(dumper: yaml.SafeDumper, text: str) -> yaml.ScalarNode:
            return dumper.represent_scalar("tag:yaml.org,2002:str", text, style=style if "\n" in text else None)

        Dumper.add_representer(str, represent)
        entries = [text if i % 2 else {"content": text, "type": "text/cloud-config"} for i, text in enumerate(texts)]
        bundle.files[name] = ("#cloud-config-archive\n" + yaml.dump(entries, Dumper=Dumper, width=1000)).encode()
        bundle.payloads.append(name)

    return archive


def message(encoding: str, *, nested: bool = False) -> Pack:
    def pack(bundle: Bundle, name: str, texts: list[str]) -> None:
        pieces = [_piece(bundle, f"{name}-{number}", text, encoding) for number, text in enumerate(texts)]
        body = _multipart("IN", pieces)
        if nested:
            body = _multipart("OUT", [_piece(bundle, f"{name}-first", "#!/bin/sh\ntrue", "7bit"), body])
        bundle.files[name] = f"MIME-Version: 1.0\n{body}".encode()
        bundle.payloads.append(name)

    return pack


def _multipart(boundary: str, pieces: list[str]) -> str:
    inside = "".join(f"--{boundary}\n{piece}\n" for piece in pieces)
    return f'Content-Type: multipart/mixed; boundary="{boundary}"\n\n{inside}--{boundary}--\n'


def _piece(bundle: Bundle, name: str, text: str, encoding: str) -> str:
    kind, body = "text/plain", text
    if encoding == "quoted-printable":
        body = quopri.encodestring(text.encode()).decode()
    elif encoding == "gzip":
        kind, encoding = "application/gzip", "base64"
        body = base64.encodebytes(gzip.compress(text.encode(), mtime=0)).decode()
        bundle.inner[name] = text
    elif encoding == "base64":
        body = base64.encodebytes(text.encode()).decode()
        bundle.inner[name] = text
    return (
        f'Content-Type: {kind}\nContent-Disposition: attachment;\n filename="{name}"\n'
        f"Content-Transfer-Encoding: {encoding}\n\n{body}"
    )


PACKINGS: list[Pack] = [
    plain, zipped, included, archived("|"), archived('"'), archived("'"), archived(None),
    message("7bit"), message("7bit", nested=True), message("quoted-printable"), message("base64"), message("gzip"),
]  # fmt: skip


@st.composite
def bundles(draw: st.DrawFn) -> Bundle:
    """Parts whose leaves are all different, packed anyhow."""
    unique = Unique()
    bundle = Bundle()
    for number in range(draw(st.integers(1, 3))):
        bodies = draw(st.lists(mappings, min_size=1, max_size=2))
        texts = [part_text(unique.relabel(body), draw(st.none() | rules)) for body in bodies]
        draw(st.sampled_from(PACKINGS))(bundle, f"blob{number}", texts)
    return bundle
