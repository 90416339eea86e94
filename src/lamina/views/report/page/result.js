// Result: the value as a tree, with the place that sets each part in the gutter.

class ResultView {
  constructor({ onselect, tip }) {
    this.tip = tip;
    this.rows = new Rows(byId("result-rows"), {
      height: 26,
      name: "result",
      draw: (row) => this.draw(row),
      onactive: (row, byKey) => {
        onselect(row);
        if (byKey) tip.soon(this.output, row, () => this.rows.element(this.rows.active), 350);
      },
      onkey: (event, row) => this.key(event, row),
    });
    const root = this.rows.root;
    root.addEventListener("mouseover", (event) => this.hover(event));
    root.addEventListener("mouseleave", () => tip.later());
    root.addEventListener("blur", () => tip.hide());
    root.addEventListener("click", (event) => event.target.closest(".twist") && this.twist(this.rows.items[this.rows.active]));
  }

  show(output, rows, selected, filtered) {
    Object.assign(this, { output, all: rows, filtered });
    this.rows.show(filtered ? rows : rows.filter((row) => this.open(row)), selected);
  }

  /** Whether nothing above a row is closed. */
  open(row) {
    for (let above = row.parent; above; above = above.parent) if (this.output.closed.has(above.index)) return false;
    return true;
  }

  twist(row, close = !this.output.closed.has(row.index)) {
    if (!row?.opens || this.filtered) return;
    if (close) this.output.closed.add(row.index);
    else this.output.closed.delete(row.index);
    this.show(this.output, this.all, row, false);
  }

  key(event, row) {
    if (!row) return;
    const closed = this.output.closed.has(row.index);
    if (event.key === "ArrowRight" && row.opens && closed) this.twist(row, false);
    else if (event.key === "ArrowRight" && row.opens) this.rows.activate(this.rows.active + 1, true);
    else if (event.key === "ArrowLeft" && row.opens && !closed && !this.filtered) this.twist(row, true);
    else if (event.key === "ArrowLeft" && row.parent) this.rows.activate(this.rows.items.indexOf(row.parent), true);
    else if (event.key === "Enter") byId("details").focus();
    else return;
    event.preventDefault();
  }

  hover(event) {
    const found = event.target.closest("[data-index]");
    if (!found) return;
    // The layer stack shows the same for the selected row.
    if (found.getAttribute("aria-selected") === "true") return this.tip.later();
    this.tip.soon(this.output, this.rows.items[Number(found.dataset.index)], () => found.isConnected && found);
  }

  draw(row) {
    const closed = row.opens && !this.filtered && this.output.closed.has(row.index);
    return element(
      "div",
      {
        role: "row",
        class: `row ${row.kind} ${row.contested ? "contested" : ""}`,
        "aria-level": row.level + 1,
        "aria-expanded": row.opens ? String(!closed) : null,
      },
      this.blame(row),
      this.content(row, closed),
    );
  }

  blame(row) {
    const [first, ...more] = row.kind === "gone" ? row.events.slice(-1) : row.origins;
    const layer = first ? this.output.layer(first.layer) : null;
    return element(
      "span",
      { role: "gridcell", class: `blame ${layer ? layer.colour : ""}` },
      row.opens && !first ? this.mixed(row) : null,
      layer ? badge(layer) : null,
      first?.place ? element("span", { class: "place", title: first.place.full }, element("bdi", {}, first.place.short)) : null,
      more.length ? element("span", { class: "more" }, `+${more.length}`) : null,
    );
  }

  /** The layers a collection is made of. */
  mixed(row) {
    const layers = [...row.layers].map((number) => this.output.layer(number)).sort((one, other) => one.ordinal - other.ordinal);
    return [...layers.slice(0, 6).map(badge), layers.length > 6 ? element("span", { class: "more" }, `+${layers.length - 6}`) : null];
  }

  content(row, closed) {
    const item = row.step.startsWith("[");
    const indent = element("span", { class: "indent" });
    indent.style.setProperty("--level", row.level);
    const twist = element("span", { class: "twist", "aria-hidden": "true" }, row.opens ? (closed ? "▸" : "▾") : "");
    const key = element("span", { class: `key ${item ? "item" : ""}` }, row.step);
    const lines = row.text.split("\n");
    const value = row.opens ? element("span", { class: "count" }, row.text) : element("span", { class: "value" }, lines[0]);
    return element(
      "span",
      { role: "gridcell", class: "content" },
      indent,
      twist,
      key,
      item ? " " : ": ",
      row.kind === "gone" ? element("span", { class: "tag" }, "removed") : value,
      lines.length > 1 ? element("span", { class: "count" }, ` … ${counted(lines.length, "line")}`) : null,
      row.contested && row.kind !== "gone" ? element("span", { class: "tag", title: "More than one layer sets this" }, `${row.standings.size} layers`) : null,
    );
  }
}

/** Rows and all that is above them, in their order. */
function withAbove(rows, all) {
  const wanted = new Set();
  for (let row of rows) for (; row && !wanted.has(row.index); row = row.parent) wanted.add(row.index);
  return all.filter((row) => wanted.has(row.index));
}
