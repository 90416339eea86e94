// Statistics: what holds over all outputs. A row is numbered after all that is inside it, so that one pass from the last
// to the first finds how often each occurs, and where.

class Statistics {
  constructor() {
    const size = data.rows.length;
    this.times = new Float64Array(size);
    this.above = new Int32Array(size).fill(-1);
    for (const output of outputs) for (const number of output.raw.rows) this.times[number]++;
    for (let number = size - 1; number >= 0; number--)
      for (const inner of data.rows[number].inside) {
        this.times[inner] += this.times[number];
        this.above[inner] = number;
      }
  }

  path(number) {
    const above = this.above[number] < 0 ? "" : this.path(this.above[number]);
    return pathBelow(above, text(data.rows[number].step));
  }

  /** All keys that are overridden anywhere, by path: how often in all. */
  get overrides() {
    const found = new Map();
    data.rows.forEach((raw, number) => {
      const count = raw.overridden * this.times[number];
      if (count) {
        const path = this.path(number);
        found.set(path, (found.get(path) ?? 0) + count);
      }
    });
    return [...found].sort((one, other) => other[1] - one[1]);
  }

  /** The layers that set something, and none of it is in any result: layer and how many values it sets. */
  get neverWin() {
    const sets = new Map();
    const wins = new Set();
    data.rows.forEach((raw, number) => {
      if (raw.inside.length) return;
      for (const [layer] of pairs(raw.origins)) wins.add(layer);
      for (const [layer] of pairs(raw.standings)) if (layer >= 0) sets.set(layer, (sets.get(layer) ?? 0) + this.times[number]);
    });
    return [...sets].filter(([layer]) => !wins.has(layer)).sort((one, other) => other[1] - one[1]);
  }
}

/** The output that has the row at which most layers are overridden; the first output where nothing is. */
function mostOverriddenOutput() {
  let most = 0;
  let found = -1;
  data.rows.forEach((raw, number) => {
    const count = raw.overridden;
    if (count > most) [most, found] = [count, number];
  });
  const has = new Uint8Array(data.rows.length);
  // What is inside a row is numbered before it.
  if (found >= 0) {
    has[found] = 1;
    for (let number = found + 1; number < has.length; number++) has[number] = data.rows[number].inside.some((inner) => has[inner]);
  }
  return outputs.find((output) => output.raw.rows.some((number) => has[number])) ?? outputs[0] ?? null;
}

/** The statistics, made when they are first asked for. */
const statistics = (() => {
  let made = null;
  return () => (made ??= new Statistics());
})();
