// Stacks: mappings that layers stack. Their rows are not in the data: they follow from what each layer has at a key and
// from patterns, as `mapping_stacks.py` says. Rows that stacks have in common are made once.

const FIRST_STACK = -2;
const FIRST_INNER = -2;
const FEW_NUMBERS = 64;

/** Whether a list is in the place of a text, and the part that it or a mapping is. */
const isList = (value) => (FIRST_INNER - value) % 2 === 1;
const partOf = (value) => (FIRST_INNER - value) >> 1;

/** The texts of the items of a list, by number. */
const itemsOf = (part) => (data.parts[part][0] ?? EMPTY).filter((_, at) => at > 5 && at % 4 === 2);

const sizeNumber = (count, what) => numberOf(`${count} ${what}${count === 1 ? "" : "s"}`);

/** Numbers in a list, two by two. */
function* pairsOf(numbers) {
  for (let at = 0; at < numbers.length; at += 2) yield [numbers[at], numbers[at + 1]];
}

/** Where a part has a step among the numbers of its members, each of which has four; -1 if it does not have it. */
const memberAt = (() => {
  const known = new Map();
  return (slot, group, step) => {
    if (group.length <= FEW_NUMBERS) {
      for (let at = 3; at < group.length; at += 4) if (group[at] === step) return at;
      return -1;
    }
    let places = known.get(slot);
    if (!places) {
      places = new Map();
      for (let at = 3; at < group.length; at += 4) places.set(group[at], at);
      known.set(slot, places);
    }
    return places.get(step) ?? -1;
  };
})();

/** The rows that are known, by the slots that have the key: one of these nodes for each slot, one after the other. */
class SlotNode {
  constructor() {
    this.rows = new Map();
    this.next = new Map();
  }

  at(slot) {
    let node = this.next.get(slot);
    if (!node) this.next.set(slot, (node = new SlotNode()));
    return node;
  }
}

class StackPattern {
  constructor([live, leaves, mappings, lists, others]) {
    this.live = live;
    this.lists = new Map(lists.map(([code, ...template]) => [code, template]));
    this.leaves = new Map();
    this.mappings = new Map();
    this.others = others;
    this.roots = new Map();
    for (let at = 0; at < leaves.length; at += 2) this.leaves.set(leaves[at], leaves[at + 1]);
    for (let at = 0; at < mappings.length; at += 3) this.mappings.set(mappings[at], [mappings[at + 1], mappings[at + 2]]);
  }

  /** The rows that are known where stacks with a path are. */
  root(path) {
    let root = this.roots.get(path);
    if (!root) {
      this.roots.set(path, (root = new SlotNode()));
      // Rows in the data get their number when they are read: until then, it is the one that they have in the data.
      for (const [row, step, ...slots] of this.others) slots.reduce((node, slot) => node.at(slot), root).rows.set(step, ~row);
    }
    return root;
  }

  isLive(at) {
    return (this.live >> at) & 1;
  }
}

class Stacks {
  /** `rows` are the rows made so far, `numbers` the numbers of those in the data. */
  constructor(rows, numbers) {
    this.rows = rows;
    this.numbers = numbers;
    this.paths = new Map();
    this.patterns = data.stack_patterns.map((raw) => new StackPattern(raw));
  }

  /** The numbers of the rows inside a row: rows in the data, or stacks. */
  inside(given) {
    return given.flatMap((number) => (number < 0 ? this.ofStack(data.stacks[FIRST_STACK - number]) : this.numbers[number]));
  }

  ofStack([pattern, depth, ...rest]) {
    this.top = rest.slice(0, depth).join();
    return this.within(this.patterns[pattern], rest.slice(depth), rest.slice(0, depth));
  }

  /** The rows of a stack, or of one in another: the keys of the slots that are in the value, slot by slot. */
  within(pattern, slots, path) {
    const groups = slots.map((slot) => data.parts[slot][0]);
    const places = new Int32Array(slots.length);
    const found = [];
    groups.forEach((group, first) => {
      if (!pattern.isLive(first)) return;
      for (let own = 3; own < group.length; own += 4) {
        let before = false;
        for (let at = 0; at < slots.length; at++) {
          places[at] = at === first ? own : memberAt(slots[at], groups[at], group[own]);
          if (places[at] >= 0 && at < first && pattern.isLive(at)) before = true;
        }
        if (!before) found.push(this.row(pattern, slots, groups, places, [...path, group[own]]));
      }
    });
    return found;
  }

  /** The number of the row at a key, the last of a path; `places` says where each slot has it. */
  row(pattern, slots, groups, places, path) {
    const step = path[path.length - 1];
    let node = pattern.root(this.top);
    for (let at = 0; at < slots.length; at++) if (places[at] >= 0) node = node.at(slots[at]);
    let number = node.rows.get(step);
    if (number === undefined) {
      const held = [...slots.keys()].filter((at) => places[at] >= 0);
      const own = held.map((at) => slots[at]);
      const values = held.map((at) => groups[at][places[at] + 3]);
      // What is made inside is numbered before what it is in, as all rows are.
      const made = this.made(pattern, held, own, values, path);
      number = this.rows.push(made) - 1;
      node.rows.set(step, number);
    }
    return number < 0 ? this.numbers[~number] : number;
  }

  made(pattern, held, own, values, path) {
    const step = path[path.length - 1];
    if (values[0] >= 0) return new LeafRow(step, pattern.leaves.get(this.code(held, values)), own);
    const parts = values.map(partOf);
    if (isList(values[0])) return this.list(pattern, held, own, parts, path);
    const [history, inner] = pattern.mappings.get(this.code(held, own));
    const inside = this.within(this.patterns[inner], parts, path);
    return new CollectionRow([KEYS_OF_PATTERN, step, sizeNumber(inside.length, "key"), history, own.length, ...own], inside);
  }

  /** The row of a list, after those of its items. */
  list(pattern, held, own, parts, path) {
    const items = parts.map((part) => itemsOf(part).join());
    const [history, count, ...rest] = pattern.lists.get(this.code(held, items));
    const paths = rest.slice(0, count).flatMap((steps) => [steps, this.path(path.slice(-steps))]);
    const runs = [];
    let size = 0;
    for (const [inner, at] of pairsOf(rest.slice(count))) {
      const length = itemsOf(parts[at]).length;
      runs.push(inner, parts[at], 0, length);
      size += length;
    }
    const raw = [ITEMS_OF_PATTERN, path[path.length - 1], sizeNumber(size, "item"), history, own.length, ...own, count, ...paths, ...runs];
    return listRow(raw, this.rows);
  }

  /** The number of the text of a path, by its steps. */
  path(steps) {
    const key = steps.join();
    if (!this.paths.has(key)) this.paths.set(key, data.texts.push(steps.map(text).reduce((above, step) => (step.startsWith("[") ? above + step : `${above}.${step}`))) - 1);
    return this.paths.get(key);
  }

  /** For each slot that has the key, the first one that has the same there, in four bits. */
  code(held, same) {
    let code = 0;
    for (let at = held.length - 1; at >= 0; at--) code += (held[same.indexOf(same[at])] + 1) * 16 ** held[at];
    return code;
  }
}
