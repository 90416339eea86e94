"""Eight threads render a thousand different inputs of all dialects; run by test_session.py in a process of its own."""

from __future__ import annotations

import gc
import json
import sys
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import lamina
from lamina.session import default_session
from lamina.sources.inputs import Folder, MemoryFiles

RENDERS = 1000
THREADS = 8


def cloud_init(at: int) -> dict[str, Any]:
    own = "".join(f"key{at}_{number}: {{name: host{at}, list: [1, {number}]}}\n" for number in range(20))
    return {
        "inputs": [
            ("base.yaml", f"#cloud-config\npackages: [a, b{at % 7}]\nruncmd: [x]\n"),
            (
                "own.yaml",
                f"#cloud-config\nmerge_how: 'list(append)+dict(recurse_list)+str()'\npackages: [c{at}]\n{own}",
            ),
        ],
        "dialect": "cloud-init",
    }


def heat(at: int) -> dict[str, Any]:
    own = "".join(f"  p{number}: [{at}, {number}]\n" for number in range(20))
    return {
        "inputs": [
            ("base.yaml", f"parameters: {{name: base, size: {at % 5}}}\n"),
            ("own.yaml", f"parameters:\n  name: own{at}\n{own}parameter_defaults: {{a: {{b: {at}}}}}\n"),
        ],
        "dialect": "heat",
    }


LAYERS = """---
schema: deckhand/LayeringPolicy/v1
metadata: {schema: metadata/Control/v1, name: policy}
data: {layerOrder: [global, site]}
---
schema: example/Thing/v1
metadata:
  schema: metadata/Document/v1
  name: base
  labels: {part: base}
  layeringDefinition: {abstract: true, layer: global}
  storagePolicy: cleartext
data: {a: {x: 1, y: 2}, list: [1]}
"""


def deckhand(at: int) -> dict[str, Any]:
    own = f"""---
schema: example/Thing/v1
metadata:
  schema: metadata/Document/v1
  name: own{at}
  layeringDefinition:
    abstract: false
    layer: site
    parentSelector: {{part: base}}
    actions:
    - {{method: merge, path: .}}
    - {{method: delete, path: .a.x}}
  storagePolicy: cleartext
data: {{a: {{z{at}: {at}}}, list: [{at}]}}
"""
    return {"inputs": [("site.yaml", LAYERS + own)], "dialect": "deckhand"}


def datum(at: int) -> dict[str, Any]:
    files = {
        "Datum.yml": "ResolutionPrecedence: [AllNodes\\$($Node.Name), Roles\\$($Node.Role), Common\\Baseline]\n"
        "lookup_options:\n  Conf: deep\n  List: Unique\n",
        f"AllNodes/n{at}.yml": f"Name: n{at}\nRole: web\nConf: {{own: {at}, deep: {{a: {at}}}}}\nList: [n{at}]\n",
        "Roles/web.yml": f"Conf: {{role: web, deep: {{b: {at % 3}}}}}\nList: [web, n{at}]\n",
        "Common/Baseline.yml": "Configurations: [Conf, List]\nConf: {base: true, deep: {a: 0, c: 1}}\nList: [base]\n",
    }
    inputs = [Folder("tree", MemoryFiles(files))]
    return {"inputs": inputs, "dialect": "datum", "node": f"n{at}"}


def rendered(at: int, session: lamina.Session) -> str:
    given = (cloud_init, heat, deckhand, datum)[at % 4](at)
    result = lamina.render(given.pop("inputs"), session=session, **given)
    return json.dumps([result.to_yaml(), result.to_json(), list(map(str, result.notes))])


def resident() -> int:
    """What the process takes, in KB."""
    status = Path("/proc/self/status").read_text()
    return int(status.partition("VmRSS:")[2].split()[0])


def main() -> None:
    alone = [rendered(at, lamina.Session()) for at in range(RENDERS)]
    gc.collect()
    blocks = sys.getallocatedblocks()
    sys.setswitchinterval(1e-6)
    different, left, taken = [], [], []
    for session in (lamina.Session(), lamina.Session(), default_session()):
        # Neighbours are of one dialect, so that its code runs in several threads at a time.
        order = sorted(range(RENDERS), key=lambda at: at % 4)
        with ThreadPoolExecutor(THREADS) as threads:
            texts = threads.map(rendered, order, [session] * RENDERS)
            different += [at for at, text in zip(order, texts, strict=True) if text != alone[at]]
        if session is not default_session():
            session.close()
        gc.collect()
        left.append(sys.getallocatedblocks() - blocks)
        taken.append(resident())
    found = {"renders": len(alone), "different": different, "left": left, "grown": [each - taken[0] for each in taken]}
    print(json.dumps({**found, "collecting": gc.isenabled(), "frozen": gc.get_freeze_count()}))


if __name__ == "__main__":
    main()
