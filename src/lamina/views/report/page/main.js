// Main: what is selected, and which views show it. The address keeps it, so that a link leads to the same key.

const VIEWS = ["result", "map", "graph", "notes"];

class Page {
  constructor() {
    this.output = outputs[0] ?? null;
    this.row = null;
    this.view = "result";
    byId("title").textContent = document.title = data.title;
    const keys = outputs.reduce((sum, output) => sum + output.raw.rows.length, 0);
    byId("about").textContent = [data.dialect, data.compat && `as ${data.compat}`, outputs.length > 1 ? counted(outputs.length, data.noun) : null, counted(keys, "key"), `Lamina ${data.lamina}`].filter(Boolean).join(" · ");
    const onselect = (row) => this.select(row);
    const onpick = (output) => this.pick(output);
    this.details = new Details(byId("details"), notesFor);
    this.result = new ResultView({ onselect, tip: new Tip(byId("tip")) });
    this.map = new MapView({ onselect });
    this.picker = new Picker({ onpick });
    this.graph = new GraphView({ onpick });
    this.notes = new NotesView({ onselect: (output, path) => this.go(output, path, "result") });
    this.listen();
  }

  listen() {
    let timer = 0;
    byId("filter").addEventListener("input", () => {
      clearTimeout(timer);
      timer = setTimeout(() => this.refresh(), 80);
    });
    byId("contested").addEventListener("change", () => this.refresh());
    byId("tabs").addEventListener("click", (event) => event.target.closest("[role=tab]") && this.turn(event.target.closest("[role=tab]").id.slice(4)));
    byId("tabs").addEventListener("keydown", (event) => this.tabKey(event));
    byId("theme").addEventListener("click", () => setTheme(isDark() ? "light" : "dark"));
    addEventListener("keydown", (event) => this.shortcut(event));
    addEventListener("hashchange", () => this.restore());
  }

  get words() {
    return byId("filter").value.toLowerCase().split(/\s+/).filter(Boolean);
  }

  /** Everything that depends on the output and the filter. */
  refresh() {
    this.picker.show(this.output, this.words);
    if (!this.output) return;
    this.legend();
    this.list();
    this.details.show(this.output, this.row);
  }

  list() {
    const { output, words } = this;
    const contested = byId("contested").checked;
    const leaves = output.leaves;
    const found = output.rows.filter((row) => (!contested || row.contested) && answers(row, words));
    const filtered = contested || words.length > 0;
    const foundLeaves = found.filter((row) => !row.opens);
    if (this.view === "result") this.result.show(output, filtered ? withAbove(found, output.rows) : output.rows, this.row, filtered);
    if (this.view === "map") this.map.show(output, foundLeaves, this.row);
    if (this.view === "graph") this.graph.show(output);
    const listed = this.view === "result" || this.view === "map";
    byId("nothing").hidden = !listed || found.length > 0;
    byId("nothing").textContent = this.nothing();
    byId("status").textContent = !listed ? "" : filtered ? `${foundLeaves.length.toLocaleString("en")} of ${counted(leaves.length, "value")}` : counted(leaves.length, "value");
  }

  /** What to say where no key is left. */
  nothing() {
    if (outputs.length < 2) return "No key matches.";
    const others = this.picker.others(this.output);
    return `No key of ${this.output.short} matches${others ? `; ${counted(others, `other ${data.noun}`)} ${others === 1 ? "has" : "have"} some` : ""}.`;
  }

  /** The layers of the output, in order, by the ends of their names. */
  legend() {
    const { output } = this;
    const list = byId("layers");
    list.replaceChildren(
      ...output.raw.layers.map((number) => {
        const layer = output.layer(number);
        const own = layer.source && !layer.source.endsWith(layer.name);
        const named = layer.source && !own && layer.name !== layer.source ? layer.name : shortOf(layer.source || layer.name);
        return element(
          "li",
          { title: own ? `${layer.source} ${layer.name}` : layer.source || layer.name },
          badge(layer),
          ` ${named}`,
          own ? element("span", { class: "quiet" }, ` ${shortOf(layer.name)}`) : null,
        );
      }),
    );
    list.tabIndex = list.scrollHeight > list.clientHeight ? 0 : -1;
  }

  select(row) {
    this.row = row;
    this.details.show(this.output, row);
    this.remember();
  }

  pick(output) {
    if (output === this.output) return;
    this.output = output;
    this.row = null;
    this.refresh();
    this.remember();
  }

  turn(view) {
    this.view = view;
    for (const name of VIEWS) {
      const chosen = name === view;
      byId(`view-${name}`).hidden = !chosen;
      byId(`tab-${name}`).setAttribute("aria-selected", chosen);
      byId(`tab-${name}`).tabIndex = chosen ? 0 : -1;
    }
    byId("layers").hidden = view === "graph" || view === "notes";
    this.refresh();
    this.remember();
  }

  go(output, path, view) {
    this.output = output;
    this.row = output.at(path);
    this.turn(view);
  }

  tabKey(event) {
    const open = VIEWS.filter((name) => !byId(`tab-${name}`).hidden);
    const step = { ArrowRight: 1, ArrowLeft: -1 }[event.key];
    if (!step) return;
    const next = open[(open.indexOf(this.view) + step + open.length) % open.length];
    this.turn(next);
    byId(`tab-${next}`).focus();
  }

  shortcut(event) {
    const typing = event.target.matches?.("input");
    if (event.key === "/" && !typing) {
      event.preventDefault();
      byId("filter").focus();
    } else if (event.key === "Escape" && event.target === byId("details")) byId(`${this.view === "map" ? "map" : "result"}-rows`).focus();
  }

  remember() {
    const kept = new URLSearchParams({ view: this.view });
    if (outputs.length > 1) kept.set("output", this.output?.name ?? "");
    if (this.row) kept.set("key", this.row.path);
    history.replaceState(null, "", `#${kept}`);
  }

  restore() {
    const kept = new URLSearchParams(location.hash.slice(1));
    this.output = outputs.find((output) => output.name === kept.get("output")) ?? this.output;
    const view = VIEWS.includes(kept.get("view")) ? kept.get("view") : "result";
    this.row = (kept.has("key") && this.output?.at(kept.get("key"))) || null;
    this.turn(view === "graph" && !data.links.length ? "result" : view);
  }
}

/** Rows and all that is above them, in their order. */
function withAbove(rows, all) {
  const wanted = new Set();
  for (let row of rows) for (; row && !wanted.has(row.index); row = row.parent) wanted.add(row.index);
  return all.filter((row) => wanted.has(row.index));
}

const isDark = () => (document.documentElement.dataset.theme ?? (matchMedia("(prefers-color-scheme: dark)").matches ? "dark" : "light")) === "dark";

function setTheme(theme) {
  if (theme) document.documentElement.dataset.theme = theme;
  byId("theme").setAttribute("aria-pressed", isDark());
}

matchMedia("(prefers-color-scheme: dark)").addEventListener("change", () => setTheme());
setTheme();
new Page().restore();
