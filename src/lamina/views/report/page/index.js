// The list of targets: which of them have which value, for the keys in which they differ.

const MOST_ROWS = 100;
const linked = ([name, file]) => element("a", { href: encodeURIComponent(file) }, name);
const shownCell = (number) => (number < 0 ? "–" : `${number + 1}`);

/** The values of a key, each with the targets that have it. */
function valuesOf([key, texts, cells]) {
  const having = (number) => data.targets.filter((_, at) => cells[at] === number);
  const items = texts.map((shown, number) => element("li", { value: number + 1 }, element("code", {}, shown), " in ", listed(having(number))));
  const without = having(-1);
  return element("div", { class: "values" }, element("ol", {}, items), without.length ? element("p", {}, "Not in ", listed(without)) : null);
}

const listed = (targets) => targets.flatMap((target, at) => [at ? ", " : "", linked(target)]);

/** The row of a key; the button in it shows its values. */
function rowOf(key) {
  const [name, texts, cells] = key;
  const opener = element("button", { type: "button", class: "small", "aria-expanded": "false" }, name);
  const row = element(
    "tr",
    {},
    element("th", { scope: "row" }, opener),
    cells.map((cell) => element("td", { class: cell < 0 ? "none" : `layer-${cell % 10}`, title: cell < 0 ? "no value" : texts[cell] }, shownCell(cell)))
  );
  const opened = element("tr", { hidden: true }, element("td", { colspan: cells.length + 1 }));
  opener.addEventListener("click", () => {
    opened.hidden = !opened.hidden;
    opener.setAttribute("aria-expanded", `${!opened.hidden}`);
    if (!opened.hidden) refill(opened.firstChild, valuesOf(key));
  });
  return [row, opened];
}

function paint(typed) {
  const words = typed.toLowerCase().split(/\s+/).filter(Boolean);
  const found = data.keys.filter(([name, texts]) => words.every((word) => [name, ...texts].join("\n").toLowerCase().includes(word)));
  const left = found.length - MOST_ROWS;
  refill(byId("differing-rows"), found.slice(0, MOST_ROWS).map(rowOf));
  byId("differing-count").textContent = [
    `${counted(found.length, "key")} ${found.length === 1 ? "differs" : "differ"}`,
    left > 0 ? `the first ${MOST_ROWS} are shown` : "",
    data.more ? `${data.more.toLocaleString("en")} more are not on this page` : "",
    `${counted(data.equal, "key")} ${data.equal === 1 ? "is" : "are"} the same in all targets`,
  ].filter(Boolean).join("; ");
}

byId("differing").hidden = data.targets.length < 2;
refill(byId("differing-head"), element("th", { scope: "col" }, "Key"), data.targets.map((target) => element("th", { scope: "col" }, linked(target))));
byId("differing-filter").addEventListener("input", (event) => paint(event.target.value));
paint("");
