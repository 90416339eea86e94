"""The rows in the data of a page, filled in as the script of the page does it."""

from __future__ import annotations

from typing import Any

from lamina.views.report.mapping_stacks import FIRST_STACK
from lamina.views.report.outline_parts import INNER
from lamina.views.report.row_content import (
    ITEMS_OF_PATTERN,
    KEYS_OF_PATTERN,
    LEAF_OF_PATTERN,
    LIST,
    MAPPING,
    OTHER,
    TEXT,
)
from lamina.views.report.value_text import LONGEST_COLLECTION, cut

NONE = -1


def rows_of(data: dict[str, Any], output: int = 0) -> list[Any]:
    """The rows of an output, each before those inside it.

    Kind, step, text, origins (layer, place, …), events, statuses (layer, status, …), hints, rows inside; the events of
    rows that follow from patterns are added to the table.
    """
    filling = _Filling(data)
    found: list[Any] = []
    todo = [filling.row(number) for number in reversed(filling.inside(data["outputs"][output]["rows"]))]
    while todo:
        row = todo.pop()
        found.append(row)
        todo.extend(reversed([filling.row(inner) for inner in row[-1]]))
    return found


def filled_row(data: dict[str, Any], row: Any) -> list[Any]:
    """One row with all its fields; what is inside of one is given back to this function."""
    return _Filling(data).row(row)


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
        layers = [layer(number) for number in row[3][::2]]
        statuses = [(layer(one), what) for one, what in zip(row[5][::2], row[5][1::2], strict=True)]
        return row[0], text(row[1]), text(row[2]), layers, [event(each) for each in row[4]], statuses, len(row[7])

    return [
        (output["name"], [layer(each) for each in output["layers"]], [shown(row) for row in rows_of(data, number)])
        for number, output in enumerate(data["outputs"])
    ]


def groups_of(parts: list[Any]) -> list[list[list[int]]]:
    """Every part in groups; most are given without the layer and the source, which are those of the part before."""
    found: list[list[list[int]]] = []
    head: list[int] = []
    for part in parts:
        if part and isinstance(part[0], int):
            found.append([[*head, *part]])
        else:
            found.append(part)
            head = part[0][:3] if part else head
    return found


class _Filling:
    def __init__(self, data: dict[str, Any]) -> None:
        self._data = data
        self._parts = groups_of(data["parts"])

    def row(self, row: Any) -> list[Any]:
        """A row by its number; the rows of items are given as they are."""
        if not isinstance(row, int):
            return list(row)
        fields = list(self._data["rows"][row])
        return self._filled(fields)

    def _filled(self, fields: list[Any]) -> list[Any]:
        if fields[0] == LEAF_OF_PATTERN:
            _, step, pattern, *slots = fields
            return self._leaf(step, pattern, [self._writing(slot, step) for slot in slots])
        if fields[0] in (KEYS_OF_PATTERN, ITEMS_OF_PATTERN):
            kind, step, text, pattern, count, *rest = fields
            slots, rest = rest[:count], rest[count:]
            writings = [(*self._writing(slot, step)[:2], NONE) for slot in slots]
            inside = self.inside(rest) if kind == KEYS_OF_PATTERN else self._items(step, slots, rest)
            kind = MAPPING if kind == KEYS_OF_PATTERN else LIST
            return [kind, step, text, *self._history(pattern, writings), (), inside]
        fields += [()] * (8 - len(fields))
        return [*fields[:7], self.inside(fields[7])]

    def inside(self, numbers: Any) -> list[Any]:
        """The rows inside a row: numbers, and those of stacks filled in."""
        found: list[Any] = []
        for number in numbers:
            if isinstance(number, int) and number <= FIRST_STACK:
                pattern, depth, *rest = self._data["stacks"][FIRST_STACK - number]
                found += self._stack(pattern, rest[depth:], tuple(rest[:depth]))
            else:
                found.append(number)
        return found

    def _stack(self, number: int, slots: list[int], path: tuple[int, ...]) -> list[Any]:
        """The rows of a stack."""
        live, leaves, mappings, lists, others = self._data["stack_patterns"][number]
        patterns = dict(zip(leaves[::2], leaves[1::2], strict=True))
        inner = dict(zip(mappings[::3], zip(mappings[1::3], mappings[2::3], strict=True), strict=True))
        given = {tuple(key): row for row, *key in others}
        members = [self._members(slot) for slot in slots]
        steps = dict.fromkeys(step for at, known in enumerate(members) if live >> at & 1 for step in known)
        found: list[Any] = []
        for step in steps:
            held = [at for at, known in enumerate(members) if step in known]
            texts = [members[at][step] for at in held]
            own = [slots[at] for at in held]
            code = sum(held[texts.index(text)] + 1 << 4 * at for at, text in zip(held, texts, strict=True))
            if (step, *own) in given:
                found.append(given[step, *own])
            elif texts[0] >= 0:
                found.append(self._filled([LEAF_OF_PATTERN, step, patterns[code], *own]))
            elif (INNER - texts[0]) % 2:
                parts = [(INNER - text) // 2 for text in texts]
                found.append(self._list_row({code: rest for code, *rest in lists}, held, own, parts, (*path, step)))
            else:
                code = sum(held[own.index(slot)] + 1 << 4 * at for at, slot in zip(held, own, strict=True))
                pattern, stack = inner[code]
                inside = self._stack(stack, [(INNER - text) // 2 for text in texts], (*path, step))
                size = self._text(f"{len(inside)} key{'s' * (len(inside) != 1)}")
                row = self._filled([KEYS_OF_PATTERN, step, size, pattern, len(own), *own])
                found.append([*row[:7], inside])
        return found

    def _list_row(
        self, templates: dict[int, list[int]], held: list[int], own: list[int], parts: list[int], path: tuple[int, ...]
    ) -> list[Any]:
        """The row of a list in a stack."""
        lists = [self._parts[part][0][6::4] for part in parts]
        code = sum(held[lists.index(items)] + 1 << 4 * at for at, items in zip(held, lists, strict=True))
        pattern, count, *rest = templates[code]
        paths = [
            number
            for steps in rest[:count]
            for number in (steps, self._text(".".join(self._data["texts"][step] for step in path[-steps:])))
        ]
        runs = zip(rest[count::2], rest[count + 1 :: 2], strict=True)
        made = [number for inner, at in runs for number in (inner, parts[at], 0, len(lists[at]))]
        items = sum(made[3::4])
        size = self._text(f"{items} item{'s' * (items != 1)}")
        return self._filled([ITEMS_OF_PATTERN, path[-1], size, pattern, len(own), *own, count, *paths, *made])

    def _members(self, slot: int) -> dict[int, int]:
        """The text, or the part, of each member of a part."""
        group = self._parts[slot][0]
        return dict(zip(group[3::4], group[6::4], strict=True))

    def _items(self, step: int, slots: list[int], rest: list[int]) -> list[Any]:
        paths, *rest = rest
        known = dict(zip(rest[: paths * 2 : 2], rest[1 : paths * 2 : 2], strict=True))
        own = [self._list(slot, step) for slot in slots]
        items = [
            (pattern, slot, position)
            for pattern, slot, start, count in zip(*(rest[paths * 2 + at :: 4] for at in range(4)), strict=True)
            for position in range(start, start + count)
        ]
        texts = [self._data["texts"][self._writing(slot, position)[2] // 2] for _, slot, position in items]
        whole = self._list_text(texts)
        about = own + [(*writing[:2], whole * 2) for writing in own]
        found: list[Any] = []
        for pattern, slot, position in items:
            writings = [self._writing(slot, position), *about]
            found.append(self._leaf(self._text(f"[{len(found)}]"), pattern, writings, known))
        return found

    def _list(self, slot: int, step: int) -> tuple[int, int, int]:
        """The list that a source has at a key, with its text."""
        layer, place, written = self._writing(slot, step)
        groups = self._parts[(INNER - written) // 2]
        texts = [self._data["texts"][text // 2] for text in (groups[0][6::4] if groups else ())]
        return layer, place, self._list_text(texts) * 2

    def _list_text(self, items: list[str]) -> int:
        return self._text(cut(f"[{', '.join(items)}]", LONGEST_COLLECTION))

    def _text(self, text: str) -> int:
        if text not in self._data["texts"]:
            self._data["texts"].append(text)
        number: int = self._data["texts"].index(text)
        return number

    def _writing(self, slot: int, step: int) -> tuple[int, int, int]:
        layer, source, inner, line, column, text = next(
            (*group[:3], *group[at + 1 : at + 4])
            for group in self._parts[slot]
            for at in range(3, len(group), 4)
            if group[at] == step
        )
        self._data["places"].append((source, line, column, inner))
        return layer, len(self._data["places"]) - 1, text

    def _leaf(self, step: int, pattern: int, writings: list[Any], paths: dict[int, int] | None = None) -> list[Any]:
        text = writings[self._data["patterns"][pattern][0][0]][2]
        kind = TEXT if text % 2 else OTHER
        return [kind, step, text // 2, *self._history(pattern, writings, paths or {}), (), ()]

    def _history(self, pattern: int, writings: list[Any], paths: dict[int, int] | None = None) -> tuple[Any, ...]:
        origins, events, statuses = self._data["patterns"][pattern]
        return (
            [number for at in origins for number in writings[at][:2]],
            [self._event(event, writings, paths or {}) for event in events],
            [number if at % 2 else writings[number][0] for at, number in enumerate(statuses)],
        )

    def _event(self, event: tuple[int, int, int, int], writings: list[Any], paths: dict[int, int]) -> int:
        rule, at, steps, output = event
        layer, place, text = writings[at]
        path = paths[steps] if steps else NONE
        self._data["events"].append((rule, layer, place, NONE if text == NONE else text // 2, path, output))
        return len(self._data["events"]) - 1
