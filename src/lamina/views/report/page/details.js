// Details: the selected key, its value, and every layer that sets it, the last one applied on top.

class Details {
  constructor(root, notesFor) {
    this.root = root;
    this.notesFor = notesFor;
  }

  show(output, row) {
    refill(this.root, row ? this.parts(output, row) : [element("h2", { id: "details-title" }, "Layer stack"), this.advice()]);
    this.root.classList.toggle("empty", !row);
    this.root.scrollTop = 0;
  }

  advice() {
    return element("p", { class: "quiet" }, "Select a key to see every layer that sets it.");
  }

  parts(output, row) {
    const events = stackOf(row.events);
    const standings = row.standings;
    return [
      this.head(output, row),
      element("h2", { id: "details-title", class: "path" }, row.path),
      this.value(row),
      this.winner(output, row),
      ...row.hints.map((hint) => element("p", { class: "hint" }, hint)),
      ...this.notesFor(output, row).map((note) => element("p", { class: `hint ${note.severity}` }, note.message)),
      element("h3", {}, stackTitle(events)),
      element("ol", { class: "stack", reversed: true }, events.map((event) => this.card(output, row, event, standings))),
    ];
  }

  head(output, row) {
    return element("div", { class: "detailshead" }, element("p", { class: "eyebrow" }, outputs.length > 1 ? output.name : "Layer stack"), copyButton("Copy path", row.path));
  }

  value(row) {
    if (row.kind === "gone") return element("p", { class: "quiet" }, "Not in the result.");
    if (row.opens) return element("p", { class: "quiet" }, `A ${row.kind} of ${row.text}.`);
    return element("pre", { class: `full ${row.kind}`, tabindex: 0, role: "group", "aria-label": "Value" }, row.text);
  }

  winner(output, row) {
    if (!row.origins.length) return null;
    const places = row.origins.map(({ layer, place }) => element("span", { class: "origin" }, badge(output.layer(layer)), " ", placeElement(place)));
    return element("p", { class: "winner" }, element("span", { class: "quiet" }, "set at "), places);
  }

  card(output, row, event, standings) {
    const layer = output.layer(event.layer);
    const standing = standings.get(event.layer) ?? "";
    return element(
      "li",
      { class: `card ${layer.colour} ${row.opens ? "" : standing}` },
      element(
        "p",
        { class: "cardhead" },
        badge(layer),
        event.place ? placeElement(event.place) : element("code", { class: "place" }, "made by the program"),
        element("span", { class: `verdict ${event.verdict}` }, event.verdict === "ignored" ? "ignored (an earlier layer wins)" : event.verdict),
      ),
      event.value === null ? null : element("pre", { class: "said" }, event.value),
      element("p", { class: "quiet" }, this.circumstances(layer, event)),
      event.lost.length ? this.lost(event.lost) : null,
    );
  }

  circumstances(layer, event) {
    return [
      layer.name !== layer.source && layer.name,
      event.by && `marked at ${event.by.full}`,
      event.path && `at ${event.path}`,
      event.output && `through ${event.output}`,
      event.rule && `by ${event.rule}${event.rulePlace ? ` at ${event.rulePlace.full}` : ""}`,
    ]
      .filter(Boolean)
      .join(" · ");
  }

  /** What an event took away from inside the value, or kept out of it. */
  lost(losses) {
    const items = losses.map((loss) =>
      element(
        "li",
        {},
        element("s", {}, loss.value.split("\n", 1)[0]),
        element("span", { class: "quiet" }, [` ${loss.verdict}`, loss.place && ` from ${loss.place.short}`, loss.by && ` by ${loss.by.short}`].filter(Boolean).join("")),
      ),
    );
    return element("ul", { class: "lost" }, items);
  }
}

/** The events, the last one first. */
const stackOf = (events) => [...events].reverse();

function stackTitle(events) {
  const layers = new Set(events.map((event) => event.layer)).size;
  return layers === 1 ? "Set by one layer" : `Set by ${layers} layers, the last one applied on top`;
}
