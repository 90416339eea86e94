// Notes: what the reader should know, the most severe first, those of one rule folded together.

const SEVERITIES = ["error", "warning", "info"];
const FOLDED = 5;
/** Rules with more notes than this are folded at first. */

/** The notes by rule: code and notes, the most severe rule first. */
function noteGroups() {
  const groups = new Map();
  for (const note of data.notes) groups.set(note.code, [...(groups.get(note.code) ?? []), note]);
  const rank = ([, notes]) => SEVERITIES.indexOf(notes[0].severity);
  return [...groups].sort((one, other) => rank(one) - rank(other));
}

class NotesView {
  constructor({ onselect }) {
    this.onselect = onselect;
    if (data.linted) byId("tab-notes").textContent = "Findings";
    byId("tab-notes").append(element("span", { class: "found" }, data.notes.length.toLocaleString("en")));
    const groups = noteGroups();
    refill(byId("view-notes"), groups.length ? groups.map((group) => this.group(...group)) : element("p", { class: "quiet" }, data.linted ? "There are no findings." : "There are no notes."));
  }

  /** The notes of one rule; their elements are made when it is unfolded. */
  group(code, notes) {
    const list = element("ul", { class: "notes" });
    const fold = element(
      "details",
      { class: "fold", "data-code": code },
      element("summary", {}, element("span", { class: `verdict ${notes[0].severity}` }, notes[0].severity), " ", element("code", {}, code), data.rule_titles[code] ? ` ${data.rule_titles[code]}` : null, element("span", { class: "found" }, counted(notes.length, data.linted ? "finding" : "note"))),
      list,
    );
    const fill = () => fold.open && !list.childElementCount && refill(list, notes.map((note) => this.note(note)));
    fold.addEventListener("toggle", fill);
    fold.open = notes.length <= FOLDED;
    fill();
    return fold;
  }

  /** Unfold the notes of a rule and go there. */
  open(code) {
    const fold = [...byId("view-notes").children].find((each) => each.dataset.code === code);
    if (!fold) return;
    fold.open = true;
    fold.querySelector("summary").focus();
  }

  note(note) {
    return element(
      "li",
      { class: `note ${note.severity}` },
      element("p", { class: "cardhead" }, this.where(note)),
      element("p", {}, note.message),
      note.related.map(([label, place]) => element("p", { class: "quiet" }, place >= 0 ? [placeElement(placeOf(place)), `: ${label}`] : label)),
      note.hint ? element("p", { class: "hint" }, note.hint) : null,
    );
  }

  where(note) {
    const place = placeOf(note.at);
    if (!note.path || !outputs[note.output]) return place ? placeElement(place) : null;
    const go = () => this.onselect(outputs[note.output], note.path);
    const named = outputs.length > 1 ? `${outputs[note.output].name}: ${note.path}` : note.path;
    return [element("button", { type: "button", class: "plain", onclick: go, title: `Show ${note.path}` }, named), place ? placeElement(place) : null];
  }
}

const notesFor = (output, row) => data.notes.filter((note) => note.path === row.path && note.output === output.index);
