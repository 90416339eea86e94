// Tip: what a row displaced, beside the row while the pointer or the keyboard is on it. Escape puts it away.

class Tip {
  constructor(root) {
    this.root = root;
    this.timer = 0;
    root.addEventListener("mouseenter", () => clearTimeout(this.timer));
    root.addEventListener("mouseleave", () => this.hide());
    addEventListener("keydown", (event) => event.key === "Escape" && this.hide());
    addEventListener("scroll", () => this.hide(), true);
  }

  /** Show it for a row's element, a moment later. */
  soon(output, row, beside, delay = 180) {
    clearTimeout(this.timer);
    if (!row?.losers.length) return this.later();
    this.timer = setTimeout(() => this.show(output, row, beside()), delay);
  }

  show(output, row, beside) {
    if (!beside) return;
    const losers = row.losers.map((event) => {
      const layer = output.layer(event.layer);
      return element(
        "li",
        {},
        badge(layer),
        element("code", { class: "place" }, event.place ? event.place.short : layer.name),
        element("s", {}, event.value.split("\n", 1)[0]),
      );
    });
    this.root.replaceChildren(
      element("p", {}, row.kind === "gone" ? "No longer there" : "Overridden here"),
      element("ul", {}, losers),
    );
    this.root.hidden = false;
    beside.setAttribute("aria-describedby", this.root.id);
    this.place(beside);
  }

  place(beside) {
    this.root.style.setProperty("left", "0");
    const row = beside.getBoundingClientRect();
    const own = this.root.getBoundingClientRect();
    const below = row.bottom + 6 + own.height < innerHeight;
    const left = Math.min((beside.querySelector(".key") ?? beside).getBoundingClientRect().left, innerWidth - own.width - 12);
    this.root.style.setProperty("left", `${Math.max(8, left)}px`);
    this.root.style.setProperty("top", `${below ? row.bottom + 4 : row.top - own.height - 4}px`);
  }

  /** Put it away soon, unless the pointer goes onto it. */
  later() {
    clearTimeout(this.timer);
    this.timer = setTimeout(() => this.hide(), 120);
  }

  hide() {
    clearTimeout(this.timer);
    this.root.hidden = true;
  }
}
