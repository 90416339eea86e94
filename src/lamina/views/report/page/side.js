// Side by side: two outputs, key by key.

class SideView {
  constructor({ onselect }) {
    this.rows = new Rows(byId("side-rows"), {
      height: 26,
      name: "side",
      head: (this.head = element("div", { role: "row", class: "sidehead", "aria-rowindex": 1 })),
      draw: (pair) => this.draw(pair),
      onactive: (pair) => onselect(pair.left ? this.left : this.right, pair.path),
      onkey: (event) => event.key === "Enter" && byId("details").focus(),
    });
    byId("tab-side").hidden = outputs.length < 2;
    const choice = byId("side-other");
    refill(choice, outputs.map((output) => element("option", { value: output.index }, output.name)));
    choice.addEventListener("change", () => {
      this.chosen = true;
      this.show(this.left, this.query);
    });
    byId("side-all").addEventListener("change", () => this.show(this.left, this.query));
  }

  show(left, query) {
    const choice = byId("side-other");
    // The next one until the reader picks another: names that are alike are next to each other.
    if (!this.chosen || Number(choice.value) === left.index) choice.value = (left.index + 1) % outputs.length;
    Object.assign(this, { left, right: outputs[Number(choice.value)], query });
    const all = byId("side-all").checked;
    const pairs_ = [...paired(left.raw.rows, this.right.raw.rows, "", 0, all)];
    const found = query.filters ? pairs_.filter((pair) => [pair.left, pair.right].some((number) => number >= 0 && query.inside(number, pair.above))) : pairs_;
    refill(this.head, ["Key", left.name, this.right.name].map((title) => element("span", { role: "columnheader", title }, title)));
    this.rows.show(found, null);
    const changed = found.filter((pair) => pair.differs).length;
    byId("side-count").textContent = changed ? `${counted(changed, "value")} differ${changed === 1 ? "s" : ""}` : "No differences";
  }

  draw(pair) {
    const indent = element("span", { class: "indent" });
    indent.style.setProperty("--level", pair.level);
    return element(
      "div",
      { role: "row", class: `row siderow ${pair.differs ? "differs" : ""}` },
      element("span", { role: "rowheader", class: "key", title: pair.path }, indent, pair.step),
      this.cell(this.left, pair.left, pair),
      this.cell(this.right, pair.right, pair),
    );
  }

  cell(output, number, pair) {
    if (number < 0) return element("span", { role: "gridcell", class: "cell absent" }, element("span", { class: "unseen" }, "not set"));
    const raw = data.rows[number];
    if (raw.inside.length) return element("span", { role: "gridcell", class: "cell count" }, text(raw.text));
    const [layer, place] = raw.origins;
    const shown = raw.kind === GONE ? "removed" : text(raw.text).split("\n", 1)[0];
    return element("span", { role: "gridcell", class: "cell", title: place >= 0 ? `${shown} (${placeOf(place).short})` : shown }, layer >= 0 ? badge(output.layer(layer)) : null, " ", shown);
  }
}

/** The rows of two outputs matched by key; without `all` only what differs, and what it is in. */
function* paired(left, right, above, level, all) {
  const stepOf = (number) => data.rows[number].step;
  const others = new Map(right.map((number) => [stepOf(number), number]));
  const own = new Set(left.map(stepOf));
  const both = [...left.map((number) => [number, others.get(stepOf(number)) ?? -1]), ...right.filter((number) => !own.has(stepOf(number))).map((number) => [-1, number])];
  for (const [one, other] of both) {
    const step = text(stepOf(one >= 0 ? one : other));
    const path = pathBelow(above, step);
    const inside = [...paired(one >= 0 ? data.rows[one].inside : [], other >= 0 ? data.rows[other].inside : [], path, level + 1, all)];
    const differs = !inside.length && (one < 0 || other < 0 || data.rows[one].text !== data.rows[other].text || data.rows[one].kind !== data.rows[other].kind);
    if (!all && !differs && !inside.length) continue;
    yield { left: one, right: other, step, path, above, level, differs };
    yield* inside;
  }
}
