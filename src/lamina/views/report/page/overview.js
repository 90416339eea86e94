// Overview: layers that never win, the keys that are overridden most, and how many notes there are of each rule.

const LISTED = 15;

class OverviewView {
  constructor({ onkey, onnotes }) {
    Object.assign(this, { onkey, onnotes, drawn: false });
  }

  show() {
    if (this.drawn) return;
    this.drawn = true;
    const { neverWin, overrides } = statistics();
    refill(byId("view-overview"), [
      this.part("Most overridden keys", overrides, "No layer overrides another.", ([path, count]) => this.key(path, count)),
      this.part("Layers that never win", neverWin, "Every layer that sets something is in the result.", ([layer, count]) => this.layer(layer, count)),
      this.part(data.linted ? "Findings by rule" : "Notes by rule", noteGroups(), `There are no ${data.linted ? "findings" : "notes"}.`, ([code, notes]) => this.rule(code, notes), data.linted ? null : "lamina report --lint adds the findings of lamina lint."),
    ]);
  }

  part(title, entries, nothing, draw, hint = null) {
    const more = entries.length - LISTED;
    return element(
      "section",
      { class: "part" },
      element("h2", {}, title),
      entries.length ? element("ul", {}, entries.slice(0, LISTED).map(draw)) : element("p", { class: "quiet" }, nothing),
      more > 0 ? element("p", { class: "quiet" }, `and ${more.toLocaleString("en")} more`) : null,
      hint ? element("p", { class: "quiet" }, hint) : null,
    );
  }

  key(path, count) {
    const go = element("button", { type: "button", class: "plain", onclick: () => this.onkey(path) }, path);
    return element("li", {}, go, element("span", { class: "found" }, `${counted(count, "value")} overridden`));
  }

  layer(number, count) {
    const [name, source] = data.layers[number].map(text);
    const both = name && source && !source.endsWith(name) ? `${source} ${name}` : source || name;
    return element("li", {}, element("code", {}, both), element("span", { class: "found" }, `${counted(count, "value")}, all overridden`));
  }

  rule(code, notes) {
    const go = element("button", { type: "button", class: "plain", onclick: () => this.onnotes(code) }, code);
    return element("li", {}, element("span", { class: `verdict ${notes[0].severity}` }, notes[0].severity), go, data.rule_titles[code] ? ` ${data.rule_titles[code]}` : null, element("span", { class: "found" }, counted(notes.length, data.linted ? "finding" : "note")));
  }
}
