// Statistics: what holds over all outputs.

class Statistics {
  path(number) {
    const { above, step } = data.rows[number];
    return pathBelow(above < 0 ? "" : this.path(above), text(step));
  }

  /** All keys that are overridden anywhere, by path: how often in all. */
  get overrides() {
    const found = new Map();
    data.rows.forEach((raw, number) => {
      const count = raw.overridden;
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
    for (const raw of data.rows) {
      if (raw.inside.length) continue;
      for (const [layer] of pairs(raw.origins)) wins.add(layer);
      for (const [layer] of pairs(raw.standings)) if (layer >= 0) sets.set(layer, (sets.get(layer) ?? 0) + 1);
    }
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
  while (found >= 0 && data.rows[found].above >= 0) found = data.rows[found].above;
  return outputs.find((output) => output.raw.rows.includes(found)) ?? outputs[0] ?? null;
}

/** The statistics, made when they are first asked for. */
const statistics = (() => {
  let made = null;
  return () => (made ??= new Statistics());
})();
