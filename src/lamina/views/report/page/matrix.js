// Matrix: outputs down, keys across, the value in each cell. It answers who has a value: type `Mtu 9000` in the search.

const COLUMNS = 6;

/** The row at a path in an output: its number, or -1. */
function numberAt(output, path) {
  let inside = output.raw.rows;
  let above = "";
  for (;;) {
    let next = -1;
    for (const number of inside) {
      const here = pathBelow(above, text(data.rows[number].step));
      if (here === path) return number;
      if (path.startsWith(here) && ".[".includes(path[here.length])) {
        next = number;
        above = here;
        break;
      }
    }
    if (next < 0) return -1;
    inside = data.rows[next].inside;
  }
}

class MatrixView {
  constructor({ onselect }) {
    this.first = 0;
    this.head = element("div", { role: "row", class: "maphead", "aria-rowindex": 1 });
    this.rows = new Rows(byId("matrix-rows"), {
      height: 26,
      name: "matrix",
      head: this.head,
      draw: (output) => this.draw(output),
      onactive: (output) => onselect(output, this.pathFor(output)),
      onkey: (event) => event.key === "Enter" && byId("details").focus(),
    });
    for (const [id, by] of [["matrix-previous", -COLUMNS], ["matrix-next", COLUMNS]]) byId(id).addEventListener("click", () => this.turn(by));
    byId("matrix-noun").textContent = `The search picks keys and ${data.noun}s`;
    byId("tab-matrix").hidden = outputs.length < 2;
  }

  show(current, row, query) {
    const filtered = query.filters;
    this.first = this.asked === this.keyOf(row, query) ? this.first : 0;
    this.asked = this.keyOf(row, query);
    this.query = query;
    this.paths = filtered ? this.answering(query) : this.usual(row);
    this.current = current;
    this.paint();
    return { outputs: this.listed.length, keys: this.paths.length };
  }

  keyOf(row, query) {
    return query.filters ? `${query.contested} ${query.words.join(" ")}` : (row?.path ?? "");
  }

  turn(by) {
    this.first = Math.max(0, Math.min(this.first + by, Math.floor((this.paths.length - 1) / COLUMNS) * COLUMNS));
    this.paint();
  }

  paint() {
    this.columns = this.paths.slice(this.first, this.first + COLUMNS);
    const concerns = (output) => (this.query.filters ? this.query.count(output) > 0 : this.columns.some((path) => numberAt(output, path) >= 0));
    this.listed = outputs.filter(concerns);
    byId("matrix-columns").textContent = this.paths.length ? `Keys ${this.first + 1} to ${this.first + this.columns.length} of ${this.paths.length.toLocaleString("en")}` : "No key matches";
    byId("matrix-previous").disabled = this.first === 0;
    byId("matrix-next").disabled = this.first + COLUMNS >= this.paths.length;
    this.rows.root.style.setProperty("--columns", this.columns.length);
    this.rows.root.setAttribute("aria-colcount", this.columns.length + 1);
    refill(this.head, element("span", { role: "columnheader" }, data.noun), this.columns.map((path) => this.column(path)));
    this.rows.show(this.listed, this.current);
  }

  column(path) {
    const values = new Set(outputs.map((output) => this.valueAt(output, path)));
    return element("span", { role: "columnheader", title: path }, element("bdi", {}, path), element("span", { class: "found" }, counted(values.size, "value")));
  }

  valueAt(output, path) {
    const number = numberAt(output, path);
    return number < 0 ? "" : text(data.rows[number].text);
  }

  /** The selected key first, then those that are overridden most. */
  usual(row) {
    const chosen = row && !row.opens ? [row.path] : [];
    return [...new Set([...chosen, ...statistics().overrides.map(([path]) => path)])];
  }

  /** The keys that answer a search in any output, those in most outputs first. */
  answering(query) {
    const found = new Map();
    const look = (number, above) => {
      if (!query.inside(number, above)) return;
      const raw = data.rows[number];
      const path = pathBelow(above, text(raw.step));
      if (raw.inside.length) for (const inner of raw.inside) look(inner, path);
      else found.set(path, (found.get(path) ?? 0) + 1);
    };
    for (const output of outputs) for (const number of output.raw.rows) look(number, "");
    return [...found].sort((one, other) => other[1] - one[1]).map(([path]) => path);
  }

  pathFor(output) {
    return this.columns.find((path) => numberAt(output, path) >= 0) ?? "";
  }

  draw(output) {
    return element(
      "div",
      { role: "row", class: "row maprow" },
      element("span", { role: "rowheader", class: "key", title: output.name }, element("bdi", {}, output.name)),
      this.columns.map((path) => this.cell(output, path)),
    );
  }

  cell(output, path) {
    const number = numberAt(output, path);
    if (number < 0) return element("span", { role: "gridcell", class: "cell absent" }, element("span", { class: "unseen" }, "not set"));
    const raw = data.rows[number];
    const answers = this.query.filters && !raw.inside.length && this.query.answers(number, path);
    const [layer, place] = raw.origins;
    const shown = raw.kind === GONE ? "removed" : text(raw.text).split("\n", 1)[0];
    return element("span", { role: "gridcell", class: `cell ${answers ? "answers" : ""}`, title: place >= 0 ? `${shown} (${placeOf(place).short})` : shown }, layer >= 0 ? badge(output.layer(layer)) : null, " ", shown);
  }
}
