// Rows: a long list of which only the part in sight exists. One row is the active one; arrow keys move it.

const PHONE = matchMedia("(max-width: 640px)");

class Rows {
  /**
   * `draw(item, index)` makes the element of a row; `name` starts its id. `onactive(item, byKey)` is called when another
   * row becomes active, `onkey(event, item)` gets the keys this list does not know.
   */
  constructor(root, { height, draw, name, onactive, onkey = () => {}, head = null }) {
    Object.assign(this, { root, height, draw, name, onactive, onkey, head });
    this.items = [];
    this.active = -1;
    this.space = element("div", { class: "space", role: root.getAttribute("role") === "listbox" ? null : "rowgroup" });
    root.append(...[head, this.space].filter(Boolean));
    root.addEventListener("scroll", () => this.paint(), { passive: true });
    root.addEventListener("keydown", (event) => this.key(event));
    root.addEventListener("click", (event) => this.click(event));
    new ResizeObserver(() => this.paint()).observe(root);
    addEventListener("beforeprint", () => this.print(true));
    addEventListener("afterprint", () => this.print(false));
  }

  /** Show other items; `active` is the one that is the active one, if it is among them. */
  show(items, active) {
    this.items = items;
    this.active = items.indexOf(active);
    this.root.hidden = !items.length;
    this.space.style.height = `${items.length * this.height}px`;
    if (this.root.getAttribute("role") !== "listbox") this.root.setAttribute("aria-rowcount", items.length + (this.head ? 1 : 0));
    this.from = this.to = -1;
    this.paint();
    if (this.active >= 0) this.reveal(true);
  }

  /** Draw what is in sight and a little more. */
  paint(all = false) {
    const view = this.root.clientHeight;
    if (!view && !all) return;
    const from = all ? 0 : Math.max(0, Math.floor(this.root.scrollTop / this.height) - 8);
    const to = all ? this.items.length : Math.min(this.items.length, from + Math.ceil(view / this.height) + 16);
    if (from === this.from && to === this.to) return;
    [this.from, this.to] = [from, to];
    this.space.replaceChildren(...this.items.slice(from, to).map((item, at) => this.drawn(item, from + at)));
    this.describe();
  }

  drawn(item, index) {
    const row = this.draw(item, index);
    row.id = `${this.name}-${index}`;
    row.dataset.index = index;
    row.style.setProperty("--at", `${index * this.height}px`);
    row.setAttribute("aria-selected", index === this.active);
    if (row.getAttribute("role") === "row") row.setAttribute("aria-rowindex", index + 1 + (this.head ? 1 : 0));
    else row.setAttribute("aria-posinset", index + 1), row.setAttribute("aria-setsize", this.items.length);
    return row;
  }

  element(index) {
    return this.space.querySelector(`[data-index="${index}"]`);
  }

  describe() {
    if (this.element(this.active)) this.root.setAttribute("aria-activedescendant", `${this.name}-${this.active}`);
    else this.root.removeAttribute("aria-activedescendant");
  }

  /** Make a row the active one and bring it into sight. */
  activate(index, byKey = false) {
    if (index < 0 || index >= this.items.length) return;
    this.element(this.active)?.setAttribute("aria-selected", "false");
    this.active = index;
    this.reveal();
    this.element(index)?.setAttribute("aria-selected", "true");
    this.describe();
    this.onactive(this.items[index], byKey);
  }

  /** Scroll as far as needed; on a phone, where the layer stack is over the end of the list, to a few rows above. */
  reveal(afresh = false) {
    const top = this.active * this.height;
    const room = this.root.clientHeight - (this.head?.offsetHeight ?? 0);
    if (room <= 0) return;
    const inSight = top >= this.root.scrollTop && top + this.height <= this.root.scrollTop + room;
    if (afresh && !inSight && PHONE.matches) this.root.scrollTop = top - Math.min(room / 4, 3 * this.height);
    else if (top < this.root.scrollTop) this.root.scrollTop = top;
    else if (top + this.height > this.root.scrollTop + room) this.root.scrollTop = top + this.height - room;
    this.paint();
  }

  key(event) {
    if (event.altKey || event.ctrlKey || event.metaKey) return;
    const page = Math.max(1, Math.floor(this.root.clientHeight / this.height) - 2);
    const last = this.items.length - 1;
    const to = {
      ArrowDown: Math.min(last, this.active + 1),
      ArrowUp: Math.max(0, this.active - 1),
      PageDown: Math.min(last, this.active + page),
      PageUp: Math.max(0, this.active - page),
      Home: 0,
      End: last,
    }[event.key];
    if (to === undefined) this.onkey(event, this.items[this.active]);
    else {
      event.preventDefault();
      this.activate(to, true);
    }
  }

  click(event) {
    const row = event.target.closest("[data-index]");
    if (row) this.activate(Number(row.dataset.index));
  }

  /** On paper there is no scrolling: everything is drawn. */
  print(begins) {
    if (!this.root.offsetParent) return;
    this.from = this.to = -1;
    this.paint(begins);
  }
}
