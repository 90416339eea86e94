// Tip: what a row overrides, below the row while the pointer or the keyboard is on it. It stays inside the list, so that
// it never covers the layer stack. Escape hides it.

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
    const losers = stackOf(row.losers).map((event) => {
      const layer = output.layer(event.layer);
      return element(
        "li",
        {},
        badge(layer),
        element("code", { class: "place" }, event.place ? event.place.short : layer.name),
        element("s", {}, event.value.split("\n", 1)[0]),
      );
    });
    refill(this.root, element("p", {}, row.kind === "gone" ? "Removed" : "Overridden here"), element("ul", {}, losers));
    this.root.hidden = false;
    beside.setAttribute("aria-describedby", this.root.id);
    this.place(beside);
  }

  place(beside) {
    const room = this.root.parentElement.getBoundingClientRect();
    this.root.style.setProperty("left", "0");
    this.root.style.setProperty("max-width", `${Math.min(560, room.width - 16)}px`);
    const row = beside.getBoundingClientRect();
    const own = this.root.getBoundingClientRect();
    const below = row.bottom + 6 + own.height < innerHeight;
    const left = Math.min((beside.querySelector(".key") ?? beside).getBoundingClientRect().left, room.right - own.width - 8);
    this.root.style.setProperty("left", `${Math.max(room.left + 8, left)}px`);
    this.root.style.setProperty("top", `${below ? row.bottom + 4 : row.top - own.height - 4}px`);
  }

  /** Hide it soon, unless the pointer goes onto it. */
  later() {
    clearTimeout(this.timer);
    this.timer = setTimeout(() => this.hide(), 120);
  }

  hide() {
    clearTimeout(this.timer);
    this.root.hidden = true;
  }
}
