// Data: the tables written by Lamina, read into rows, layers, places and events. The order of the fields in each list
// is that of `collecting.py`.

const data = JSON.parse(byId("data").textContent);
const text = (number) => (number < 0 ? "" : data.texts[number]);

const KINDS = ["mapping", "list", "text", "other", "gone", "secret"];
const STANDINGS = ["set", "wins", "loses", "redundant", "removes"];

/** A place in a source: short as `file:line`, full with column and part. */
function placeOf(number) {
  if (number < 0) return null;
  const [source, line, column, part] = data.places[number];
  const short = `${text(source)}:${line}`;
  return { short, full: `${short}:${column}${part < 0 ? "" : ` (${text(part)})`}` };
}

function eventOf(number) {
  const [verdict, layer, place, value, rule, rulePlace, path, output, by, lost] = data.events[number];
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

/** One key, item, or key that is gone. */
class Row {
  constructor(raw, index, parent) {
    this.raw = raw;
    this.index = index;
    this.parent = parent;
    this.level = raw[0];
    this.kind = KINDS[raw[1]];
    this.step = text(raw[2]);
    this.text = text(raw[3]);
    this.opens = false;
    this.layers = new Set();
    const item = this.step.startsWith("[");
    this.path = parent ? parent.path + (item ? "" : ".") + this.step : this.step;
    this.sought = this.path.toLowerCase();
  }

  /** A layer that something in here comes from, for this row and all above it. */
  add(layer) {
    for (let row = this; row && !row.layers.has(layer); row = row.parent) row.layers.add(layer);
  }

  get origins() {
    return [...pairs(this.raw[4])].map(([layer, place]) => ({ layer, place: placeOf(place) }));
  }

  get events() {
    return this.raw[5].map(eventOf);
  }

  /** What became of each layer here: layer to word. */
  get standings() {
    return new Map([...pairs(this.raw[6])].map(([layer, standing]) => [layer, STANDINGS[standing]]));
  }

  get hints() {
    return this.raw[7].map(text);
  }

  /** Whether more than one layer had its say here. */
  get contested() {
    return !this.opens && (this.kind === "gone" || this.raw[6].length > 2);
  }

  /** The events whose values do not stand. */
  get losers() {
    const standings = this.standings;
    return this.events.filter((event) => event.value !== null && standings.get(event.layer) === "loses");
  }
}

/** The end of a name, which tells most; what is before the last slash is the group. */
const shortOf = (name) => name.slice(name.lastIndexOf("/") + 1) || name;

/** One document of the result. Its rows are read when it is first looked at. */
class Output {
  constructor(raw, index) {
    this.raw = raw;
    this.index = index;
    this.name = raw.name;
    this.short = shortOf(raw.name);
    this.group = raw.name.slice(0, raw.name.length - this.short.length).replace(/\/$/, "");
    this.ordinals = new Map(raw.layers.map((layer, ordinal) => [layer, ordinal]));
    this.closed = new Set();
    this.read = null;
  }

  get rows() {
    return (this.read ??= rowsOf(this.raw.rows));
  }

  get leaves() {
    return this.rows.filter((row) => !row.opens);
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

function rowsOf(raws) {
  const above = [];
  const rows = raws.map((raw, index) => {
    const level = raw[0];
    above.length = level;
    const parent = level ? above[level - 1] : null;
    if (parent) parent.opens = true;
    return (above[level] = new Row(raw, index, parent));
  });
  for (const row of rows) for (const [layer] of pairs(row.raw[4])) row.add(layer);
  return rows;
}

const outputs = data.outputs.map((raw, index) => new Output(raw, index));

/** Whether a row answers the filter: every word is found in its path. */
const answers = (row, words) => words.every((word) => row.sought.includes(word));

/** How many values of an output answer the filter. */
const answering = (output, words) => output.leaves.reduce((sum, row) => sum + answers(row, words), 0);

/** The number of a layer in its colour. */
function badge(layer) {
  return element("span", { class: `badge ${layer.colour}`, title: layer.source || layer.name }, layer.badge);
}
