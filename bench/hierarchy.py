"""A hierarchy of five levels, rendered whole for every node: 50, 500 and 2,000 nodes, files to results in memory.

The data (seed 7): node > role (20) > environment (6) > operating system (4) > common; 40 tables of 5 members, 200
leaves a node, 20 of them lists of 4 texts, which are merged. The peers put general items first, Datum specific ones:
the lists are compared sorted, all else as it is.

    python bench/hierarchy.py [--quick] [--rows]
"""

from __future__ import annotations

import json
import os
import random
import resource
import subprocess
import tempfile
from pathlib import Path
from typing import TYPE_CHECKING, Any

from rows import Row, absent, is_quick, of_pairs, print_rows, seconds

from lamina.cli.main import collecting_nothing
from lamina.dialects import registry as dialects
from lamina.run import Run
from lamina.session import Session
from lamina.sources.inputs import gather
from lamina.sources.yaml.writer import dump
from lamina.views.render import render_with

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

HERE = Path(__file__).parent
PUPPET = HERE.parent / ".bench/debian/puppet"
LEVELS = {"os": (4, 0.2), "environment": (6, 0.2), "role": (20, 0.2)}
"""How many files a level has and what share of the leaves each sets."""
TARGETS = {"kapicorp-reclass": 5.0, "reclass-rs": 15.0, "Hiera (Debian's puppet)": 14.0}
"""How many times as fast 2,000 nodes should be, by peer."""


def leaves(random_: random.Random, share: float, label: str, count: int = 200) -> dict[str, Any]:
    """The tables of one file: the leaves it sets."""
    made: dict[str, Any] = {}
    for at in range(count):
        if random_.random() >= share:
            continue
        table, member = f"table{at // 5:02}", f"member{at % 5}"
        value: Any = f"{label}-{random_.randrange(10_000)}"
        if at % 10 == 3:
            value = [f"{label}-{at}-{each}-{random_.randrange(100)}" for each in range(4)]
        made.setdefault(table, {})[member] = value
    return made


def data_set(nodes: int) -> dict[tuple[str, str], dict[str, Any]]:
    """All files, by level and name."""
    random_ = random.Random(7)
    files = {("common", "common"): leaves(random_, 1, "common")}
    for level, (count, share) in LEVELS.items():
        for at in range(count):
            files[level, f"{level}{at}"] = leaves(random_, share, f"{level}{at}")
    for at in range(nodes):
        files["node", f"node{at:05}"] = leaves(random_, 0.1, f"node{at}")
    return files


def belongs(at: int) -> dict[str, str]:
    """The files of a node, by level."""
    return {"os": f"os{at % 4}", "environment": f"environment{at // 3 % 6}", "role": f"role{at // 7 % 20}"}


def written(folder: Path, name: str, value: Any) -> None:
    path = folder / name
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(dump(value))


# Datum, by Lamina


def write_datum(folder: Path, files: dict[tuple[str, str], dict[str, Any]]) -> None:
    definition = {
        "ResolutionPrecedence": [
            "AllNodes\\$($Node.Name)", "role\\$($Node.Role)", "environment\\$($Node.Environment)", "os\\$($Node.OS)",
            "common\\common",
        ],
        "lookup_options": {"config": {"merge_hash": "deep", "merge_baseType_array": "Sum"}},
        "default_lookup_options": {"merge_hash": "deep", "merge_baseType_array": "Sum"},
    }  # fmt: skip
    written(folder, "Datum.yml", definition)
    for (level, name), tables in files.items():
        value: dict[str, Any] = {"config": tables}
        if level == "node":
            own = belongs(int(name.removeprefix("node")))
            keys = {"Name": name, "Role": own["role"], "Environment": own["environment"], "OS": own["os"]}
            written(folder, f"AllNodes/{name}.yml", {**keys, **value})
        else:
            written(folder, f"{level}/{name}.yml", value)


def by_lamina(folder: Path, names: list[str]) -> dict[str, Any]:
    """One node after the other in a session of its own, and no garbage collection, as in a worker of a fleet."""
    inputs = gather([str(folder)])
    dialect = dialects.find("datum")
    results = {}
    session = Session()
    with collecting_nothing():
        for name in names:
            options = dialects.make_options(dialect, {"node": name, "lookup": "config"})
            results[name] = render_with(dialect, inputs.in_run(Run(session)), options).plain
    return results


# reclass


def write_reclass(folder: Path, files: dict[tuple[str, str], dict[str, Any]]) -> None:
    (folder / "classes").mkdir(parents=True)
    for (level, name), tables in files.items():
        value: dict[str, Any] = {"parameters": {"config": tables}}
        if level == "node":
            own = belongs(int(name.removeprefix("node")))
            classes = ["common.common", *(f"{each}.{own[each]}" for each in ("os", "environment", "role"))]
            written(folder, f"nodes/{name}.yml", {"classes": classes, **value})
        else:
            written(folder, f"classes/{level}/{name}.yml", value)


def by_kapicorp(folder: Path) -> dict[str, Any]:
    from reclass import get_storage
    from reclass.core import Core
    from reclass.settings import Settings

    settings = Settings({})
    storage = get_storage("yaml_fs", str(folder / "nodes"), str(folder / "classes"), False)
    inventory = Core(storage, None, settings).inventory()
    return {name: node["parameters"]["config"] for name, node in inventory["nodes"].items()}


def by_reclass_rs(folder: Path) -> dict[str, Any]:
    from reclass_rs import Config, Reclass

    config = Config.from_dict(str(folder), {"nodes_uri": "nodes", "classes_uri": "classes"})
    inventory = Reclass.from_config(config).inventory()
    return {name: node.parameters["config"] for name, node in inventory.nodes.items()}


# Hiera


def write_hiera(folder: Path, files: dict[tuple[str, str], dict[str, Any]]) -> None:
    root = folder / "environments/production"
    paths = ["node/%{nodename}.yaml", "role/%{role}.yaml", "environment/%{env}.yaml", "os/%{osname}.yaml"]
    hierarchy = [{"name": "all", "paths": [*paths, "common/common.yaml"]}]
    written(root, "hiera.yaml", {"version": 5, "hierarchy": hierarchy})
    nodes = []
    for (level, name), tables in files.items():
        written(root / "data", f"{level}/{name}.yaml", {"config": tables})
        if level == "node":
            nodes.append({"name": name, **belongs(int(name.removeprefix("node")))})
    (folder / "nodes.json").write_text(json.dumps(nodes))


def by_hiera(folder: Path) -> dict[str, Any]:
    libraries = PUPPET / "usr/lib"
    gems = sorted(PUPPET.glob("usr/share/rubygems-integration/all/gems/*/lib"))
    multi = next(libraries.glob("*-linux-gnu"))
    ruby = [
        libraries / "ruby/vendor_ruby", *libraries.glob("ruby/3.*"), *multi.glob("ruby/3.*"),
        *multi.glob("ruby/vendor_ruby/3.*"), *gems, *(gem / "concurrent-ruby" for gem in gems),
    ]  # fmt: skip
    environ = {**os.environ, "LD_LIBRARY_PATH": str(multi), "RUBYLIB": ":".join(map(str, ruby))}
    command = next(iter(sorted(PUPPET.glob("usr/bin/ruby3*"))), None)
    if command is None:
        raise FileNotFoundError("Debian's puppet is not there")
    out = folder / "out.json"
    subprocess.run([command, HERE / "hiera.rb", folder, out], env=environ, check=True, capture_output=True)
    found: dict[str, Any] = json.loads(out.read_text())
    return found


PEERS: dict[str, tuple[Callable[[Path, Any], None], Callable[[Path], dict[str, Any]]]] = {
    "kapicorp-reclass": (write_reclass, by_kapicorp),
    "reclass-rs": (write_reclass, by_reclass_rs),
    "Hiera (Debian's puppet)": (write_hiera, by_hiera),
}


def children_seconds(run: Callable[[], object]) -> float:
    """The CPU time of a call, that of the processes it starts included."""

    def spent() -> float:
        used = resource.getrusage(resource.RUSAGE_CHILDREN)
        return used.ru_utime + used.ru_stime

    start = spent()
    return seconds(run) + spent() - start


def normal(value: Any) -> Any:
    if isinstance(value, list):
        return sorted(value)
    return {str(key): normal(inner) for key, inner in value.items()} if hasattr(value, "items") else value


def rows() -> Iterator[Row]:
    for count in (50, 200) if is_quick() else (50, 500, 2000):
        files = data_set(count)
        names = [name for level, name in files if level == "node"]
        with tempfile.TemporaryDirectory() as made:
            folder = Path(made)
            write_datum(folder / "datum", files)
            mine = normal(by_lamina(folder / "datum", names))
            for against, (write, render) in PEERS.items():
                job = f"hierarchy, {count:,} nodes, files to results"
                place = folder / against.split()[0]
                try:
                    write(place, files)
                    same = normal(render(place)) == mine
                except Exception as error:  # a peer that is missing or broken is reported, and the others go on
                    yield absent(job, against, f"{type(error).__name__}: {error}")
                    continue
                # The peers take long: they are measured once, and Lamina three times.
                peer = children_seconds(lambda: render(place))  # noqa: B023 - called at once
                ours = [seconds(lambda: by_lamina(folder / "datum", names)) for _ in range(3)]  # noqa: B023 - likewise
                pairs = [(peer, each) for each in ours]
                target = TARGETS[against] if count == 2000 else None
                yield of_pairs(job, against, pairs, target=target, note="" if same else "the values differ")


if __name__ == "__main__":
    print_rows(rows())
