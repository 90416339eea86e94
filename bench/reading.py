"""Reading and writing against PyYAML's C classes.

Contenders run interleaved in one process; each figure is the median over rounds of the ratio of CPU time inside a
round, so that load from elsewhere disturbs it little. Usage: python bench/reading.py [ROUNDS]
"""

from __future__ import annotations

import gc
import random
import statistics
import sys
import time
from typing import TYPE_CHECKING, Any

import yaml

from lamina.sources import scalars, yaml_writer
from lamina.sources.source import Source
from lamina.sources.yaml_reader import read
from lamina.sources.yaml_writer import Writer, dump

if TYPE_CHECKING:
    from collections.abc import Callable


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


def seconds(run: Callable[[], object]) -> float:
    gc.collect()
    start = time.process_time()
    run()
    return time.process_time() - start


def compare(label: str, rounds: int, peer: Callable[[], object], ours: Callable[[], object]) -> None:
    ratios = []
    for _ in range(rounds):
        theirs = seconds(peer)
        ratios.append(theirs / seconds(ours))
    spread = f"{min(ratios):.2f} to {max(ratios):.2f}"
    print(f"{label:58} x{statistics.median(ratios):.2f}   ({spread})")


def forget() -> None:
    """Empty the memos, as at the first use."""
    scalars.PYYAML.memo.clear()
    yaml_writer._scalars.cache_clear()


class PlainDumper(yaml.CSafeDumper):
    def ignore_aliases(self, data: Any) -> bool:  # noqa: ARG002
        return True


def c_dump(value: Any) -> str:
    return str(yaml.dump(value, Dumper=PlainDumper, default_flow_style=False, sort_keys=False))


def main() -> None:
    rounds = int(sys.argv[1]) if len(sys.argv) > 1 else 9
    random_ = random.Random(7)
    big = cloud_config(random_, 1_000_000)
    small = [site_document(random_, at) for at in range(2_000)]
    stream = b"".join(small)
    values = [read(Source("s", data))[0].value for data in small]
    whole = read(Source("b", big))[0].value
    assert whole == yaml.load(big, Loader=yaml.CSafeLoader)
    assert dump(whole) == c_dump(whole)
    print(f"{len(big):,} bytes; {len(small):,} documents of {len(stream) // len(small)} bytes; against PyYAML in C")

    def load(data: bytes) -> object:
        return list(yaml.load_all(data, Loader=yaml.CSafeLoader))

    def cold(run: Callable[[], object]) -> Callable[[], object]:
        def go() -> object:
            forget()
            return run()

        return go

    def read_big() -> object:
        return read(Source("b", big))

    def read_small() -> object:
        return [read(Source("s", data)) for data in small]

    def dump_shared() -> object:
        writer = Writer(remember=True)
        return [writer.dump({"node": at, "shared": values[:40]}) for at in range(50)]

    def load_small() -> object:
        return [load(data) for data in small]

    compare("read 1 MB, with places", rounds, lambda: load(big), read_big)
    compare("read 1 MB, with places, memo cold", rounds, lambda: load(big), cold(read_big))
    compare("read 2,000 small documents one by one", rounds, load_small, read_small)
    compare("read 2,000 small documents one by one, memo cold", rounds, load_small, cold(read_small))
    compare("read 2,000 small documents as a stream", rounds, lambda: load(stream), lambda: read(Source("s", stream)))
    compare("write 1 MB", rounds, lambda: c_dump(whole), lambda: dump(whole))
    compare("write 1 MB, memo cold", rounds, lambda: c_dump(whole), cold(lambda: dump(whole)))
    compare(
        "write 2,000 small documents", rounds, lambda: [c_dump(v) for v in values], lambda: [dump(v) for v in values]
    )
    compare(
        "write 50 nodes that share nearly all",
        rounds,
        lambda: [c_dump({"node": at, "shared": values[:40]}) for at in range(50)],
        dump_shared,
    )


if __name__ == "__main__":
    main()
