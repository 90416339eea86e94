// Picker: the outputs, where there are several; each with the number of values that answer the search.

class Picker {
  constructor({ onpick }) {
    this.query = new Query("", false);
    this.rows = new Rows(byId("picker-rows"), {
      height: outputs.some((output) => output.group) ? 42 : 32,
      name: "output",
      draw: (output) => this.draw(output),
      onactive: (output) => onpick(output),
    });
    byId("picker").hidden = outputs.length < 2;
    const box = byId("picker-filter");
    box.placeholder = box.previousElementSibling.textContent = `Find a ${data.noun}`.replace(/\ba (?=[aeiou])/, "an ");
    byId("picker-rows").setAttribute("aria-label", `${data.noun}s`);
    box.addEventListener("input", () => this.show(this.current, this.query));
  }

  /** Show the outputs; with a search, how many values of each answer it, and those that have some first. */
  show(current, query) {
    Object.assign(this, { current, query });
    const sought = byId("picker-filter").value.toLowerCase();
    const named = outputs.filter((output) => output.name.toLowerCase().includes(sought));
    this.counts = query.filters && outputs.length > 1 ? new Map(outputs.map((output) => [output, query.count(output)])) : null;
    const rank = (output) => (this.counts?.get(output) ? 1 : output === current ? 0 : 2);
    this.rows.show(this.counts ? named.sort((one, other) => rank(one) - rank(other)) : named, current);
    const total = counted(outputs.length, data.noun);
    byId("picker-title").textContent = this.counts ? `${this.others(null).toLocaleString("en")} of ${total}` : total;
  }

  /** How many outputs other than that one have values that answer the search. */
  others(than) {
    return this.counts ? outputs.filter((output) => output !== than && this.counts.get(output)).length : 0;
  }

  draw(output) {
    const found = this.counts ? this.counts.get(output) : null;
    return element(
      "div",
      { role: "option", class: `option ${found === 0 ? "idle" : ""}`, title: output.name },
      element(
        "span",
        { class: "named" },
        element("bdi", {}, output.short),
        output.group ? element("bdi", { class: "quiet" }, output.group) : null,
      ),
      found === null ? null : element("span", { class: "found" }, found.toLocaleString("en")),
    );
  }
}
