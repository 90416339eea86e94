// Change cards: changes between two results, before and after side by side, with all they are in and their causes.

/** The cards of the changes in an answer; `sides` names before and after. */
function changeCards(answer, sides = ["before", "after"]) {
  const cards = answer.changes.map((change) => changeCard(change, sides));
  const rest = answer.total - answer.changes.length;
  return [...cards, rest > 0 ? element("p", { class: "quiet" }, `${counted(rest, "further change")} not shown.`) : null];
}

/** What is wrong afterwards and was not before, and the other way round. */
function noteElements({ findings, resolved }) {
  const note = (each, words) =>
    element("div", { class: `note ${each.severity}` }, element("p", {}, `${words}: ${each.message}`), each.targets.length ? element("p", { class: "quiet" }, `in ${each.targets.join(", ")}`) : null);
  const all = (notes, words) => {
    const cards = notes.map((each) => note(each, words));
    const fold = () => element("details", { class: "fold" }, element("summary", {}, `${words}: ${counted(cards.length, "finding")}`), cards);
    return cards.length > 3 ? [fold()] : cards;
  };
  return [...all(findings, "New"), ...all(resolved, "Resolved")];
}

function changeCard(change, sides) {
  const places = [change.within, change.holders.join(", ")].filter((words) => words && words !== change.path);
  return element(
    "article",
    { class: `change ${change.kind}` },
    element("div", { class: "cardhead" }, element("span", { class: `verdict ${change.kind}` }, change.kind), element("h3", { class: "path" }, change.path)),
    places.length ? element("p", { class: "quiet" }, `in ${places.join(" in ")}`) : null,
    change.whole ? null : changeSides(change, sides),
    change.causes.length ? element("div", { class: "because" }, element("ul", {}, change.causes.map(changeCause))) : null,
  );
}

function changeSides(change, sides) {
  const value = (text, kind) => element("pre", { class: `sideline ${text === null ? "absent" : kind}` }, text ?? "");
  return element(
    "div",
    { class: "sides" },
    sides.map((title) => element("h3", {}, title)),
    value(change.before, "removed"),
    value(change.after, "added"),
  );
}

function changeCause({ how, place, rule }) {
  const shown = place ? placeElement(placeOf(place)) : null;
  return causeElement(how, rule, shown);
}
