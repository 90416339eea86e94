// Changes: what differs between two results, each change once with the outputs it is in, before and after side by side.

const PAGE = 200;
/** Changes drawn at once; a button draws the next ones. */
const NAMES = 12;
/** Outputs named at once. */

class Changes {
  constructor() {
    byId("title").textContent = document.title = data.title;
    byId("about").textContent = [data.dialect, data.summary, `Lamina ${data.lamina}`].filter(Boolean).join(" · ");
    this.kinds = new Set(data.groups.map((group) => group.kind));
    this.shown = PAGE;
    refill(byId("failed"), data.failed.length ? this.failures() : null);
    refill(byId("kinds"), [...this.kinds].map((kind) => this.kind(kind)));
    byId("kinds").hidden = this.kinds.size < 2;
    byId("filter").addEventListener("input", () => this.restart());
    byId("more").addEventListener("click", () => ((this.shown += PAGE), this.show()));
    addEventListener("beforeprint", () => ((this.shown = Infinity), this.show()));
    addEventListener("keydown", (event) => {
      if (event.key !== "/" || event.target.matches?.("input")) return;
      event.preventDefault();
      byId("filter").focus();
    });
    this.show();
  }

  /** What kept outputs from being compared. */
  failures() {
    const count = new Set(data.failed.flatMap(({ outputs }) => outputs)).size;
    const items = data.failed.map(({ outputs, why }) => element("li", {}, element("p", {}, why), element("p", { class: "quiet" }, outputs.join(", "))));
    return element("div", { class: "hint error" }, element("h2", {}, `${counted(count, data.noun)} could not be compared`), element("ul", {}, items));
  }

  kind(kind) {
    const box = element("input", { type: "checkbox", checked: true });
    box.addEventListener("change", () => {
      if (box.checked) this.kinds.add(kind);
      else this.kinds.delete(kind);
      this.restart();
    });
    const count = data.groups.filter((group) => group.kind === kind).length;
    return element("label", { class: "check" }, box, ` ${kind}`, element("span", { class: "found" }, count.toLocaleString("en")));
  }

  restart() {
    this.shown = PAGE;
    this.show();
  }

  show() {
    const words = byId("filter").value.toLowerCase().split(/\s+/).filter(Boolean);
    const found = data.groups.filter((group) => this.kinds.has(group.kind) && words.every((word) => sought(group).includes(word)));
    refill(byId("changes"), found.slice(0, this.shown).map((group) => this.change(group)));
    byId("nothing").hidden = found.length > 0;
    byId("nothing").textContent = data.groups.length ? "No change matches." : data.failed.length ? "What could be compared does not differ." : "The two results do not differ.";
    byId("status").textContent = found.length === data.groups.length ? counted(found.length, "change") : `${found.length.toLocaleString("en")} of ${counted(data.groups.length, "change")}`;
    byId("more").hidden = found.length <= this.shown;
    byId("more").textContent = `Show ${Math.min(PAGE, found.length - this.shown).toLocaleString("en")} more`;
  }

  change(group) {
    return element(
      "section",
      { class: `change ${group.kind}` },
      element("div", { class: "cardhead" }, element("span", { class: `verdict ${group.kind}` }, group.whole ? `${data.noun} ${group.kind}` : group.kind), element("h2", { class: "path" }, group.path), copyButton("Copy path", group.path)),
      group.within ? element("p", { class: "quiet" }, `in ${group.within}`) : null,
      this.reach(group),
      group.whole ? null : this.sides(group),
      this.causes(group),
    );
  }

  /** The outputs a change is in. */
  reach(group) {
    if (!data.many || group.whole) return null;
    const names = group.outputs.map((number) => data.outputs[number]);
    const list = (some) => some.map((name) => element("li", {}, name));
    if (names.length === 1) return element("p", { class: "quiet" }, `${data.noun} ${names[0]}`);
    const title = `${names.length.toLocaleString("en")} of ${counted(data.total, data.noun)}`;
    return element("details", { class: "fold", open: names.length <= NAMES }, element("summary", {}, title), element("ul", { class: "names" }, list(names)));
  }

  sides(group) {
    const head = ["before", "after"].map((side) => element("h3", {}, side === "before" ? data.before : data.after));
    const lines = group.lines.map(([before, after]) => [line(before, after, "removed"), line(after, before, "added")]);
    return element("div", { class: "sides" }, head, lines, group.cut ? element("p", { class: "quiet" }, "Longer values are cut here.") : null);
  }

  causes(group) {
    if (!group.causes.length) return null;
    const items = group.causes.map(({ how, place, rule }) => {
      const shown = place ? placeElement(placed(place)) : null;
      return causeElement(how, rule, shown);
    });
    return element("div", { class: "because" }, element("h3", {}, "Because"), element("ul", {}, items));
  }
}

/** One line of a side; null where the side has none. */
function line(own, other, kind) {
  const differs = own !== other;
  return element("pre", { class: `sideline ${own === null ? "absent" : differs ? kind : ""}` }, own ?? "");
}

/** A place with its address, from source, line, column, part and the side it is on. */
function placed([source, number, column, part, side]) {
  const full = `${source}:${number}:${column}${part ? ` (${part})` : ""}`;
  return { full, url: lineAddress(data.sources[side][source], number) };
}

const sought = (() => {
  const known = new Map();
  return (group) => {
    if (!known.has(group)) {
      const places = group.causes.map((cause) => cause.place?.[0] ?? "");
      const names = group.outputs.map((number) => data.outputs[number]);
      known.set(group, [group.path, group.kind, group.within, ...group.lines.flat(), ...places, ...names].join("\n").toLowerCase());
    }
    return known.get(group);
  };
})();

new Changes();
