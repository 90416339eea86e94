// Graph: which output gives something to which, left to right; the same as two lists for those who cannot see it.

const WIDE = 190;
const TALL = 28;
const GAP = 90;
const COLUMN = 24;
/** Nodes in a column; what goes beyond starts another one beside it. */
const SMALLEST = 0.2;
const LARGEST = 3;

class GraphView {
  constructor({ onpick }) {
    this.onpick = onpick;
    this.links = data.links.map(([source, target, kind]) => ({ source, target, kind }));
    this.kinds = [...new Set(this.links.map((link) => link.kind))];
    this.byName = new Map(outputs.map((output) => [output.name, output]));
    this.into = grouped(this.links, "target");
    this.from = grouped(this.links, "source");
    byId("tab-graph").hidden = !this.links.length;
    this.scale = 1;
    byId("graph-whole").addEventListener("change", () => this.show(this.current));
    byId("graph-in").addEventListener("click", () => this.zoom(this.scale * 1.25));
    byId("graph-out").addEventListener("click", () => this.zoom(this.scale / 1.25));
    byId("graph-fit").addEventListener("click", () => this.zoom(this.fitting()));
    byId("drawing").addEventListener("wheel", (event) => this.wheel(event), { passive: false });
    byId("drawing").addEventListener("keydown", (event) => this.key(event));
    byId("graph-whole").checked = this.into.size + this.from.size <= 60;
    byId("graph-legend").append(...this.kinds.map((kind, at) => element("li", {}, sample(at), ` ${kind}`)));
  }

  show(current) {
    this.current = current;
    byId("relations").replaceChildren(
      element("h2", {}, current.name),
      this.list("Made from", this.into.get(current.name) ?? [], "source"),
      this.list("Goes into", this.from.get(current.name) ?? [], "target"),
    );
    const links = byId("graph-whole").checked ? this.links : this.around(current.name);
    refill(byId("drawing"), this.drawing(links, current.name));
    this.zoom(Math.min(1, Math.max(0.6, this.fitting())));
    byId("drawing").querySelector(".current")?.scrollIntoView({ block: "nearest", inline: "nearest" });
  }

  /** The scale at which all of the drawing is in sight. */
  fitting() {
    const root = byId("drawing");
    return Math.min(1, (root.clientWidth - 32) / this.size[0], (root.clientHeight - 32) / this.size[1]);
  }

  zoom(scale) {
    this.scale = Math.min(LARGEST, Math.max(SMALLEST, scale));
    const picture = byId("drawing").querySelector("svg");
    if (!picture) return;
    picture.setAttribute("width", Math.round(this.size[0] * this.scale));
    picture.setAttribute("height", Math.round(this.size[1] * this.scale));
    byId("graph-scale").textContent = `${Math.round(this.scale * 100)} %`;
  }

  wheel(event) {
    if (!event.ctrlKey && !event.metaKey) return;
    event.preventDefault();
    this.zoom(this.scale * (event.deltaY < 0 ? 1.1 : 1 / 1.1));
  }

  key(event) {
    const factor = { "+": 1.25, "=": 1.25, "-": 0.8 }[event.key];
    if (factor) this.zoom(this.scale * factor);
    else if (event.key === "0") this.zoom(this.fitting());
  }

  /** Links of one direction, as buttons where there is something to go to. */
  list(title, links, end) {
    const items = links.map((link) => element("li", {}, this.name(link[end]), element("span", { class: "quiet" }, ` ${link.kind}`)));
    return element("div", {}, element("h3", {}, title), items.length ? element("ul", {}, items) : element("p", { class: "quiet" }, "nothing"));
  }

  name(name) {
    const output = this.byName.get(name);
    if (!output) return element("span", { title: "not in the result" }, name);
    return element("button", { type: "button", class: "plain", onclick: () => this.onpick(output) }, name);
  }

  /** All a document is made from, and what it goes into itself. */
  around(name) {
    const found = new Set(this.from.get(name) ?? []);
    const met = new Set([name]);
    const todo = [name];
    while (todo.length) {
      for (const link of this.into.get(todo.pop()) ?? []) {
        found.add(link);
        if (!met.has(link.source)) met.add(link.source), todo.push(link.source);
      }
    }
    return [...found];
  }

  drawing(links, current) {
    const names = [...new Set([current, ...links.flatMap((link) => [link.source, link.target])])];
    const columns = [];
    const ranks = ranked(names, links);
    for (const name of names.sort()) (columns[ranks.get(name)] ??= []).push(name);
    const spots = new Map();
    let x = 8;
    for (const column of columns) {
      column.forEach((name, at) => spots.set(name, [x + Math.floor(at / COLUMN) * (WIDE + 16), (at % COLUMN) * (TALL + 12) + 8]));
      x += Math.ceil(column.length / COLUMN) * (WIDE + 16) - 16 + GAP;
    }
    const width = x - GAP + 8;
    const height = Math.min(COLUMN, Math.max(...columns.map((column) => column.length))) * (TALL + 12) + 8;
    this.size = [width, height];
    const about = `${counted(names.length, "output")}, ${counted(links.length, "link")}`;
    return drawn(
      "svg",
      { width, height, viewBox: `0 0 ${width} ${height}`, role: "img", "aria-label": about },
      links.map((link) => this.edge(link, spots, current)),
      names.map((name) => this.node(name, spots.get(name), current)),
    );
  }

  edge({ source, target, kind }, spots, current) {
    const [x1, y1] = spots.get(source);
    const [x2, y2] = spots.get(target);
    const [startX, startY, endX, endY] = [x1 + WIDE, y1 + TALL / 2, x2, y2 + TALL / 2];
    const bend = Math.max(30, Math.abs(endX - startX) / 2);
    const path = `M${startX} ${startY}C${startX + bend} ${startY} ${endX - bend} ${endY} ${endX} ${endY}`;
    const near = source === current || target === current;
    return drawn("path", { class: `edge kind-${this.kinds.indexOf(kind) % 4} ${near ? "near" : ""}`, d: path }, drawn("title", {}, `${source} → ${target}: ${kind}`));
  }

  node(name, [x, y], current) {
    const output = this.byName.get(name);
    const classes = `node ${name === current ? "current" : ""} ${output ? "" : "absent"}`;
    return drawn(
      "g",
      { class: classes, transform: `translate(${x} ${y})`, onclick: () => output && this.onpick(output) },
      drawn("title", {}, output ? name : `${name} (not in the result)`),
      drawn("rect", { width: WIDE, height: TALL, rx: 6 }),
      drawn("text", { x: 10, y: TALL / 2 + 4 }, clipped(shortOf(name))),
    );
  }
}

const clipped = (name) => (name.length > 27 ? `${name.slice(0, 26)}…` : name);

function grouped(links, end) {
  const groups = new Map();
  for (const link of links) groups.set(link[end], [...(groups.get(link[end]) ?? []), link]);
  return groups;
}

/** The column of each name: one further than all it is made from. Links that run in a circle are not followed. */
function ranked(names, links) {
  const ranks = new Map(names.map((name) => [name, 0]));
  const waits = new Map(names.map((name) => [name, 0]));
  const from = grouped(links, "source");
  for (const { target } of links) waits.set(target, waits.get(target) + 1);
  const ready = names.filter((name) => !waits.get(name));
  while (ready.length) {
    const name = ready.pop();
    for (const { target } of from.get(name) ?? []) {
      ranks.set(target, Math.max(ranks.get(target), ranks.get(name) + 1));
      waits.set(target, waits.get(target) - 1);
      if (!waits.get(target)) ready.push(target);
    }
  }
  return ranks;
}

const sample = (kind) => drawn("svg", { width: 28, height: 8, "aria-hidden": "true" }, drawn("path", { class: `edge near kind-${kind % 4}`, d: "M0 4H28" }));
