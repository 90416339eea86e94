// Lists: what there is to pick from, what a search found, and what a line decides.

/** A list of named things to pick from. */
class ExploredList {
  constructor(id, onpick) {
    this.rows = new Rows(byId(id), { height: 42, name: id, draw: (item) => this.draw(item), onactive: (item) => onpick(item.name) });
    this.items = [];
    this.current = null;
    byId("picker-filter").addEventListener("input", () => this.show(this.items, this.current));
  }

  show(items, current) {
    Object.assign(this, { items, current });
    const sought = byId("picker-filter").value.toLowerCase();
    const named = items.filter((item) => `${item.name} ${item.about} ${item.aside ?? ""}`.toLowerCase().includes(sought));
    this.rows.show(named, named.find((item) => item.name === current) ?? null);
  }

  draw(item) {
    return element(
      "div",
      { role: "option", class: "option", title: item.error ?? item.name },
      element("span", { class: "named" }, element("bdi", {}, item.name), item.about ? element("bdi", { class: "quiet" }, item.about) : null),
      item.error ? element("span", { class: "failed" }, "error") : null,
      item.aside && !item.error ? element("span", { class: "aside" }, item.aside) : null,
    );
  }
}

/** The targets something holds for, as buttons that lead there. */
function targetButtons(targets, go, most = 8) {
  const buttons = targets.slice(0, most).map((target) => element("button", { type: "button", class: "plain", onclick: () => go(target) }, target));
  const rest = targets.length - buttons.length;
  return [...buttons.flatMap((button) => [button, " "]), rest > 0 ? element("span", { class: "quiet" }, `and ${rest.toLocaleString("en")} more`) : null];
}

function hitElements(found, go) {
  return found.map((hit) =>
    element(
      "li",
      {},
      element("button", { type: "button", class: "plain", onclick: () => go(hit.targets[0], hit.output, hit.path) }, element("code", {}, hit.path)),
      element("code", {}, hit.text),
      element("span", { class: "quiet" }, `${hit.output} in`),
      targetButtons(hit.targets, (target) => go(target, hit.output, hit.path)),
    ),
  );
}

/** What a line decides, each use once. */
function useElements(answer, go) {
  const head = element("h2", {}, `${answer.file}:${answer.line}`);
  if (answer.uses.length) {
    const items = answer.uses.map((use) =>
      element(
        "li",
        {},
        element("span", { class: `verdict ${use.verdict}` }, use.verdict),
        element("button", { type: "button", class: "plain", onclick: () => go(use.targets[0], use.output, use.path) }, element("code", {}, use.path)),
        use.output ? element("span", { class: "quiet" }, use.output) : null,
        use.by ? element("span", { class: "quiet" }, "by ", placeElement(placeOf(use.by))) : null,
        element("span", { class: "quiet" }, "in"),
        targetButtons(use.targets, (target) => go(target, use.output, use.path)),
      ),
    );
    return [head, element("ul", { class: "hits" }, items)];
  }
  const chosen = answer.chosen_by.length ? `No value comes from it; it may choose what is merged for ${answer.chosen_by.join(", ")}.` : "It decides nothing: no value comes from it, and no rule on it was used in a merge.";
  return [head, element("p", {}, chosen)];
}
