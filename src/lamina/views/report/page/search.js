// Search: every word must be in the key's path, in its value, or in the name of a file that sets it.

const haystack = (() => {
  const known = new Map();
  return (number) => {
    let found = known.get(number);
    if (found === undefined) {
      const raw = data.rows[number];
      const places = [...pairs(raw.origins)].map(([, place]) => place).concat(raw.events.map((event) => event[2] ?? -1));
      const sources = new Set(places.filter((place) => place >= 0).map((place) => text(data.places[place][0])));
      known.set(number, (found = [text(raw.text), ...sources].join("\n").toLowerCase()));
    }
    return found;
  };
})();

class Query {
  constructor(typed, contested) {
    this.words = typed.toLowerCase().split(/\s+/).filter(Boolean);
    this.contested = contested;
    this.known = new Map();
  }

  /** Whether it leaves anything out. */
  get filters() {
    return this.contested || this.words.length > 0;
  }

  /** Whether a row without rows inside it answers. */
  answers(number, path) {
    if (this.contested && !data.rows[number].contested) return false;
    const sought = path.toLowerCase();
    return this.words.every((word) => sought.includes(word) || haystack(number).includes(word));
  }

  /** How many values of an output answer. */
  count(output) {
    return output.raw.rows.reduce((sum, number) => sum + this.inside(number, ""), 0);
  }

  /** How many values in a row answer; `above` is the path of what it is in. */
  inside(number, above) {
    if (this.known.has(number)) return this.known.get(number);
    const raw = data.rows[number];
    const path = pathBelow(above, text(raw.step));
    let count = 0;
    if (!raw.inside.length) count = this.answers(number, path) ? 1 : 0;
    else for (const inner of raw.inside) count += this.inside(inner, path);
    this.known.set(number, count);
    return count;
  }
}
