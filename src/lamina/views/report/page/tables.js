// Tables: the data written by Lamina. What each list of numbers holds is said in `output_rows.py` and `pattern_rows.py`;
// rows whose history follows from a pattern are filled in here, when they are looked at.

const text = (number) => (number < 0 ? "" : data.texts[number]);

const KINDS = ["mapping", "list", "text", "other", "gone", "secret"];
const [MAPPING, LIST, TEXT, OTHER, GONE] = KINDS.keys();
const [LEAF_OF_PATTERN, KEYS_OF_PATTERN, ITEMS_OF_PATTERN] = [KINDS.length, KINDS.length + 1, KINDS.length + 2];
const STANDINGS = ["set", "wins", "loses", "redundant", "removes"];
const LOSES = STANDINGS.indexOf("loses");
const EMPTY = [];
const LONGEST_LIST = 300;
const SIZE = /^\d+ (key|item)s?$/;

/** Every part in groups: where only numbers are given, there is one, with the layer and the source of the part before. */
function groupsOf(parts) {
  let head = EMPTY;
  return parts.map((part) => {
    const groups = typeof part[0] === "number" ? [head.concat(part)] : part;
    if (groups.length && groups === part) head = groups[0].slice(0, 3);
    return groups;
  });
}

data.parts = groupsOf(data.parts);

/** What a source has at a key or position: layer, place, text (twice its number, and one more if the value is a text). */
const writingAt = (() => {
  const known = new Map();
  return (slot, step) => {
    let part = known.get(slot);
    if (!part) {
      part = new Map();
      for (const group of data.parts[slot]) {
        const [layer, source, inner] = group;
        for (let at = 3; at < group.length; at += 4) part.set(group[at], [layer, data.places.push([source, group[at + 1], group[at + 2], inner]) - 1, group[at + 3]]);
      }
      known.set(slot, part);
    }
    return part.get(step);
  };
})();

const textOf = (written) => (written < 0 ? -1 : written >> 1);

/** The number of a text that the page writes itself: that of a position in a list, of a list, or of a size. */
const numberOf = (() => {
  const known = new Map();
  data.texts.forEach((one, number) => (one[0] === "[" || SIZE.test(one)) && known.set(one, number));
  return (shown) => {
    if (!known.has(shown)) known.set(shown, data.texts.push(shown) - 1);
    return known.get(shown);
  };
})();

/** The number of the text of a list, given those of its items; cut as `value_text.py` does it. */
function listNumber(items) {
  const shown = [...`[${items.join(", ")}]`];
  return numberOf(shown.length > LONGEST_LIST ? `${shown.slice(0, LONGEST_LIST - 1).join("")}…` : shown.join(""));
}

/** What a source has at a key where it has a list: as `writingAt`, with the text of that list. */
const listAt = (() => {
  const known = new Map();
  return (slot, step) => {
    const [layer, place, written] = writingAt(slot, step);
    if (!known.has(written)) {
      known.set(written, listNumber(itemsOf(partOf(written)).map((item) => text(textOf(item)))));
    }
    return [layer, place, known.get(written) * 2];
  };
})();

/** A row as the tables have it: numbers of texts, layers and places. */
class TableRow {
  constructor(step, inside) {
    this.step = step;
    this.inside = inside;
  }

  /** Whether more than one layer set what a row shows; nothing that holds other rows counts. */
  get contested() {
    return !this.inside.length && (this.kind === GONE || this.statuses.length > 2);
  }

  /** How many layers set a value here that another layer overrides. */
  get overridden() {
    const statuses = this.statuses;
    let count = 0;
    for (let at = 1; at < statuses.length; at += 2) if (statuses[at] === LOSES) count++;
    return count;
  }
}

/** A row with everything in it: origins (layer, place, …), numbers of events, standings (layer, status, …), hints. */
class WholeRow extends TableRow {
  constructor([kind, step, shown, origins = EMPTY, numbers = EMPTY, standings = EMPTY, hints = EMPTY, inside = EMPTY]) {
    super(step, inside);
    Object.assign(this, { kind, text: shown, origins, numbers, standings, hints });
  }

  get statuses() {
    return this.standings;
  }

  get events() {
    return this.numbers.map((number) => data.events[number]);
  }
}

/** A row whose history follows from a pattern and from what sources have, its writings. */
class PatternRow extends TableRow {
  constructor(step, inside, pattern) {
    super(step, inside);
    this.pattern = data.patterns[pattern];
  }

  get statuses() {
    return this.pattern[2];
  }

  get hints() {
    return EMPTY;
  }

  get origins() {
    return this.pattern[0].flatMap((at) => this.writing(at).slice(0, 2));
  }

  get standings() {
    return this.statuses.map((number, at) => (at % 2 ? number : this.writing(number)[0]));
  }

  get events() {
    return this.pattern[1].map(([rule, at, steps, output]) => {
      const [layer, place, written] = this.writing(at);
      return [rule, layer, place, this.inside.length ? -1 : textOf(written), this.pathOf(steps), output];
    });
  }

  pathOf() {
    return -1;
  }
}

/** A value that holds nothing further; its kind and text are those of what it comes from. */
class LeafRow extends PatternRow {
  constructor(step, pattern, slots) {
    super(step, EMPTY, pattern);
    this.slots = slots;
  }

  writing(at) {
    return writingAt(this.slots[at], this.step);
  }

  get written() {
    return this.writing(this.pattern[0][0])[2];
  }

  get kind() {
    return this.written % 2 ? TEXT : OTHER;
  }

  get text() {
    return textOf(this.written);
  }
}

/** A mapping or a list with the rows inside it. */
class CollectionRow extends PatternRow {
  constructor(raw, inside) {
    const [kind, step, shown, pattern, count] = raw;
    super(step, inside, pattern);
    this.kind = kind === KEYS_OF_PATTERN ? MAPPING : LIST;
    this.text = shown;
    this.slots = raw.slice(5, 5 + count);
  }

  writing(at) {
    return writingAt(this.slots[at], this.step);
  }
}

/** A list whose items are rows of their own. */
class ListRow extends CollectionRow {
  /** The number of the text of the whole list. */
  get whole() {
    return (this.written ??= this.write());
  }

  write() {
    return listNumber(this.inside.map((number) => text(data.rows[number].text)));
  }
}

/** An item of a list: its own writing, then each list that a layer has, then the whole list from each layer. */
class ItemRow extends LeafRow {
  constructor(list, position, pattern, slot, at) {
    super(numberOf(`[${position}]`), pattern, [slot]);
    this.list = list;
    this.at = at;
  }

  writing(at) {
    const { slots, step } = this.list;
    if (!at) return writingAt(this.slots[0], this.at);
    if (at <= slots.length) return listAt(slots[at - 1], step);
    const [layer, place] = writingAt(slots[at - 1 - slots.length], step);
    return [layer, place, this.list.whole * 2];
  }

  pathOf(steps) {
    return this.list.paths.get(steps) ?? -1;
  }
}

/** All rows. Those of items and of stacks are not in the data: they are numbered before what they are in, as all are. */
function tableRows(given) {
  const rows = [];
  const numbers = new Int32Array(given.length);
  const stacks = new Stacks(rows, numbers);
  given.forEach((raw, at) => {
    let row;
    if (raw[0] === LEAF_OF_PATTERN) row = new LeafRow(raw[1], raw[2], raw.slice(3));
    else if (raw[0] === KEYS_OF_PATTERN) row = new CollectionRow(raw, stacks.inside(raw.slice(5 + raw[4])));
    else if (raw[0] === ITEMS_OF_PATTERN) row = listRow(raw, rows);
    else {
      row = new WholeRow(raw);
      row.inside = stacks.inside(row.inside);
    }
    numbers[at] = rows.push(row) - 1;
  });
  for (const output of data.outputs) output.rows = stacks.inside(output.rows);
  return rows;
}

/** The row of a list, after those of its items. */
function listRow(raw, rows) {
  let at = 5 + raw[4];
  const row = new ListRow(raw, []);
  row.paths = new Map();
  for (let left = raw[at++]; left; left--) row.paths.set(raw[at++], raw[at++]);
  while (at < raw.length) {
    const [pattern, slot, start, count] = raw.slice(at, (at += 4));
    for (let one = 0; one < count; one++) row.inside.push(rows.push(new ItemRow(row, row.inside.length, pattern, slot, start + one)) - 1);
  }
  return row;
}

data.rows = tableRows(data.rows);
