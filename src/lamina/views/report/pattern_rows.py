"""Rows whose histories follow from patterns: they name the pattern and the collections of sources in its slots.

The page fills such a row in: what each collection has at the key of the row (layer, place, text) is in the table of
parts, and the pattern says which of that is the value, which are events, and the status of each layer. That table
has only the parts that the page shows.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, TypeAlias

from lamina.paths import show, show_key
from lamina.views.report.history_patterns import equality_pattern, pattern_of
from lamina.views.report.interning import NONE
from lamina.views.report.outline_parts import INNER, ListedTable, UnknownPart
from lamina.views.report.row_content import ITEMS_OF_PATTERN, KEYS_OF_PATTERN, LEAF_OF_PATTERN, size_of
from lamina.views.report.row_size import EVENT, NUMBER, ROW
from lamina.views.report.value_text import LONGEST_COLLECTION, full, is_plain_string

if TYPE_CHECKING:
    from collections.abc import Collection, Hashable, Iterable, Sequence

    from lamina.budget import Budget
    from lamina.engine.node import Node
    from lamina.origins import Origin, PositionMap
    from lamina.paths import Path
    from lamina.views.report.history_patterns import Writing
    from lamina.views.report.interning import InternedTables
    from lamina.views.report.layer_record import LayerRecord
    from lamina.views.report.open_row import OpenRow
    from lamina.views.report.outline_parts import Kind, Mark, Part, PartPlace, WrittenPart
    from lamina.views.report.shared_parts import ItemRun, Sharing
    from lamina.views.report.shown_history import ShownHistories

Numbering: TypeAlias = "dict[Hashable, int]"
"""The number of the pattern for what histories have in common; NONE where it shows more than its writings."""

Listing: TypeAlias = "tuple[Any, ...]"
"""What the C extension lists members with: lines, columns, what locates them, an origin, numbers of keys and texts."""

_PLAIN = frozenset((str, int, bool, type(None)))
"""Types whose values are equal if their texts are."""


class PatternRows:
    """Makes the rows of one page that follow from patterns."""

    def __init__(
        self,
        tables: InternedTables,
        sharing: Sharing,
        histories: ShownHistories,
        layers: LayerRecord,
        budget: Budget,
    ) -> None:
        self._tables = tables
        self._sharing = sharing
        self._histories = histories
        self._layers = layers
        self._budget = budget
        self._collections: Numbering = {}
        self._leaves: Numbering = {}
        self._list_items: Numbering = {}
        self._heads: dict[tuple[str | None, str, str | None], tuple[int, int, int]] = {}
        """The numbers of a layer, of its source and of the part of that."""
        self._sizes: dict[int, int] = {}
        """The texts of the sizes of mappings."""
        self._steps: dict[str, int] = {}
        """The numbers of the texts of keys."""
        self._path_steps: dict[int, set[int]] = {}
        """How many steps the paths of events have, by the pattern of items."""
        self._paths: dict[tuple[int, ...], int] = {}
        """The texts of paths, by those of their keys."""
        self._events: list[int] = []
        """How many events each pattern has."""

    def step(self, key: Any) -> int:
        """The number of the text of a key."""
        if not isinstance(key, str):
            return self._tables.texts(show_key(key))
        spelling = str(key)  # keys may be equal without being spelled alike
        number = self._steps.get(spelling)
        if number is None:
            number = self._steps[spelling] = self._tables.texts(show_key(key))
        return number

    def part(self, last: OpenRow, key: Any, mark: Mark, kind: Kind) -> Part:
        """The part at a key of a row."""
        if last.outline is None or mark[0] in self._sharing.complex:
            raise UnknownPart
        return self._sharing.part_at(last.outline, key, kind)

    def collection(self, last: OpenRow, key: Any, mark: Mark) -> int:
        """The pattern of a collection's own history; NONE where it has none."""
        slots = mark[1]
        written = self._sharing.written
        for slot in slots:
            part = written[slot]
            if key not in part.places:
                if key not in part.value:
                    return NONE
                self.place(part, key)
        known = (mark[0], equality_pattern(slots))
        number = self._collections.get(known)
        if number is None:
            writings = [self._writing(written[slot], key, NONE) for slot in slots]
            number = self._collections[known] = self._pattern(last.node.child(key), writings, opens=True)
        return number

    def leaf(self, last: OpenRow, key: Any, mark: Mark) -> int | None:
        """The row of a value that holds nothing further; None where its history has no pattern."""
        number = self.leaf_pattern(last, key, mark)
        if number == NONE:
            return None
        self._budget.spend(size=ROW + EVENT * self._events[number])
        return self._tables.rows((LEAF_OF_PATTERN, self.step(key), number, *mark[1]))

    def leaf_pattern(self, last: OpenRow, key: Any, mark: Mark) -> int:
        """The pattern of the history of such a value; NONE where it has none."""
        written, slots = self._sharing.written, mark[1]
        if mark[0] in self._sharing.complex:
            return NONE
        layers: list[int] = []
        texts: list[int] = []
        for slot in slots:
            part = written[slot]
            found = part.leaves.get(key) or self._leaf(part, key)
            if found is None:
                return NONE
            layers.append(found[0])
            texts.append(found[1])
        known = (mark[0], equality_pattern(slots), equality_pattern(layers), equality_pattern(texts))
        number = self._leaves.get(known)
        if number is None:
            writings = [self._writing(written[slot], key, text) for slot, text in zip(slots, texts, strict=True)]
            number = self._leaves[known] = self._pattern(last.node.child(key), writings, origins=1)
        return number

    def mapping(self, done: OpenRow, slots: Sequence[int]) -> int:
        """The row of a mapping of which everything inside has its row."""
        self._budget.spend(size=ROW + EVENT * self._events[done.pattern] + NUMBER * len(done.rows))
        count = len(done.value)
        text = self._sizes.get(count)
        if text is None:
            text = self._sizes[count] = self._tables.texts(size_of(done.value))
        return self._tables.rows((KEYS_OF_PATTERN, done.step, text, done.pattern, len(slots), *slots, *done.rows))

    def items(self, last: OpenRow, key: Any, value: list[Any], mark: Mark) -> int | None:
        """The row of a list with its items; None where the history of the list or of an item has no pattern."""
        try:
            runs = self._sharing.item_runs(self.part(last, key, mark, list), mark)
        except UnknownPart:
            return None
        pattern = self.collection(last, key, mark)
        if pattern == NONE or sum(run[3] for run in runs) != len(value):
            return None
        items = self._items(last, key, value, mark, runs)
        if items is None:
            return None
        self._budget.spend(size=ROW + EVENT * self._events[pattern])
        size = self._tables.texts(size_of(value))
        return self._tables.rows((ITEMS_OF_PATTERN, self.step(key), size, pattern, len(mark[1]), *mark[1], *items))

    def _items(
        self, last: OpenRow, key: Any, value: list[Any], mark: Mark, runs: Sequence[ItemRun]
    ) -> tuple[int, ...] | None:
        """The items of a list, for its row; None where the history of one of them has no pattern.

        An event of an item may be about the list as one layer has it, or about the whole list. It then has the path of
        the list, as many steps of it as the pattern says: so a pattern is that of lists at one depth.

        How many paths there are, each with its number of steps, and for each run of items the pattern, the part they
        were written in, the first position there, and how many.
        """
        sharing, path = self._sharing, (*last.path, key)
        lists = [sharing.inner(sharing.written[slot], key, list) for slot in mark[1]]
        alike = self._alike_lists(lists, mark, key, runs)
        if alike is None:
            return None
        slots = {part.ident: at for at, part in enumerate(lists)}
        made: list[int] = []
        used: set[int] = set()
        position = 0
        for inner, ident, start, count in runs:
            known = (inner, slots[ident], alike, len(path))
            number = self._list_items.get(known)
            if number is None:
                node = last.node.child(key).child(position)
                written = sharing.written[ident]
                own = self._writing(written, start, written.items[start] if written.items else NONE)
                writings = [own, *self._about(key, value, mark)]
                number = self._list_items[known] = self._item_pattern(node, writings, path)
            if number == NONE:
                return None
            self._budget.spend(size=(ROW + EVENT * self._events[number]) * count)
            used.add(number)
            made += (number, ident, start, count)
            position += count
        return (*self._named(used, path), *made)

    def _alike_lists(
        self, lists: Sequence[WrittenPart], mark: Mark, key: Any, runs: Sequence[ItemRun]
    ) -> Hashable | None:
        """Which of the lists of layers are the same, and the same as the whole; None where an item has no pattern."""
        texts: list[Hashable] = []
        for part in lists:
            items = self.item_texts(part)
            if items is None:
                return None
            texts.append(items)
        whole: list[int] = []
        for inner, ident, start, count in runs:
            items = self._sharing.written[ident].items
            if inner in self._sharing.complex or items is None:
                return None
            whole += items[start : start + count]
        layers = [self.place(self._sharing.written[slot], key)[0][0] for slot in mark[1]]
        return equality_pattern(mark[1]), equality_pattern(layers), equality_pattern([*texts, tuple(whole)])

    def item_texts(self, part: WrittenPart) -> tuple[int, ...] | None:
        """The texts of all items of a list; None where one of them has no pattern, or is shown in several lines."""
        if part.items is None:
            texts = [text for item in part.value if (text := self.text_of(item)) is not None]
            if len(texts) == len(part.value) and not any(type(item) is str and "\n" in item for item in part.value):
                group = self._listed_items(part, texts)
                if group is not None:
                    part.items = tuple([text >> 1 for text in texts])
                    part.group = group
        return part.items

    def _listed_items(self, part: WrittenPart, texts: Sequence[int]) -> list[int] | None:
        """What the page has of the items of a list; None if they are not all in one source."""
        group: list[int] = []
        known_source = known_within = None
        for at, (text, record) in enumerate(zip(texts, part.records(), strict=True)):
            source, line, column, within = origin = part.positions.origin(record)
            if not group:
                known_source, known_within = source, within
                group += self._heads.get((part.layer, source, within)) or self.head(part, origin)
            elif source != known_source or within != known_within:
                return None
            group += (at, line, column, text)
        return group or [NONE, NONE, NONE]

    def _about(self, key: Any, value: list[Any], mark: Mark) -> list[Writing]:
        """What events of items may be about besides the item: the list of each layer, and the whole list."""
        parts = [self._sharing.written[slot] for slot in mark[1]]
        own = [self._writing(part, key, self._histories.value(part.value[key])) for part in parts]
        whole = self._histories.value(value)
        return own + [(layer, place, whole) for layer, place, _ in own]

    def _item_pattern(self, node: Node, writings: Sequence[Writing], path: Path) -> int:
        number = self._pattern(node, writings, path)
        return number if number == NONE or self._tables.patterns.entry(number).origins == (0,) else NONE

    def _named(self, used: Iterable[int], path: Path) -> list[int]:
        """What patterns of items name: the paths, of which there are that many; the page writes the lists."""
        steps: set[int] = set()
        for number in used:
            known = self._path_steps.get(number)
            if known is None:
                events = self._tables.patterns.entry(number).events
                known = self._path_steps[number] = {each for _, _, each, _ in events if each}
            steps |= known
        named = [len(steps)]
        for each in sorted(steps):
            spelling = tuple([self.step(key) for key in path[-each:]])
            text = self._paths.get(spelling)
            if text is None:
                text = self._paths[spelling] = self._tables.texts(show(path[-each:]))
            named += (each, text)
        return named

    def _pattern(
        self,
        node: Node,
        writings: Sequence[Writing],
        above: Path = (),
        *,
        opens: bool = False,
        origins: int | None = None,
    ) -> int:
        """The number of the pattern of a node's history; NONE where it has none, or not as many origins."""
        shown = self._histories.of(node, self._histories.events(node), opens=opens)
        pattern = pattern_of(shown, writings, above)
        if pattern is None or (origins is not None and len(pattern.origins) != origins):
            return NONE
        number = self._tables.patterns(pattern)
        if number == len(self._events):
            self._events.append(len(pattern.events))
        return number

    # What the parts have

    def text_of(self, value: Any) -> int | None:
        """The number of the text of a value, with a sign as on the page; None for values of which not all is in it."""
        if type(value) is str and len(value) < LONGEST_COLLECTION and is_plain_string(value):
            return self._tables.texts.shown(value) * 2 + 1
        if type(value) not in _PLAIN:
            return None
        text = full(value)
        return None if len(text) >= LONGEST_COLLECTION else self._tables.texts(text) * 2 + (type(value) is str)

    def listing(self, positions: PositionMap, origin: Origin) -> Listing:
        """What the C extension lists members with, among that the numbers that are known here.

        Of a file, a position needs no look at what locates it: it is counted from one, and that is all.
        """
        place = positions.lines, positions.columns, None if positions.is_of_file else positions.locate, origin
        return *place, self._steps, self.step, self._tables.texts.numbers, self.text_of

    def spend(self, size: int) -> None:
        """Count the texts of a listing."""
        self._budget.spend(size=size)

    def place(self, part: WrittenPart, key: Any) -> PartPlace:
        """Where a source has what it has at a key or position; it is shown."""
        found = part.places.get(key)
        if found is None:
            found = part.places[key] = self.located(part, part.record(key))
        return found

    def located(self, part: WrittenPart, record: int) -> PartPlace:
        """Where a source has what has a record."""
        source, line, column, inner = origin = part.positions.origin(record)
        return self._heads.get((part.layer, source, inner)) or self.head(part, origin), line, column

    def head(self, part: WrittenPart, origin: Origin) -> tuple[int, int, int]:
        """The numbers of the layer of a part, of its source and of the part of that."""
        source, _, _, inner = origin
        head = self._heads.get((part.layer, source, inner))
        if head is None:
            tables = self._tables
            head = self._layers.named(part.layer, origin), tables.texts(source), tables.text(inner)
            self._heads[part.layer, source, inner] = head
        return head

    def _leaf(self, part: WrittenPart, key: Any) -> tuple[int, int] | None:
        """The layer and the text of a value in a source; None for values of which not all is in the text."""
        # What another output has somewhere may have been taken from a collection that holds no such key.
        text = self.text_of(part.value[key]) if key in part.value else None
        if text is None:
            return None
        found = part.leaves[key] = self.place(part, key)[0][0], text >> 1
        return found

    def _writing(self, part: WrittenPart, key: Any, text: int) -> Writing:
        """The layer, the place and the text of what a source has at a key or position."""
        (layer, source, inner), line, column = self.place(part, key)
        return layer, self._tables.places((source, line, column, inner)), text

    def sources(self) -> list[int]:
        """The texts of the names of all sources that parts are in."""
        return list(dict.fromkeys(source for _, source, _ in self._heads.values()))

    def parts(self) -> list[list[list[int]] | list[int]]:
        """What the page may show of each part, in groups, nearly always one: what is in one layer and one source.

        A group has the numbers of the layer, the source and the part of that, and then, for everything asked for, the
        step, the line, the column and the text. The step is a position in a list, else the number of a key's text. The
        text is a number with a sign: -1 where there is none, 2n for the n-th text, 2n+1 if the value is itself a text.
        In a mapping, -2-2n is the n-th part, if that is a mapping of a stack, and -3-2n if it is a list.

        Where a part is in the same layer and source as the one before, the numbers of its group follow without these.
        """
        shown: list[list[list[int]] | list[int]] = []
        head: list[int] = []
        """That of the part before."""
        for part in self._sharing.written:
            if isinstance(part, ListedTable):
                own = part.head
                shown.append(part.group if own == head else [[*own, *part.group]])
                head = own
                continue
            groups = self._groups(part)
            if not groups:
                shown.append([])
                continue
            own, numbers = groups[0][:3], groups[0][3:]
            shown.append(numbers if own == head and len(groups) == 1 and numbers else groups)
            head = own
        return shown

    def _groups(self, part: WrittenPart) -> list[list[int]]:
        if part.group is not None and part.packed is not None:
            for key, inner in part.parts.items():
                if inner.items is not None:
                    part.group[6 + 4 * part.packed[0][key][0]] = INNER - 2 * inner.ident - 1
        if not part.places:
            return [] if part.group is None else [part.group]
        groups: dict[tuple[int, ...], list[int]] = {}
        is_list = isinstance(part.value, list)
        leaves, parts, value = part.leaves, part.parts, part.value
        listed: Collection[int] = ()
        if part.group is not None:
            groups[()] = part.group  # the first; a stack shows no more than that
            listed = part.group[3::4]
        for key, (head, line, column) in part.places.items():
            step = key if is_list else self.step(key)
            if step in listed:
                continue
            text = NONE
            if (leaf := leaves.get(key)) is not None:
                text = leaf[1] * 2 + (type(value[key]) is str)
            elif key in parts and parts[key].items is not None:
                text = INNER - 2 * parts[key].ident - 1
            group = groups.get(head)
            if group is None:
                group = groups[head] = [*head]
            group += (step, line, column, text)
        return list(groups.values())
