/** Visual Studio Code in a browser: code-server with the extension installed, and Chromium that uses it. */

import { spawn, spawnSync } from "node:child_process";
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import { createServer } from "node:net";
import { tmpdir } from "node:os";
import path from "node:path";

const CACHE = process.env.LAMINA_EDITORS;
const CHROMIUM = process.env.LAMINA_CHROMIUM ?? "/usr/bin/chromium";
export const PATIENCE = Number(process.env.LAMINA_PATIENCE ?? 60_000);

const require = createRequire(path.join(CACHE, "package.json"));
const { chromium } = require("playwright-core");
const SERVER = path.join(CACHE, "node_modules/code-server/out/node/entry.js");

function freePort() {
  return new Promise((resolve) => {
    const server = createServer().listen(0, "127.0.0.1", () => {
      const { port } = server.address();
      server.close(() => resolve(port));
    });
  });
}

export class Workbench {
  /** Start everything on a folder with these files; `lamina` is the program. */
  static async open(files, lamina, vsix) {
    const place = mkdtempSync(path.join(tmpdir(), "lamina-code-"));
    const folder = path.join(place, "project");
    for (const [name, text] of Object.entries(files)) {
      mkdirSync(path.dirname(path.join(folder, name)), { recursive: true });
      writeFileSync(path.join(folder, name), text);
    }
    const data = path.join(place, "data");
    mkdirSync(path.join(data, "User"), { recursive: true });
    const settings = {
      "lamina.path": lamina,
      "workbench.startupEditor": "none",
      "workbench.tips.enabled": false,
      "extensions.autoUpdate": false,
      "extensions.autoCheckUpdates": false,
      "telemetry.telemetryLevel": "off",
      "files.autoSave": "off",
      "editor.minimap.enabled": false,
      "editor.hover.delay": 100,
    };
    writeFileSync(path.join(data, "User/settings.json"), JSON.stringify(settings));
    const shared = ["--extensions-dir", path.join(place, "extensions"), "--user-data-dir", data];
    const config = path.join(place, "config.yaml");
    const installed = spawnSync(process.execPath, [SERVER, "--config", config, ...shared, "--install-extension", vsix], {
      encoding: "utf-8",
    });
    if (installed.status !== 0) throw new Error(installed.stdout + installed.stderr);
    const port = await freePort();
    const quiet = ["--auth", "none", "--disable-telemetry", "--disable-update-check", "--disable-workspace-trust"];
    const server = spawn(
      process.execPath,
      [SERVER, "--config", config, ...shared, ...quiet, "--bind-addr", `127.0.0.1:${port}`, folder],
      { stdio: "ignore", detached: true },
    );
    const browser = await chromium.launch({
      executablePath: CHROMIUM,
      args: ["--no-sandbox", "--disable-gpu", "--disable-quic", "--disable-background-networking", "--disable-sync"],
    });
    const page = await browser.newPage({ viewport: { width: 1280, height: 800 } });
    const workbench = new Workbench(place, folder, server, browser, page);
    try {
      await workbench.load(`http://127.0.0.1:${port}/?folder=${encodeURIComponent(folder)}`);
    } catch (error) {
      await workbench.close();
      throw error;
    }
    return workbench;
  }

  constructor(place, folder, server, browser, page) {
    Object.assign(this, { place, folder, server, browser, page });
  }

  async load(address) {
    const until = Date.now() + PATIENCE;
    for (;;) {
      try {
        await this.page.goto(address);
        break;
      } catch (error) {
        if (Date.now() > until) throw error;
        await this.page.waitForTimeout(500);
      }
    }
    await this.page.locator(".monaco-workbench .explorer-folders-view").waitFor({ timeout: PATIENCE });
  }

  /** Do something until it leads to what is waited for; a busy machine loses a key now and then. */
  async until(attempt) {
    const end = Date.now() + PATIENCE;
    for (;;) {
      try {
        return await attempt(5_000);
      } catch (error) {
        if (Date.now() > end) throw error;
        await this.page.keyboard.press("Escape");
        await this.page.keyboard.press("Escape");
      }
    }
  }

  /** Open a file from the tree, at one of its lines. */
  async file(name, line) {
    const entry = this.page.locator(".explorer-folders-view .monaco-list-row", { hasText: name }).first();
    const tab = this.page.locator(`.tab.active[data-resource-name="${name}"]`);
    await this.until(async (timeout) => {
      await entry.dblclick({ timeout });
      await tab.waitFor({ timeout });
    });
    await this.until(async (timeout) => {
      await this.page.keyboard.press("Control+G");
      await this.page.locator(".quick-input-widget input").fill(`:${line}`, { timeout });
      await this.page.keyboard.press("Enter");
      await this.page.locator(".statusbar-item", { hasText: `Ln ${line},` }).first().waitFor({ timeout });
    });
  }

  /** Run a command of the palette. */
  async command(title, timeout = PATIENCE) {
    await this.page.keyboard.press("F1");
    await this.page.locator(".quick-input-widget input").fill(`>${title}`, { timeout });
    await this.page.locator(".quick-input-list .monaco-list-row", { hasText: title }).first().click({ timeout });
  }

  /** Something on the page with a text. */
  shown(selector, text) {
    return this.page.locator(selector, { hasText: text }).first().waitFor({ timeout: PATIENCE });
  }

  /** What the hover over the line of the cursor says. */
  hover(text) {
    return this.until(async (timeout) => {
      await this.command("Show or Focus Hover", timeout);
      const found = this.page.locator(".monaco-hover:not(.hidden)", { hasText: text }).first();
      await found.waitFor({ timeout });
      return found.innerText();
    });
  }

  /** Run a command until something is there. */
  leads(title, selector, text) {
    return this.until(async (timeout) => {
      await this.command(title, timeout);
      const found = this.page.locator(selector, { hasText: text }).first();
      await found.waitFor({ timeout });
      return found;
    });
  }

  async picture(file) {
    await this.page.screenshot({ path: file });
  }

  async close() {
    await this.browser.close();
    try {
      process.kill(-this.server.pid, "SIGTERM");
    } catch {
      // It ended by itself.
    }
    await new Promise((resolve) => (this.server.exitCode === null ? this.server.once("exit", resolve) : resolve()));
    rmSync(this.place, { recursive: true, force: true, maxRetries: 10 });
  }
}
