"""Heat environments: 200 files of 50 parameters, bytes to the merged environment, against openstack-heat.

Some parameters are lists and maps that are merged, as their strategies say. Both results are compared.

    python bench/environments.py [--quick] [--rows]
"""

from __future__ import annotations

import logging
import random
from typing import TYPE_CHECKING, Any

from rows import Row, absent, is_quick, print_rows, row

from lamina.session import default_session
from lamina.sources.inputs import Inputs, MemoryFiles, source_of
from lamina.sources.yaml.writer import dump
from lamina.views.render import render

if TYPE_CHECKING:
    from collections.abc import Iterator

FILES, PARAMETERS, NAMES = 200, 50, 400


def strategy_of(name: int) -> str | None:
    return {0: "merge", 1: "deep_merge"}.get(name % 10)


def value_of(name: int, random_: random.Random) -> Any:
    if name % 10 == 0:
        return [f"item-{random_.randrange(1000)}" for _ in range(3)]
    if name % 10 == 1:
        return {f"key{random_.randrange(20)}": {"port": random_.randrange(65536), "on": "yes"} for _ in range(3)}
    return f"value-{random_.randrange(100_000)}"


def environments() -> dict[str, str]:
    random_ = random.Random(7)
    files = {}
    for at in range(FILES):
        names = random_.sample(range(NAMES), PARAMETERS)
        strategies = {f"Parameter{name}": strategy for name in names if (strategy := strategy_of(name))}
        values = {f"Parameter{name}": value_of(name, random_) for name in names}
        files[f"{at:03}.yaml"] = dump({"parameter_merge_strategies": strategies, "parameter_defaults": values})
    return files


def template() -> str:
    kinds = {0: "comma_delimited_list", 1: "json"}
    declared = {f"Parameter{name}": {"type": kinds.get(name % 10, "string")} for name in range(NAMES)}
    return dump({"heat_template_version": "2018-08-31", "parameters": declared})


class Schema:
    """What the peer asks a declared parameter for."""

    LIST, MAP = "CommaDelimitedList", "Json"

    def __init__(self, name: int) -> None:
        self.type = {0: self.LIST, 1: self.MAP}.get(name % 10, "String")


def rows() -> Iterator[Row]:
    job, against = f"heat, {FILES} environments of {PARAMETERS} parameters", "openstack-heat"
    files, text = environments(), template()
    try:
        logging.disable(logging.CRITICAL)
        from heat.common import environment_util
    except Exception as error:  # a peer that is missing or broken is reported
        yield absent(job, against, f"{type(error).__name__}: {error}")
        return
    schemata = {f"Parameter{name}": Schema(name) for name in range(NAMES)}

    def theirs() -> Any:
        params: dict[str, Any] = {"parameters": {}, "parameter_defaults": {}}
        environment_util.merge_environments(list(files), files, params, schemata)
        return params["parameter_defaults"]

    files_beside = MemoryFiles({"template.yaml": text})
    inputs = Inputs(tuple(source_of(name, data) for name, data in files.items()), files_beside)

    def ours() -> Any:
        default_session().clear()
        return render(inputs, dialect="heat", template="template.yaml").plain["parameter_defaults"]

    note = "" if theirs() == ours() else "the values differ"
    yield row(job, against, theirs, ours, rounds=3 if is_quick() else 5, target=5, note=note)


if __name__ == "__main__":
    print_rows(rows())
