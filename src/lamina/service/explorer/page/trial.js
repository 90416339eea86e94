// Trial: the layer stack with a form for another value, at any place that sets the selected one.

class TrialDetails extends Details {
  constructor(root, { ontry, online }) {
    super(root, () => []);
    Object.assign(this, { ontry, online });
  }

  parts(output, row) {
    const parts = super.parts(output, row);
    const form = row.opens ? null : this.form(row);
    return form ? [...parts.slice(0, 4), form, ...parts.slice(4)] : parts;
  }

  card(output, row, event, standings) {
    const made = super.card(output, row, event, standings);
    if (event.place) made.append(element("button", { type: "button", class: "small", onclick: () => this.online(event.place) }, "What does this line decide?"));
    return made;
  }

  /** The places where a value of this key is written, the one that counts first. */
  places(row) {
    const written = [...row.origins.map(({ place }) => place), ...stackOf(row.events).filter((event) => event.scalar).map((event) => event.place)];
    return [...new Map(written.filter(Boolean).map((place) => [place.full, place])).values()];
  }

  form(row) {
    const places = this.places(row);
    if (!places.length || row.kind === "secret") return null;
    const value = element("input", { id: "trial-value", autocomplete: "off", spellcheck: "false", maxlength: 20000 });
    value.value = row.kind === "gone" || row.text.includes("\n") ? "" : row.text;
    const place = element("select", { id: "trial-place" }, places.map((each, number) => element("option", { value: number, title: each.full }, shownPlace(each))));
    const form = element(
      "form",
      { class: "trial" },
      element("label", {}, "Another value, as YAML", value),
      element("label", {}, "written at", place),
      element("button", { type: "submit", class: "small" }, "What would change?"),
    );
    form.addEventListener("submit", (event) => {
      event.preventDefault();
      this.ontry(row, places[Number(place.value)], value.value);
    });
    return form;
  }
}

/** A place with the end of its name first, which is what differs and must not be cut off. */
function shownPlace(place) {
  const short = shortOf(place.full);
  return short === place.full ? short : `${short} in ${place.full.slice(0, -short.length - 1)}`;
}

/** What a trial answers. */
function trialElements(answer, row, place, value, noun, kind) {
  const reach = answer.targets.length ? `${counted(answer.targets.length, noun)} would change: ${answer.targets.slice(0, 20).join(", ")}${answer.targets.length > 20 ? ", …" : ""}` : "Nothing would change.";
  return [
    element("h2", {}, element("code", {}, `${row.path}: ${value}`)),
    element("p", { class: "quiet" }, `written at ${place.full}; the ${kind === "store" ? "store" : "file"} is as it was`),
    element("p", { role: "status", id: "trial-reach" }, reach),
    ...noteElements(answer),
    ...changeCards(answer, ["now", "then"]),
  ];
}
