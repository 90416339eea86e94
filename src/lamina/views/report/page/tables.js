// Tables: the data written by Lamina. What each list of numbers holds is said in `output_rows.py`.

const text = (number) => (number < 0 ? "" : data.texts[number]);

const KINDS = ["mapping", "list", "text", "other", "gone", "secret"];
const GONE = KINDS.indexOf("gone");
const STANDINGS = ["set", "wins", "loses", "redundant", "removes"];
const LOSES = STANDINGS.indexOf("loses");
const EMPTY = [];

/** A row as the tables have it: numbers of texts, layers and places, and of the rows inside it. */
class TableRow {
  constructor([level, kind, step, shown, origins = EMPTY, events = EMPTY, standings = EMPTY, hints = EMPTY], above) {
    Object.assign(this, { level, kind, step, text: shown, origins, numbers: events, standings, hints, above });
    this.inside = [];
  }

  get events() {
    return this.numbers.map((number) => data.events[number]);
  }

  /** Whether more than one layer set what a row shows; nothing that holds other rows counts. */
  get contested() {
    return !this.inside.length && (this.kind === GONE || this.standings.length > 2);
  }

  /** How many layers set a value here that another layer overrides. */
  get overridden() {
    let count = 0;
    for (let at = 1; at < this.standings.length; at += 2) if (this.standings[at] === LOSES) count++;
    return count;
  }
}

/** The rows of all outputs in one list; each output keeps the numbers of its topmost ones. */
function tableRows() {
  const rows = [];
  for (const output of data.outputs) {
    const topmost = [];
    const above = [];
    for (const raw of output.rows) {
      const level = raw[0];
      const number = rows.push(new TableRow(raw, level ? above[level - 1] : -1)) - 1;
      above[level] = number;
      (level ? rows[above[level - 1]].inside : topmost).push(number);
    }
    output.rows = topmost;
  }
  return rows;
}

data.rows = tableRows();
