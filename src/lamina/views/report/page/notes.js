// Notes: what the reader should know, the gravest first.

const GRAVITY = ["error", "warning", "info"];

class NotesView {
  constructor({ onselect }) {
    this.onselect = onselect;
    byId("tab-notes").append(element("span", { class: "found" }, `${data.notes.length}`));
    const notes = [...data.notes].sort((one, other) => GRAVITY.indexOf(one.severity) - GRAVITY.indexOf(other.severity));
    byId("view-notes").append(
      notes.length ? element("ul", { class: "notes" }, notes.map((note) => this.note(note))) : element("p", { class: "quiet" }, "There are no notes."),
    );
  }

  note(note) {
    return element(
      "li",
      { class: `note ${note.severity}` },
      element("p", { class: "cardhead" }, element("span", { class: `verdict ${note.severity}` }, note.severity), element("code", {}, note.code), this.where(note)),
      element("p", {}, note.message),
      note.related.map(([label, place]) => element("p", { class: "quiet" }, `${place}: ${label}`)),
      note.hint ? element("p", { class: "hint" }, note.hint) : null,
    );
  }

  where(note) {
    if (!note.path || !outputs[note.output]) return element("code", { class: "place" }, note.at);
    const go = () => this.onselect(outputs[note.output], note.path);
    return element("button", { type: "button", class: "plain place", onclick: go, title: `Show ${note.path}` }, note.at || note.path);
  }
}

const notesFor = (output, row) => data.notes.filter((note) => note.path === row.path && note.output === output.index);
