"""Small inputs that expand to something huge, and large ones made of next to nothing."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

MIB = 1024 * 1024
Bomb = tuple[str, dict[str, str]]
"""A dialect and the files of an input."""


def bombs(*, all_of_them: bool) -> Iterator[tuple[str, Bomb]]:
    """Each with a name; those that take long to be rejected only where all are wanted."""
    yield from _aliases()
    yield from _patches()
    yield from _layers()
    yield "substituted text", ("deckhand", {"site.yaml": _substituted(3000, "x" * 1_000_000)})
    dense = dict(_dense())
    if all_of_them:
        yield "substituted lists", ("deckhand", {"site.yaml": _substituted(3000, "[" + "1, " * 100_000 + "]")})
        yield from dense.items()
    else:
        yield from ((name, dense[name]) for name in ("many lines", "many values in PowerShell"))


def shown_bombs() -> Iterator[tuple[str, dict[str, str]]]:
    """Cloud-configs of next to nothing whose history, or whose paths, would fill the memory."""
    numbers = ", ".join(map(str, range(1000)))
    many = f"x: &x [{numbers}]\nl: [{', '.join(['*x'] * 900)}]\n"
    yield "a long list laid over another", _parts("l: [1]\n", many)
    key = f'? "{"k" * 1_000_000}"\n: '
    values = [", ".join(f"k{i}: {i + more}" for i in range(60_000)) for more in (0, 1)]
    yield "many values below a long key", _parts(*(f"{key}{{{value}}}\n" for value in values))
    yield (
        "long texts in the place of a number",
        _parts("l: 1\n", f's: &s "{"x" * 500_000}"\nl: [{", ".join(["*s"] * 120)}]\n'),
    )
    yield "a long list laid over many", _parts(*(f"l: [{i}]\n" for i in range(1000)), many)


def _parts(*bodies: str) -> dict[str, str]:
    return {f"{number:04}": f"#cloud-config\n{body}" for number, body in enumerate(bodies)}


def _aliases() -> Iterator[tuple[str, Bomb]]:
    text = "x" * 1_000_000
    yield "a text in many places", _cloud_config(f's: &s "{text}"\nb: [{", ".join(["*s"] * 5000)}]\n')
    odd = "\U0001f600 " * 250_000
    yield "a text that grows when written", _cloud_config(f's: &s "{odd}"\nb: [{", ".join(["*s"] * 100)}]\n')
    lists = "".join(f"a{i}: &a{i} [{', '.join([f'*a{i - 1}'] * 10)}]\n" for i in range(1, 12))
    yield "lists in lists", _cloud_config(f"a0: &a0 [x]\n{lists}")
    maps = "".join(f"a{i}: &a{i} {{{', '.join(f'k{k}: *a{i - 1}' for k in range(10))}}}\n" for i in range(1, 12))
    yield (
        "mappings in mappings",
        ("heat", {"e.yaml": f"parameters:\n  a0: &a0 x\n  {maps.replace(chr(10), chr(10) + '  ')}"}),
    )
    keys = "".join(f"k{i}: 1, " for i in range(50_000))
    merged = "".join(f"a{i}: &a{i} {{<<: *a{i - 1}, x: 1}}\n" for i in range(1, 150))
    yield "merge keys", _cloud_config(f"a0: &a0 {{{keys}}}\n{merged}")


def _patches() -> Iterator[tuple[str, Bomb]]:
    def patch(*operations: Mapping[str, object], body: str = "a: [1]\n") -> Bomb:
        parts = [{"type": "text/cloud-config", "content": f"#cloud-config\n{body}"}]
        parts.append({"type": "text/cloud-config-jsonp", "content": "#cloud-config-jsonp\n" + json.dumps(operations)})
        return "cloud-init", {"archive": "#cloud-config-archive\n" + json.dumps(parts)}

    yield "a patch of many keys", patch(*({"op": "add", "path": f"/k{i}", "value": i} for i in range(20_000)))
    yield "a patch of many items", patch(*({"op": "add", "path": "/a/0", "value": i} for i in range(20_000)))
    yield "a patch of one place", patch(*({"op": "replace", "path": "/a", "value": i} for i in range(20_000)))
    yield "a patch that doubles", patch(*({"op": "copy", "from": "/a", "path": "/a/0"} for _ in range(100)))
    yield (
        "a patch that copies",
        patch(*({"op": "copy", "from": "/s", "path": f"/k{i}"} for i in range(20_000)), body=f's: "{"x" * 100_000}"\n'),
    )
    yield (
        "a patch that moves",
        patch(
            *({"op": "move", "from": f"/k{i}", "path": f"/k{i + 1}"} for i in range(20_000)),
            body="k0: [" + "1, " * 10_000 + "]\n",
        ),
    )


def _layers() -> Iterator[tuple[str, Bomb]]:
    def archive(*bodies: str) -> Bomb:
        parts = [{"type": "text/cloud-config", "content": f"#cloud-config\n{body}"} for body in bodies]
        return "cloud-init", {"archive": "#cloud-config-archive\n" + json.dumps(parts)}

    how = "merge_how: 'dict(recurse_list,recurse_str)+list(append)+str(append)'\n"
    yield "parts that add a key", archive(*(f"k{i}: 1\n" for i in range(8_000)))
    yield "parts that add to a long text", archive(f"a: {'x' * 10 * MIB}\n", *([f"a: y\n{how}"] * 1000))
    yield "parts that add to a long list", archive(f"a: [{'1, ' * 500_000}]\n", *([f"a: [1]\n{how}"] * 1000))


def _substituted(count: int, value: str) -> str:
    control = "metadata: {schema: metadata/Control/v1, name: p}"
    policy = f"schema: deckhand/LayeringPolicy/v1\n{control}\ndata: {{layerOrder: [s]}}\n"
    common = "schema: metadata/Document/v1, layeringDefinition: {layer: s, abstract: false}, storagePolicy: cleartext"
    source = f"schema: a/B/v1\nmetadata: {{name: source, {common}}}\ndata: {{x: {value}}}\n"
    taken = "substitutions: [{src: {schema: a/B/v1, name: source, path: .x}, dest: {path: .y}}]"
    takers = [f"schema: a/B/v1\nmetadata: {{name: d{i}, {common}, {taken}}}\ndata: {{}}\n" for i in range(count)]
    return "---\n".join([policy, source, *takers])


def _dense() -> Iterator[tuple[str, Bomb]]:
    """Inputs of 40 MiB or so in which nearly every byte is a value."""
    size = 40 * MIB
    yield "many empty lists", _cloud_config(f"a: [{'[],' * (size // 3)}]\n")
    yield "many numbers", ("heat", {"e.yaml": f"parameters: {{a: [{'1,' * (size // 2)}]}}\n"})
    yield "many dashes", _cloud_config("a:\n" + "- - - - -\n" * (size // 10))
    yield "many lines", _cloud_config("a:\n" + "- 1\n" * (size // 4))
    yield "many empty objects", ("heat", {"e.json": '{"parameters": {"a": [' + "{}," * (size // 3) + "{}]}}"})
    yield "many values in PowerShell", ("datum", {"layer.psd1": "@{a=@(" + "1," * (size // 4) + "1)}"})
    many = {f"e{i}.yaml": f"parameters: {{a{i}: [{'[],' * (MIB // 3)}]}}\n" for i in range(40)}
    yield "many files of empty lists", ("heat", many)


def _cloud_config(body: str) -> Bomb:
    return "cloud-init", {"user-data": f"#cloud-config\n{body}"}
