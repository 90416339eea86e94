// Output: one document or node as the server sends it, in the form that the views of the report show.

/** The ends of names, as long as it takes to tell them apart. */
function distinctNames(names) {
  const end = (name, parts) => name.split("/").slice(-parts).join("/");
  return names.map((name) => {
    for (let parts = 1; parts < 9; parts++) if (names.filter((other) => end(other, parts) === end(name, parts)).length === 1) return end(name, parts);
    return name;
  });
}

/** One key, item, or key that was removed. */
class ExploredRow {
  constructor(output, raw, index, parent) {
    Object.assign(this, { output, index, parent, level: raw.level, step: raw.step, kind: raw.kind, text: raw.text, opens: raw.opens });
    this.path = pathBelow(parent ? parent.path : "", raw.step);
    this.origins = raw.origins.map(({ layer, place }) => ({ layer, place: placeOf(place) }));
    this.standings = new Map(raw.statuses);
    this.layers = new Set(this.origins.map(({ layer }) => layer));
    this.contested = !raw.opens && (raw.kind === "gone" || raw.statuses.length > 1);
    this.losers = [];
    this.stack = null;
  }

  /** What every layer set here, once it was asked for. */
  get events() {
    return this.stack?.events ?? [];
  }

  get hints() {
    return this.stack?.hints ?? [];
  }

  /** Take over the stack that the server sent. */
  fill(stack) {
    const events = stack.events.map((event) => ({
      ...event,
      layer: this.output.numberOf(event.layer),
      place: placeOf(event.place),
      rulePlace: placeOf(event.rule_place),
      by: placeOf(event.by),
      lost: event.lost.map((loss) => ({ ...loss, place: placeOf(loss.place), by: placeOf(loss.by) })),
    }));
    this.stack = { events, hints: stack.hints };
  }
}

class ExploredOutput {
  constructor(raw, opensAt) {
    this.name = raw.output;
    this.all = raw.layers;
    this.order = raw.order;
    this.ordinals = new Map(raw.order.map((layer, ordinal) => [layer, ordinal]));
    this.closed = new Set();
    this.rows = this.read(raw.rows);
    const body = this.rows.find((row) => !row.level && row.step === opensAt);
    if (body) for (const row of this.rows) if (!row.level && row.opens && row !== body) this.closed.add(row.index);
  }

  read(raws) {
    const above = [];
    const rows = raws.map((raw, index) => {
      above.length = raw.level;
      const row = new ExploredRow(this, raw, index, above[raw.level - 1] ?? null);
      above.push(row);
      return row;
    });
    for (const row of [...rows].reverse()) if (row.parent) for (const layer of row.layers) row.parent.layers.add(layer);
    return rows;
  }

  numberOf([name, source]) {
    return this.all.findIndex((layer) => layer[0] === name && layer[1] === source);
  }

  /** A layer as this output numbers it; what the program made belongs to none. */
  layer(number) {
    const ordinal = this.ordinals.get(number);
    const [name, source] = this.all[number] ?? ["", ""];
    if (ordinal === undefined || (!name && !source)) return { ordinal: -1, badge: "·", colour: "made", name: "made by the program", source: "" };
    return { ordinal, badge: `${ordinal + 1}`, colour: `layer-${ordinal % 10}`, name: name || source, source };
  }

  at(path) {
    return this.rows.find((row) => row.path === path) ?? null;
  }

  get leaves() {
    return this.rows.filter((row) => !row.opens);
  }

  get sources() {
    return [...new Set(this.order.map((number) => this.all[number][1]).filter(Boolean))];
  }
}
