// Picker: the outputs, where there are several; each with the number of keys that answer the filter.

class Picker {
  constructor({ onpick }) {
    this.words = [];
    this.rows = new Rows(byId("picker-rows"), {
      height: outputs.some((output) => output.group) ? 42 : 32,
      name: "output",
      draw: (output) => this.draw(output),
      onactive: (output) => onpick(output),
    });
    byId("picker").hidden = outputs.length < 2;
    byId("picker-title").textContent = counted(outputs.length, "output");
    byId("picker-filter").addEventListener("input", () => this.show(this.current, this.words));
  }

  /** Show the outputs; with words of a filter, how many keys of each answer it. */
  show(current, words) {
    Object.assign(this, { current, words });
    const sought = byId("picker-filter").value.toLowerCase();
    this.rows.show(outputs.filter((output) => output.name.toLowerCase().includes(sought)), current);
  }

  draw(output) {
    const found = this.words.length ? output.leaves.filter((row) => answers(row, this.words)).length : null;
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
