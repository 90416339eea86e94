// Main: what is selected, and which views show it. The address keeps it, so that a link leads to the same key.

const VIEWS = ["overview", "result", "map", "matrix", "side", "graph", "notes"];
const LISTS = { result: "result-rows", map: "map-rows", matrix: "matrix-rows", side: "side-rows" };

class Page {
  constructor() {
    this.output = outputs[0] ?? null;
    this.row = null;
    this.view = "result";
    byId("title").textContent = byId("title").title = document.title = data.title;
    byId("about").textContent = [data.dialect, data.compat && `as ${data.compat}`, outputs.length > 1 ? counted(outputs.length, data.noun) : null, `Lamina ${data.lamina}`].filter(Boolean).join(" · ");
    const onselect = (row) => this.select(row);
    const onpick = (output) => this.pick(output);
    this.details = new Details(byId("details"), notesFor);
    this.result = new ResultView({ onselect, tip: new Tip(byId("tip")) });
    this.map = new MapView({ onselect });
    this.picker = new Picker({ onpick });
    this.graph = new GraphView({ onpick });
    this.matrix = new MatrixView({ onselect: (output, path) => this.choose(output, path) });
    this.side = new SideView({ onselect: (output, path) => this.choose(output, path) });
    this.notes = new NotesView({ onselect: (output, path) => this.go(output, path, "result") });
    this.overview = new OverviewView({ onkey: (path) => this.go(this.withKey(path), path, "result"), onnotes: (code) => (this.turn("notes"), this.notes.open(code)) });
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
    byId("close").addEventListener("click", () => this.select(null));
    addEventListener("keydown", (event) => this.shortcut(event));
    addEventListener("hashchange", () => this.restore());
  }

  /** Everything that depends on the output and the search. */
  refresh() {
    this.query = new Query(byId("filter").value, byId("contested").checked);
    this.picker.show(this.output, this.query);
    if (!this.output) return;
    this.legend();
    this.list();
    this.details.show(this.output, this.row);
  }

  list() {
    const { output, query, view } = this;
    const listed = view === "result" || view === "map";
    byId("status").textContent = "";
    byId("nothing").hidden = true;
    if (view === "overview") this.overview.show();
    if (view === "graph") this.graph.show(output);
    if (view === "side") this.side.show(output, query);
    if (view === "matrix") {
      const found = this.matrix.show(output, this.row, query);
      byId("status").textContent = `${counted(found.keys, "key")} in ${counted(found.outputs, data.noun)}`;
    }
    if (listed) this.values(output, query);
  }

  /** The values of the output that answer the search, as a tree or as a map. */
  values(output, query) {
    const leaves = output.leaves;
    const found = query.filters ? leaves.filter((row) => query.answers(row.number, row.path)) : leaves;
    if (this.view === "result") this.result.show(output, query.filters ? withAbove(found, output.rows) : output.rows, this.row, query.filters);
    else this.map.show(output, found, this.row);
    byId("nothing").hidden = found.length > 0;
    byId("nothing").textContent = this.nothing();
    byId("status").textContent = query.filters ? `${found.length.toLocaleString("en")} of ${counted(leaves.length, "value")}` : counted(leaves.length, "value");
  }

  /** What to show where no key is left. */
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
    // The same key, where it has that, too.
    this.row = (this.row && output.at(this.row.path)) ?? output.mostOverridden;
    this.refresh();
    this.remember();
  }

  /** Select a key of an output, and leave the view as it is. */
  choose(output, path) {
    this.output = output;
    this.row = output.at(path);
    this.picker.show(output, this.query);
    this.details.show(output, this.row);
    this.remember();
  }

  /** The current output if it has the key, else the first that has it. */
  withKey(path) {
    const has = (output) => numberAt(output, path) >= 0;
    return has(this.output) ? this.output : (outputs.find(has) ?? this.output);
  }

  turn(view) {
    this.view = view;
    for (const name of VIEWS) {
      const chosen = name === view;
      byId(`view-${name}`).hidden = !chosen;
      byId(`tab-${name}`).setAttribute("aria-selected", chosen);
      byId(`tab-${name}`).tabIndex = chosen ? 0 : -1;
    }
    byId("layers").hidden = view !== "result" && view !== "map";
    const tabs = byId("tabs");
    const tab = byId(`tab-${view}`);
    if (tabs.scrollWidth > tabs.clientWidth) tabs.scrollLeft = tab.offsetLeft - tabs.offsetLeft - (tabs.clientWidth - tab.offsetWidth) / 2;
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
    const typing = event.target.matches?.("input, select");
    if (event.key === "/" && !typing) {
      event.preventDefault();
      byId("filter").focus();
    } else if (event.key === "Escape" && event.target === byId("details")) byId(LISTS[this.view] ?? "tab-result").focus();
  }

  remember() {
    const kept = new URLSearchParams({ view: this.view });
    if (outputs.length > 1) kept.set("output", this.output?.name ?? "");
    if (this.row) kept.set("key", this.row.path);
    history.replaceState(null, "", `#${kept}`);
  }

  restore() {
    const kept = new URLSearchParams(location.hash.slice(1));
    const named = outputs.find((output) => output.name === kept.get("output"));
    this.output = named ?? (this.query ? this.output : mostOverriddenOutput());
    const view = VIEWS.includes(kept.get("view")) ? kept.get("view") : "result";
    this.row = (kept.has("key") ? this.output?.at(kept.get("key")) : this.output?.mostOverridden) || null;
    this.turn(byId(`tab-${view}`).hidden ? "result" : view);
  }
}

new Page().restore();
