// Data: what the tables hold, as rows, layers, places and events.

/** A place in a source: short as `file:line`, full with column and part, and its address on the web if it has one. */
function placeOf(number) {
  if (number < 0) return null;
  const [source, line, column, part] = data.places[number];
  const short = `${text(source)}:${line}`;
  return { short, full: `${short}:${column}${part < 0 ? "" : ` (${text(part)})`}`, url: lineAddress(data.sources[text(source)], line) };
}

function eventOf([decided, layer = -1, place = -1, value = -1, path = -1, output = -1, by = -1, lost = []]) {
  const [verdict, rule, rulePlace] = data.rules[decided];
  return {
    verdict: text(verdict),
    layer,
    place: placeOf(place),
    value: value < 0 ? null : text(value),
    rule: text(rule),
    rulePlace: placeOf(rulePlace),
    path: text(path),
    output: text(output),
    by: placeOf(by),
    lost: lost.map(([fate, item, from, remover]) => ({ verdict: text(fate), value: text(item), place: placeOf(from), by: placeOf(remover) })),
  };
}

/** Numbers in a flat list, two by two. */
function* pairs(flat) {
  for (let at = 0; at < flat.length; at += 2) yield [flat[at], flat[at + 1]];
}

/** The layers that what is in a row comes from. */
const layersInside = (() => {
  const known = new Map();
  return function find(number) {
    if (!known.has(number)) {
      const raw = data.rows[number];
      const found = new Set();
      for (const [layer] of pairs(raw.origins)) found.add(layer);
      for (const inner of raw.inside) for (const layer of find(inner)) found.add(layer);
      known.set(number, found);
    }
    return known.get(number);
  };
})();

/** One key, item, or key that was removed, at its place in an output. */
class Row {
  constructor(number, index, parent) {
    this.number = number;
    this.raw = data.rows[number];
    this.index = index;
    this.parent = parent;
    this.level = parent ? parent.level + 1 : 0;
    this.step = text(this.raw.step);
    this.path = pathBelow(parent ? parent.path : "", this.step);
  }

  get kind() {
    return KINDS[this.raw.kind];
  }

  get text() {
    return text(this.raw.text);
  }

  /** Whether there are rows inside. */
  get opens() {
    return this.raw.inside.length > 0;
  }

  get layers() {
    return layersInside(this.number);
  }

  get origins() {
    return [...pairs(this.raw.origins)].map(([layer, place]) => ({ layer, place: placeOf(place) }));
  }

  get events() {
    return this.raw.events.map(eventOf);
  }

  /** The status of each layer here: layer to word. */
  get standings() {
    return new Map([...pairs(this.raw.standings)].map(([layer, standing]) => [layer, STANDINGS[standing]]));
  }

  get hints() {
    return this.raw.hints.map(text);
  }

  get contested() {
    return this.raw.contested;
  }

  /** The events whose values another layer overrides. */
  get losers() {
    const standings = this.standings;
    return this.events.filter((event) => event.value !== null && standings.get(event.layer) === "loses");
  }
}

/** One document or node of the result. Its rows are read when it is first looked at. */
class Output {
  constructor(raw, index) {
    this.raw = raw;
    this.index = index;
    this.name = raw.name;
    this.short = shortOf(raw.name);
    this.group = raw.name.slice(0, raw.name.length - this.short.length).replace(/\/$/, "");
    this.closed = new Set();
    this.read = null;
  }

  get ordinals() {
    return (this.numbered ??= new Map(this.raw.layers.map((layer, ordinal) => [layer, ordinal])));
  }

  get rows() {
    if (!this.read) {
      this.read = rowsOf(this.raw.rows);
      if (this.body) for (const row of this.read) if (!row.level && row.opens && row !== this.body) this.closed.add(row.index);
    }
    return this.read;
  }

  /** The row that people look at first, where the system has one. */
  get body() {
    return data.opens_at === null ? null : (this.rows.find((row) => !row.level && row.step === data.opens_at) ?? null);
  }

  get leaves() {
    return this.rows.filter((row) => !row.opens);
  }

  /** The row at which most layers are overridden, the first of several; null where nothing is. */
  get mostOverridden() {
    let found = null;
    for (const row of this.rows) if (row.raw.overridden > (found ? found.raw.overridden : 0)) found = row;
    return found;
  }

  /** A layer as this output numbers it; what the program made belongs to none. */
  layer(number) {
    const ordinal = this.ordinals.get(number);
    if (ordinal === undefined) return { ordinal: -1, badge: "·", colour: "made", name: "made by the program", source: "" };
    const [name, source] = data.layers[number].map(text);
    return { ordinal, badge: `${ordinal + 1}`, colour: `layer-${ordinal % 10}`, name: name || source, source };
  }

  at(path) {
    return this.rows.find((row) => row.path === path) ?? null;
  }
}

/** The rows with these numbers and all inside them, in order. */
function rowsOf(numbers) {
  const rows = [];
  const todo = [...numbers].reverse().map((number) => [number, null]);
  while (todo.length) {
    const [number, parent] = todo.pop();
    const row = new Row(number, rows.length, parent);
    rows.push(row);
    const inside = row.raw.inside;
    for (let at = inside.length - 1; at >= 0; at--) todo.push([inside[at], row]);
  }
  return rows;
}

const outputs = data.outputs.map((raw, index) => new Output(raw, index));
