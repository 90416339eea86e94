// Explorer: what is selected, and which views show it. The address keeps it, so that a link leads to the same key.

let outputs = [];
const VIEWS = ["result", "search", "line", "compare", "trial"];
const NO_TIP = { soon() {}, later() {}, hide() {} };

class Explorer {
  constructor() {
    Object.assign(this, { site: null, target: null, opensAt: null, output: null, row: null, view: "result", asked: 0, questions: {} });
    this.targets = new ExploredList("target-rows", "picker-title", (name) => name !== this.target && this.go(name));
    this.outputs = new ExploredList("output-rows", "outputs-title", (name) => name !== this.output?.name && this.go(this.target, name));
    this.details = new TrialDetails(byId("details"), { ontry: (row, place, value) => this.attempt(row, place, value), online: (place) => this.line(place) });
    this.result = new ResultView({ onselect: (row) => this.select(row), tip: NO_TIP });
    this.live = new LiveEvents({ onopen: () => this.reopened(), onchange: (news) => this.changed(news), onlost: (why) => this.notify(why) });
    this.details.show(null, null);
    this.listen();
  }

  listen() {
    let timer = 0;
    byId("filter").addEventListener("input", () => {
      clearTimeout(timer);
      timer = setTimeout(() => this.turn("search"), 200);
    });
    byId("tabs").addEventListener("click", (event) => event.target.closest("[role=tab]") && this.turn(event.target.closest("[role=tab]").id.slice(4)));
    byId("tabs").addEventListener("keydown", (event) => this.tabKey(event));
    byId("close").addEventListener("click", () => this.select(null));
    byId("compare-form").addEventListener("change", () => this.compare());
    byId("line-form").addEventListener("submit", (event) => (event.preventDefault(), this.where()));
    byId("token-form").addEventListener("submit", (event) => {
      event.preventDefault();
      sessionStorage.setItem("lamina-token", byId("token").value);
      byId("token-form").hidden = true;
      this.start();
    });
    addEventListener("hashchange", () => this.restore());
    addEventListener("keydown", (event) => {
      if (event.key !== "/" || event.target.matches?.("input, select")) return;
      event.preventDefault();
      byId("filter").focus();
    });
  }

  async start() {
    if (!(await this.load())) return;
    await this.restore();
    this.live.run();
  }

  /** The site and its targets. */
  async load() {
    return this.trying(async () => {
      this.site = await ask("targets");
      byId("title").textContent = document.title = this.site.title;
      byId("about").textContent = [this.site.kind === "files" ? "Files, read-only" : "Store", counted(this.site.targets.length, this.site.noun), `Lamina ${this.site.lamina}`].join(" · ");
      const wanted = this.site.kind === "store" ? "Find a revision or document" : "Find a target or output";
      byId("picker-filter").placeholder = byId("picker-filter").previousElementSibling.textContent = wanted;
      const names = this.site.targets.map(({ name }) => name);
      for (const id of ["compare-before", "compare-after"]) {
        const chosen = byId(id).value;
        refill(byId(id), names.map((name) => element("option", { value: name }, name)));
        if (names.includes(chosen)) byId(id).value = chosen;
      }
      if (byId("compare-before").value === byId("compare-after").value && names.length > 1) byId("compare-before").value = names[this.site.kind === "store" ? 1 : 0];
      if (byId("compare-before").value === byId("compare-after").value && names.length > 1) byId("compare-after").value = names[1];
      this.targets.show(this.site.targets, this.target, this.site.noun);
      return true;
    });
  }

  /** Do something that may fail; what is wrong is shown in the place of a result. */
  async trying(work, place = byId("nothing")) {
    try {
      const made = await work();
      if (place === byId("nothing")) place.hidden = true;
      return made;
    } catch (error) {
      place.hidden = false;
      refill(place, element("span", { class: "broken" }, error.message));
      return null;
    }
  }

  /** Show a target, an output of it and a key, as far as they are given. */
  async go(target, output = null, path = null, view = "result") {
    const number = ++this.asked;
    this.target = target;
    this.targets.show(this.site.targets, target, this.site.noun);
    const loaded = await this.trying(async () => {
      const listed = await ask("outputs", { target });
      const name = listed.outputs.some((each) => each.name === output) ? output : (listed.outputs[0]?.name ?? null);
      return { listed, tree: name === null ? null : await ask("tree", { target, output: name }) };
    });
    if (number !== this.asked) return;
    outputs = loaded?.listed.outputs ?? [];
    this.output = loaded?.tree ? new ExploredOutput(loaded.tree, loaded.listed.opens_at) : null;
    this.outputs.show(outputs, this.output?.name, loaded?.listed.noun ?? "output");
    byId("output-rows").hidden = byId("outputs-title").hidden = outputs.length < 2;
    this.noteAside();
    refill(byId("line-sources"), (this.output?.sources ?? []).map((source) => element("option", { value: source })));
    this.row = path === null ? null : (this.output?.at(path) ?? null);
    this.legend();
    this.turn(view);
    await this.select(this.row);
  }

  /** The target that questions are about; all of them, where files are explored. */
  get revision() {
    return this.site.kind === "store" ? this.target : null;
  }

  list() {
    if (!this.output) return this.result.rows.show([], null);
    const { output } = this;
    this.result.show(output, output.rows, this.row, false);
    byId("status").textContent = counted(output.leaves.length, "value");
  }

  /** Say why what is shown is not part of the result, if it is not. */
  noteAside() {
    const { aside, error } = outputs.find(({ name }) => name === this.output?.name) ?? {};
    byId("aside").hidden = !aside;
    byId("aside").classList.toggle("broken", aside === "failed");
    byId("aside").textContent = {
      abstract: "Abstract: not rendered itself. These are the values that its children start from.",
      replaced: "Replaced: another document takes its place and is rendered instead.",
      failed: `Cannot be rendered: ${error}. These are its values before that.`,
    }[aside] ?? aside;
  }

  legend() {
    const { output } = this;
    const layers = (output?.order ?? []).map((number) => output.layer(number)).filter((layer) => layer.ordinal >= 0);
    const names = distinctNames(layers.map((layer) => layer.source || layer.name));
    refill(byId("layers"), layers.map((layer, at) => element("li", { title: layer.source || layer.name }, badge(layer), ` ${names[at]}`)));
    byId("layers").tabIndex = byId("layers").scrollHeight > byId("layers").clientHeight ? 0 : -1;
  }

  async select(row) {
    this.row = row;
    this.remember();
    if (row && !row.stack) {
      const stack = await this.trying(() => ask("stack", { target: this.target, output: this.output.name, path: row.path }), byId("details"));
      if (!stack || this.row !== row) return;
      row.fill(stack);
    }
    this.details.show(this.output, row);
  }

  turn(view) {
    this.view = document.body.dataset.view = view;
    for (const name of VIEWS) {
      const chosen = name === view;
      byId(`view-${name}`).hidden = !chosen;
      byId(`tab-${name}`).setAttribute("aria-selected", chosen);
      byId(`tab-${name}`).tabIndex = chosen ? 0 : -1;
    }
    byId("layers").hidden = view !== "result";
    byId("status").textContent = "";
    if (view === "result") this.list();
    if (view === "search") this.search();
    if (view === "compare") this.compare();
    this.remember();
  }

  /** Fill a view with what a question gives; of several questions for one view the last one counts. */
  async fill(name, place, work) {
    const number = (this.questions[name] = (this.questions[name] ?? 0) + 1);
    const status = (words) => this.view === name && (byId("status").textContent = words);
    const timer = setTimeout(() => status("Working …"), 300);
    const made = await work().catch((error) => ({ parts: element("p", { class: "broken" }, error.message) }));
    clearTimeout(timer);
    if (number !== this.questions[name]) return;
    refill(place, made.parts);
    status(made.status ?? "");
  }

  /** Turn to a view from elsewhere on the page, which may be far below it on a small screen. */
  lead(view) {
    this.turn(view);
    byId("tabs").scrollIntoView({ block: "nearest" });
  }

  async search() {
    const words = byId("filter").value.trim();
    await this.fill("search", byId("hits"), async () => {
      if (!words) return { parts: [] };
      const answer = await ask("search", { words, target: this.revision });
      return {
        parts: hitElements(answer.found, (target, output, path) => this.go(target, output, path), this.revision),
        status: `${counted(answer.found.length, "value")}${answer.more ? " and more" : ""}`,
      };
    });
  }

  line(place) {
    byId("line-source").value = place.source;
    byId("line-number").value = place.line;
    this.lead("line");
    return this.where();
  }

  async where() {
    await this.fill("line", byId("line-uses"), async () => {
      const answer = await ask("where", { source: byId("line-source").value, line: byId("line-number").value, target: this.revision });
      return { parts: useElements(answer, (target, output, path) => this.go(target, output, path), this.revision) };
    });
  }

  async compare() {
    const [before, after] = [byId("compare-before").value, byId("compare-after").value];
    if (!before || !after) return;
    await this.fill("compare", byId("compared"), async () => {
      const answer = await ask("compare", { before, after });
      const same = this.site.kind === "store" ? "No rendered document differs." : "They do not differ.";
      return { parts: answer.total ? [...noteElements(answer), ...changeCards(answer, [before, after])] : [element("p", {}, same), ...noteElements(answer)], status: counted(answer.total, "change") };
    });
  }

  /** What another value would change; nothing is written. */
  async attempt(row, place, value) {
    this.lead("trial");
    const noun = this.site.kind === "store" ? "document" : "target";
    await this.fill("trial", byId("trial"), async () => {
      const body = { source: place.source, line: place.line, column: place.column, value, ...(this.revision ? { target: this.revision } : {}) };
      const answer = await ask("what-if", {}, body);
      return { parts: trialElements(answer, row, place, value, noun, this.site.kind) };
    });
  }

  /** The server is there, perhaps again: catch up with what was missed. */
  async reopened() {
    const { generation } = await ask("targets");
    if (generation !== this.site?.generation) return this.changed({ generation, targets: [] });
    this.notify();
  }

  /** Something changed: show again what is shown. What is known already needs nothing. */
  async changed(news) {
    if (news.error && this.site?.kind === "store") return this.notify(news.error);
    if (!news.error && news.generation === this.site?.generation) return this.notify();
    const known = new Set(this.site?.targets.map(({ name }) => name));
    await this.load();
    if (this.site.kind === "store") return this.revised(this.site.targets.filter(({ name }) => !known.has(name)));
    if (this.target) await this.go(this.target, this.output?.name, this.row?.path ?? null, this.view);
    this.notify(news.error ?? (news.targets.length ? `Files changed: ${counted(news.targets.length, this.site.noun)} updated (${news.targets.slice(0, 8).join(", ")}${news.targets.length > 8 ? ", …" : ""}).` : "Files changed; no result did."));
  }

  /** There are new revisions, or none any more; the one that is shown stays as it is. */
  async revised(added) {
    const [newest] = this.site.targets;
    if (!newest || !this.site.targets.some(({ name }) => name === this.target)) {
      this.target = null;
      history.replaceState(null, "", `#view=${this.view}`);
      await this.restore();
      return this.notify(newest ? "The store was changed: this is its newest revision." : "The store was emptied.");
    }
    if (newest.name === this.target) return this.notify();
    const words = added.length > 1 ? `${added.length} new revisions; the newest is ${newest.name}` : `Revision ${newest.name} is new`;
    const show = element("button", { type: "button", class: "small", onclick: () => (this.notify(), this.go(newest.name, this.output?.name, this.row?.path ?? null, this.view)) }, "Show it");
    this.notify(`${words} (${newest.about}).`, " ", show);
  }

  /** A line about what happens meanwhile; nothing hides it. */
  notify(...parts) {
    byId("live").hidden = !parts.length;
    refill(byId("live"), ...parts);
  }

  tabKey(event) {
    const step = { ArrowRight: 1, ArrowLeft: -1 }[event.key];
    if (!step) return;
    this.turn(VIEWS[(VIEWS.indexOf(this.view) + step + VIEWS.length) % VIEWS.length]);
    byId(`tab-${this.view}`).focus();
  }

  remember() {
    const kept = new URLSearchParams({ view: this.view });
    if (this.target) kept.set("target", this.target);
    if (this.output) kept.set("output", this.output.name);
    if (this.row) kept.set("key", this.row.path);
    history.replaceState(null, "", `#${kept}`);
  }

  async restore() {
    const kept = new URLSearchParams(location.hash.slice(1));
    const target = kept.get("target") ?? this.site?.targets[0]?.name;
    if (target === undefined) return refill(byId("nothing"), "There is nothing here yet."), (byId("nothing").hidden = false);
    await this.go(target, kept.get("output"), kept.get("key"), VIEWS.includes(kept.get("view")) ? kept.get("view") : "result");
  }
}

const explorer = new Explorer();
explorer.start();
