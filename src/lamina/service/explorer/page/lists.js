// Lists: what there is to pick from, what a search found, and what a line decides.

/** A list of named things to pick from, with a title that counts them; what is picked is listed whatever is sought. */
class ExploredList {
  constructor(id, title, onpick) {
    this.rows = new Rows(byId(id), { height: 42, name: id, draw: (item) => this.draw(item), onactive: (item) => onpick(item.name) });
    Object.assign(this, { title: byId(title), items: [], current: null, noun: "" });
    byId("picker-filter").addEventListener("input", () => this.show(this.items, this.current, this.noun));
  }

  show(items, current, noun) {
    Object.assign(this, { items, current, noun });
    const words = byId("picker-filter").value.toLowerCase().split(/\s+/);
    const sought = (item) => words.every((word) => `${item.name} ${item.about} ${item.aside ?? ""} ${item.error ? "error" : ""}`.toLowerCase().includes(word));
    const found = items.filter(sought);
    const listed = items.filter((item) => item.name === current || found.includes(item));
    const failed = items.filter((item) => item.error).length;
    const number = found.length < items.length ? `${found.length.toLocaleString("en")} of ${counted(items.length, noun)}` : counted(items.length, noun);
    this.title.textContent = failed ? `${number}, ${counted(failed, "error")}` : number;
    this.rows.show(listed, listed.find((item) => item.name === current) ?? null);
  }

  /** The end of a name is what differs; what is before it is on the second line. */
  draw(item) {
    const group = item.name.slice(0, item.name.lastIndexOf("/") + 1);
    const about = [group.slice(0, -1), item.about].filter(Boolean).join(" · ");
    return element(
      "div",
      { role: "option", class: "option", title: item.error ? `${item.name}: ${item.error}` : item.name },
      element("span", { class: "named" }, element("bdi", {}, item.name.slice(group.length) || item.name), about ? element("bdi", { class: "quiet" }, about) : null),
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

/** What a search found; `one` is the target, where only one was searched. */
function hitElements(found, go, one = null) {
  return found.map((hit) =>
    element(
      "li",
      {},
      element("button", { type: "button", class: "plain", onclick: () => go(hit.targets[0], hit.output, hit.path) }, element("code", {}, hit.path)),
      element("code", {}, hit.text),
      element("span", { class: "quiet" }, one ? hit.output : `${hit.output} in`),
      one ? null : targetButtons(hit.targets, (target) => go(target, hit.output, hit.path)),
    ),
  );
}

/** What a line decides, each use once; `one` is the target, where only one was looked at. */
function useElements(answer, go, one = null) {
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
        one ? null : [element("span", { class: "quiet" }, "in"), targetButtons(use.targets, (target) => go(target, use.output, use.path))],
      ),
    );
    return [head, element("ul", { class: "hits" }, items)];
  }
  const chosen = answer.chosen_by.length ? `No value comes from it; it may choose what is merged for ${answer.chosen_by.join(", ")}.` : "It decides nothing: no value comes from it, and no rule on it was used in a merge.";
  return [head, element("p", {}, chosen)];
}
