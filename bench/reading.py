"""Reading and writing against PyYAML and ruamel.yaml.

LAMINA_BENCH_FOLDERS in the environment names folders, with colons between them, of which all YAML files are read, too.

Usage: python bench/reading.py [--quick] [--rows]
"""

from __future__ import annotations

import os
import random
from pathlib import Path
from typing import TYPE_CHECKING, Any

import yaml
from rows import Row, absent, is_quick, print_rows, row

from lamina.sources.source import Source
from lamina.sources.yaml.reader import read
from lamina.sources.yaml.writer import dump

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator


def cloud_config(random_: random.Random, size: int) -> bytes:
    """A document like a large cloud-config: users, files with content, packages, commands, settings."""
    out = ["#cloud-config", "write_files:"]
    length = at = 0
    while length < size:
        block = f"""\
- path: /etc/app/conf.d/{at}.conf
  owner: root:root
  permissions: '0644'
  append: {random_.choice(["true", "false"])}
  content: |
    [section-{at}]
    level = {random_.choice(["info", "debug", "warning"])}
    port = {random_.randint(1024, 65535)}
  labels: [web, tier-{at % 7}, zone-{at % 3}]
  retries: {random_.randint(0, 9)}
  weight: {random_.random():.3f}
  after:
    unit: network-{at % 11}.service
    timeout: {random_.randint(1, 600)}
    url: https://host-{at % 50}.example.org/path/{at}
"""
        out.append(block.rstrip())
        length += len(block)
        at += 1
    return "\n".join([*out, ""]).encode()


def site_document(random_: random.Random, at: int) -> bytes:
    """A document of about 500 bytes, like one of a site definition."""
    return f"""\
---
schema: example/Software/v1
metadata:
  schema: metadata/Document/v1
  name: chart-{at}
  layeringDefinition:
    abstract: false
    layer: {random_.choice(["global", "type", "site"])}
    actions:
    - method: merge
      path: .
  storagePolicy: cleartext
data:
  release: release-{at}
  wait: {{timeout: {random_.randint(100, 2000)}}}
  values:
    replicas: {random_.randint(1, 5)}
    image: registry.example.org/app-{at % 40}:1.{at % 9}
    enabled: true
    ports: [80, {random_.randint(1024, 65535)}]
""".encode()


class PlainDumper(yaml.CSafeDumper):
    def ignore_aliases(self, data: Any) -> bool:  # noqa: ARG002
        return True


def c_dump(value: Any) -> str:
    return str(yaml.dump(value, Dumper=PlainDumper, default_flow_style=False, sort_keys=False))


def rows() -> Iterator[Row]:
    rounds = 3 if is_quick() else 7
    random_ = random.Random(7)
    big = cloud_config(random_, 1_000_000)
    small = [site_document(random_, at) for at in range(2_000)]
    whole = read(Source("b", big))[0].value
    assert whole == yaml.load(big, Loader=yaml.CSafeLoader)
    assert dump(whole) == c_dump(whole)

    def compare(job: str, peer: Callable[[], object], ours: Callable[[], object], target: float | None = None) -> Row:
        against = "PyYAML CSafeLoader" if job.startswith("read") else "PyYAML CSafeDumper"
        return row(job, against, peer, ours, rounds=rounds, target=target)

    yield compare("read 1 MB, bytes to values with positions", lambda: load(big), lambda: read(Source("b", big)))
    yield from real_files(rounds)
    yield from slow_loaders(big[: big.rindex(b"\n- path", 0, 100_000) + 1], b"".join(small[:160]), rounds)
    yield compare("write 1 MB, values to text", lambda: c_dump(whole), lambda: dump(whole), 20)
    part = {"write_files": whole["write_files"][:50]}
    yield compare("write 20 KB, values to text", lambda: c_dump(part), lambda: dump(part), 1)


def real_files(rounds: int) -> Iterator[Row]:
    """All YAML files of the folders that are named, those left out that PyYAML rejects."""
    folders = [Path(name) for name in os.environ.get("LAMINA_BENCH_FOLDERS", "").split(os.pathsep) if name]
    if not folders:
        yield absent("read all YAML files of real folders", "PyYAML CSafeLoader", "LAMINA_BENCH_FOLDERS names none")
    for folder in folders:
        files = [path.read_bytes() for path in sorted(folder.rglob("*.y*ml")) if path.is_file()]
        taken = [data for data in files if is_loadable(data)]
        yield row(
            f"read {len(taken):,} YAML files of {folder.name}, bytes to values with positions",
            "PyYAML CSafeLoader",
            lambda: [load(data) for data in taken],  # noqa: B023 - called at once
            lambda: [read(Source("s", data), loader="c") for data in taken],  # noqa: B023 - likewise
            rounds=rounds,
            target=9,
        )


def is_loadable(data: bytes) -> bool:
    try:
        load(data)
    except (yaml.YAMLError, ValueError):
        return False
    return True


def slow_loaders(big: bytes, stream: bytes, rounds: int) -> Iterator[Row]:
    """Against the loaders that are not PyYAML's in C, on a tenth of the data."""
    for name, data in (("100 KB", big), ("160 small documents as a stream", stream)):
        job = f"read {name}, with positions"
        yield row(
            job,
            "PyYAML SafeLoader",
            lambda: list(yaml.load_all(data, Loader=yaml.SafeLoader)),  # noqa: B023 - called at once
            lambda: read(Source("s", data)),  # noqa: B023 - likewise
            rounds=rounds,
        )
        try:
            from ruamel.yaml import YAML
        except ImportError:
            yield absent(job, "ruamel.yaml round-trip", "not installed")
            continue
        yield row(
            job,
            "ruamel.yaml round-trip",
            lambda: list(YAML().load_all(data)),  # noqa: B023 - likewise
            lambda: read(Source("s", data)),  # noqa: B023 - likewise
            rounds=rounds,
        )


def load(data: bytes) -> object:
    return list(yaml.load_all(data, Loader=yaml.CSafeLoader))


if __name__ == "__main__":
    print_rows(rows())
