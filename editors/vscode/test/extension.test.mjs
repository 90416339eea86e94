/** The extension in Visual Studio Code, as somebody uses it. Run by `make editors`. */

import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import path from "node:path";
import { after, afterEach, before, test } from "node:test";
import { Workbench } from "./workbench.mjs";

const FILES = {
  "lamina.toml": [
    "[targets.web]",
    'dialect = "cloud-init"',
    'inputs = ["base.yaml", "web.yaml"]',
    "[targets.db]",
    'dialect = "cloud-init"',
    'inputs = ["base.yaml", "db.yaml"]',
    "",
  ].join("\n"),
  "base.yaml": "#cloud-config\ntimezone: Etc/UTC\nlocale: C.UTF-8\n",
  "web.yaml": "#cloud-config\ntimezone: Europe/Oslo\npakages:\n  - nginx\n",
  "db.yaml": "#cloud-config\nhostname: db\n",
};
const PICTURES = process.env.LAMINA_PICTURES;

let code;
before(async () => {
  code = await Workbench.open(FILES, process.env.LAMINA_PROGRAM, process.env.LAMINA_VSIX);
});
after(() => code?.close());
afterEach(async (context) => {
  if (!context.passed) await picture(`failed-${context.name.replace(/\W+/g, "-")}.png`);
});

async function picture(name) {
  if (PICTURES) await code.picture(path.join(PICTURES, name));
}

test("the status bar counts the targets", async () => {
  await code.file("base.yaml", 2);
  await code.shown(".statusbar-item", "2 targets");
});

test("a hover says what the line decides, and in which target", async () => {
  await code.file("base.yaml", 2);
  const text = await code.hover("timezone");
  assert.match(text, /Europe\/Oslo/);
  assert.match(text, /web\.yaml:2/);
  await picture("hover.png");
  await code.page.keyboard.press("Escape");
});

test("a likely mistake is a problem", async () => {
  await code.file("web.yaml", 3);
  await code.leads("Problems: Focus on Problems View", ".markers-panel .monaco-list-row", "pakages");
  await picture("problems.png");
});

test("the definition of an overridden line is the line that wins", async () => {
  await code.file("base.yaml", 2);
  await code.leads("Go to Definition", '.tab.active[data-resource-name="web.yaml"]', "web.yaml");
});

test("a quick fix is applied", async () => {
  await code.file("web.yaml", 3);
  await code.leads("Quick Fix...", ".action-widget .monaco-list-row", "packages");
  await code.page.keyboard.press("Enter");
  await code.shown(".view-line", "packages:");
});

test("an unsaved edit says what it changes", async () => {
  await code.file("base.yaml", 3);
  await code.page.keyboard.press("End");
  await code.page.keyboard.type("x");
  await code.shown(".codelens-decoration", "2 targets");
  await picture("lens.png");
  assert.equal(readFileSync(path.join(code.folder, "base.yaml"), "utf-8"), FILES["base.yaml"]);
  await code.page.keyboard.press("Control+Z");
});

test("the explorer opens in a tab", async () => {
  await code.leads("Lamina: Open explorer here", ".tab.active", "Lamina: project");
  const inner = code.page.frameLocator("iframe.webview.ready").frameLocator("iframe").frameLocator("iframe");
  await inner.locator("body", { hasText: "web" }).waitFor({ timeout: 60_000 });
});
