// Override map: keys down, layers across, and in each cell the status of the layer at the key.

const MARKS = {
  set: ["●", "set: in the result, alone or with others"],
  wins: ["▲", "wins: replaces the value of another layer"],
  loses: ["×", "loses: another layer's value is used"],
  redundant: ["=", "redundant: same value as already there"],
  removes: ["−", "removes: the key is not in the result"],
};

class MapView {
  constructor({ onselect }) {
    this.head = element("div", { role: "row", class: "maphead", "aria-rowindex": 1 });
    this.rows = new Rows(byId("map-rows"), {
      height: 26,
      name: "map",
      head: this.head,
      draw: (row) => this.draw(row),
      onactive: (row) => onselect(row),
      onkey: (event) => event.key === "Enter" && byId("details").focus(),
    });
    byId("map-legend").append(
      ...Object.entries(MARKS).map(([word, [sign, about]]) =>
        element("li", {}, element("span", { class: `mark ${word}`, "aria-hidden": "true" }, sign), ` ${about}`),
      ),
    );
  }

  show(output, rows, selected) {
    this.output = output;
    this.layers = output.raw.layers;
    this.rows.root.style.setProperty("--columns", this.layers.length);
    this.rows.root.setAttribute("aria-colcount", this.layers.length + 1);
    this.head.replaceChildren(
      element("span", { role: "columnheader" }, "Key"),
      ...this.layers.map((number) => this.column(output.layer(number))),
    );
    this.rows.show(rows, selected);
  }

  column(layer) {
    return element("span", { role: "columnheader", title: layer.source || layer.name }, badge(layer), element("span", { class: "unseen" }, ` ${layer.source} ${layer.name}`));
  }

  draw(row) {
    const standings = row.standings;
    return element(
      "div",
      { role: "row", class: `row maprow ${row.kind}` },
      element("span", { role: "rowheader", class: "key", title: row.path }, element("bdi", {}, row.path)),
      this.layers.map((number) => this.cell(this.output.layer(number), standings.get(number))),
    );
  }

  cell(layer, standing) {
    const sign = standing ? MARKS[standing][0] : "";
    return element(
      "span",
      { role: "gridcell", class: "cell", title: standing ? `${layer.source || layer.name} ${standing}` : null },
      standing ? element("span", { class: `mark ${standing}`, "aria-hidden": "true" }, sign) : null,
      standing ? element("span", { class: "unseen" }, standing) : null,
    );
  }
}
