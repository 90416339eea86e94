"""The rows in the data of a page, with everything in them, as the script of the page reads them."""

from __future__ import annotations

from typing import Any


def rows_of(data: dict[str, Any], output: int = 0) -> list[Any]:
    """The rows of an output, each before those inside it.

    Level, kind, step, text, origins (layer, place, …), events, statuses (layer, status, …), hints.
    """
    return [[*row, *([] for _ in range(8 - len(row)))] for row in data["outputs"][output]["rows"]]


def paths_of(data: dict[str, Any], output: int = 0) -> list[str]:
    """The path of each row."""
    above: list[str] = []
    paths: list[str] = []
    for level, _, step, *_ in data["outputs"][output]["rows"]:
        name = data["texts"][step]
        before = above[level - 1] if level else ""
        above[level:] = [f"{before}{name}" if not before or name.startswith("[") else f"{before}.{name}"]
        paths.append(above[level])
    return paths


def expanded(data: dict[str, Any]) -> list[Any]:
    """All that a page shows of each output, without the numbers."""

    def text(number: int) -> str:
        return data["texts"][number] if number >= 0 else ""

    def place(number: int) -> Any:
        return None if number < 0 else (text(data["places"][number][0]), *data["places"][number][1:3])

    def layer(number: int) -> Any:
        return None if number < 0 else tuple(text(part) for part in data["layers"][number])

    def event(number: int) -> Any:
        decided, *rest = data["events"][number]
        verdict, rule, at = data["rules"][decided]
        rest += [-1] * (6 - len(rest))
        value, path, output = (text(part) for part in rest[2:5])
        return (
            text(verdict),
            text(rule),
            place(at),
            layer(rest[0]),
            place(rest[1]),
            value,
            path,
            output,
            place(rest[5]),
        )

    def shown(row: Any) -> Any:
        layers = [layer(number) for number in row[4][::2]]
        statuses = [(layer(one), what) for one, what in zip(row[6][::2], row[6][1::2], strict=True)]
        return row[0], row[1], text(row[2]), text(row[3]), layers, [event(each) for each in row[5]], statuses

    return [
        (output["name"], [layer(each) for each in output["layers"]], [shown(row) for row in rows_of(data, number)])
        for number, output in enumerate(data["outputs"])
    ]
