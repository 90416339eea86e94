// The rows that the scripts of the page make of its data, as `expanded` of page_rows.py gives them; one line for each file.

import { readFileSync } from "node:fs";

const [, , folder, ...given] = process.argv;
const script = ["stacks", "tables"].map((name) => readFileSync(`${folder}/${name}.js`, "utf8")).join("\n");
const run = new Function("data", `"use strict";\n${script}\nreturn { data, text };`);

const pairs = (flat) => flat.flatMap((one, at) => (at % 2 ? [] : [[one, flat[at + 1]]]));

function shownBy({ data, text }) {
  const place = (number) => (number === undefined || number < 0 ? null : [text(data.places[number][0]), ...data.places[number].slice(1, 3)]);
  const layer = (number) => (number === undefined || number < 0 ? null : data.layers[number].map(text));

  function event([decided, of = -1, at = -1, value = -1, path = -1, output = -1, by = -1]) {
    const [verdict, rule, rulePlace] = data.rules[decided];
    return [text(verdict), text(rule), place(rulePlace), layer(of), place(at), text(value), text(path), text(output), place(by)];
  }

  function shown(number) {
    const row = data.rows[number];
    const origins = pairs(row.origins).map(([of]) => layer(of));
    const statuses = pairs(row.standings).map(([of, status]) => [layer(of), status]);
    const own = [row.kind, text(row.step), text(row.text), origins, row.events.map(event), statuses, row.inside.length];
    return [own, ...row.inside.flatMap(shown)];
  }

  return data.outputs.map((output) => [output.name, output.layers.map(layer), output.rows.flatMap(shown)]);
}

for (const file of given) console.log(JSON.stringify(shownBy(run(JSON.parse(readFileSync(file, "utf8"))))));
