"""Inputs whose keys, values and file names try to steer a terminal, reorder text or start a command in a CI log."""

from __future__ import annotations

from pathlib import Path

from hypothesis import strategies as st

NASTY = [
    "a\n::error::x",
    "::error::x",
    "  ::add-mask::x",
    "##[error]x",
    "##vso[task.complete]x",
    "\x1b[2J\x1b]0;title\x07",
    "\x9b31m",
    "\u202eabc\u202c",
    "\u2066a\u2069\u200e\u200f\u061c",
    "a\u2028::error::x\u2029b\x85c",
    "zero\u200bwidth\ufeff\u2060\xad",
    "\U000e0001tag\U000e007f",
    "a\r::error::x",
    "\t\x0b\x0c\x7f\x08",
    "`|<b>&\n```\n| x |",
    "${{x}} %0A::error::x",
    "a\n# b\n...\n---\nc: d",
]
_MARKS = "ab:# []'\"\\%|`<&\n\r\t\x00\x07\x1b\x7f\x85\x9b\xad\u061c\u200b\u2028\u2029\u202e\u2066\ufeff\U000e0001\ue000"
hostile = st.one_of(st.sampled_from(NASTY), st.text(st.sampled_from(_MARKS), min_size=1, max_size=12))
file_names = st.one_of(
    hostile.filter(lambda text: "\0" not in text and "/" not in text and text not in (".", "..")),
    st.sampled_from(["bad\udc9bname", "\udcff"]),
)


def quoted(text: str) -> str:
    """A text as a scalar in double quotes, everything odd in it escaped, as YAML reads it."""
    return '"' + "".join(one if one.isalnum() and one.isascii() else f"\\U{ord(one):08x}" for one in text) + '"'


def write(folder: Path, name: str, text: str) -> str:
    """Write a file of a hostile name; gives the name."""
    path = folder / name
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text, encoding="utf-8")
    return name


def cloud_config(key: str, value: str) -> str:
    return (
        f"#cloud-config\n{quoted(key)}: {quoted(value)}\nlist: [{quoted(value)}, {quoted(key)}]\n"
        f"runcmd: {{{quoted(value)}: [{quoted(key)}]}}\npassword: {quoted(value)}\n"
    )


def environment(key: str, value: str, more: str) -> str:
    name = quoted(key)
    return (
        f"parameter_defaults:\n  {name}: {quoted(value)}\n  Map: {{{name}: [{quoted(more)}]}}\n"
        f"parameter_merge_strategies:\n  {name}: {quoted(more)}\n  Map: deep_merge\n"
    )


def documents(name: str, key: str, value: str) -> str:
    """A site of a policy, a parent, and a child that substitutes from a document of a hostile name."""
    return f"""---
schema: deckhand/LayeringPolicy/v1
metadata: {{schema: metadata/Control/v1, name: policy, storagePolicy: cleartext}}
data: {{layerOrder: [global, {quoted(key)}]}}
---
schema: example/Kind/v1
metadata:
  schema: metadata/Document/v1
  name: {quoted(name)}
  storagePolicy: cleartext
  labels: {{{quoted(key)}: {quoted(value)}}}
  layeringDefinition: {{layer: global, abstract: false}}
data: {{{quoted(key)}: {quoted(value)}, a: 1}}
---
schema: example/Kind/v1
metadata:
  schema: metadata/Document/v1
  name: child
  storagePolicy: cleartext
  layeringDefinition:
    layer: {quoted(key)}
    abstract: false
    parentSelector: {{{quoted(key)}: {quoted(value)}}}
    actions: [{{method: merge, path: .}}]
  substitutions:
  - src: {{schema: example/Kind/v1, name: {quoted(name)}, path: .}}
    dest: {{path: .taken}}
data: {{{quoted(key)}: {{x: {quoted(value)}}}, b: {quoted(key)}}}
"""


def tree(folder: Path, node: str, key: str, value: str) -> None:
    """A Datum folder with a node and a layer of hostile names."""
    write(
        folder,
        "Datum.yml",
        f"ResolutionPrecedence:\n- AllNodes\\all\\$($Node.NodeName)\n- Roles\\base\n"
        f"lookup_options:\n  {quoted(key)}: deep\n",
    )
    write(
        folder,
        f"AllNodes/all/{node}.yml",
        f"NodeName: {quoted(node)}\nConfigurations: [a]\n{quoted(key)}: {{a: {quoted(value)}}}\n",
    )
    write(
        folder,
        "AllNodes/all/plain.yml",
        f"NodeName: plain\nConfigurations: [{quoted(key)}]\n{quoted(key)}: {{a: {quoted(value)}}}\n",
    )
    write(folder, "Roles/base.yml", f"{quoted(key)}: {{b: {quoted(value)}}}\n")
