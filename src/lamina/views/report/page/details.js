// Details: the selected key, its value, and the stack of layers that spoke there, the last word on top.

class Details {
  constructor(root, notesFor) {
    this.root = root;
    this.notesFor = notesFor;
  }

  show(output, row) {
    this.root.replaceChildren(...(row ? this.parts(output, row) : [this.title("Layer stack"), this.advice()]));
    this.root.scrollTop = 0;
  }

  title(words) {
    return element("h2", { id: "details-title" }, words);
  }

  advice() {
    return element("p", { class: "quiet" }, "Select a key to see every layer that spoke there.");
  }

  parts(output, row) {
    const events = row.events;
    const standings = row.standings;
    return [
      element("p", { class: "eyebrow" }, outputs.length > 1 ? output.name : "Layer stack"),
      element("h2", { id: "details-title", class: "path" }, row.path),
      this.value(row),
      this.winner(output, row),
      ...row.hints.map((hint) => element("p", { class: "hint" }, hint)),
      ...this.notesFor(output, row).map((note) => element("p", { class: `hint ${note.severity}` }, note.message)),
      element("h3", {}, events.length === 1 ? "Said once" : `Said ${events.length} times, the last word on top`),
      element("ol", { class: "stack", reversed: true }, [...events].reverse().map((event) => this.card(output, row, event, standings))),
    ];
  }

  value(row) {
    if (row.kind === "gone") return element("p", { class: "quiet" }, "Not in the result any more.");
    if (row.opens) return element("p", { class: "quiet" }, `A ${row.kind} of ${row.text}.`);
    return element("pre", { class: `full ${row.kind}` }, row.text);
  }

  winner(output, row) {
    if (!row.origins.length) return null;
    const places = row.origins.map(({ layer, place }) =>
      element("span", { class: "origin" }, badge(output.layer(layer)), " ", element("code", {}, place.full)),
    );
    return element("p", { class: "winner" }, element("span", { class: "quiet" }, "written at "), places);
  }

  card(output, row, event, standings) {
    const layer = output.layer(event.layer);
    const standing = standings.get(event.layer) ?? "";
    const from = event.output && event.output !== output.name ? `through ${event.output}` : "";
    return element(
      "li",
      { class: `card ${layer.colour} ${row.opens ? "" : standing}` },
      element(
        "p",
        { class: "cardhead" },
        badge(layer),
        element("code", { class: "place" }, event.place ? event.place.full : "made by the program"),
        element("span", { class: `verdict ${event.verdict}` }, event.verdict),
      ),
      event.value === null ? null : element("pre", { class: "said" }, event.value),
      element(
        "p",
        { class: "quiet" },
        [
          layer.name !== layer.source && layer.name,
          event.by && `marked at ${event.by.full}`,
          event.path && `at ${event.path}`,
          from,
          event.rule && `by ${event.rule}${event.rulePlace ? ` at ${event.rulePlace.full}` : ""}`,
        ]
          .filter(Boolean)
          .join(" · "),
      ),
      event.lost.length ? this.lost(event.lost) : null,
    );
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
