/** The item in the status bar: how many targets there are, and how long the last render took. */

import * as vscode from "vscode";

/** What the server says after each render. */
interface Rendered {
  targets: number;
  failed: number;
  milliseconds: number;
}

export class StatusItem implements vscode.Disposable {
  private readonly item = vscode.window.createStatusBarItem("lamina", vscode.StatusBarAlignment.Left, 0);

  constructor() {
    this.item.name = "Lamina";
  }

  starting(): void {
    this.set("$(loading~spin) Lamina", "The language server starts.");
  }

  stopped(): void {
    this.set("$(warning) Lamina", "The language server is not running; click to start it.", "lamina.restart");
  }

  show({ targets, failed, milliseconds }: Rendered): void {
    const count = `${targets} ${targets === 1 ? "target" : "targets"}`;
    const failures = failed ? `, ${failed} with errors` : "";
    this.set(`$(layers) ${count}`, `Lamina: ${count}${failures}; the last render took ${milliseconds} ms.`, "lamina.explore");
  }

  dispose(): void {
    this.item.dispose();
  }

  private set(text: string, tooltip: string, command?: string): void {
    this.item.text = text;
    this.item.tooltip = tooltip;
    this.item.command = command;
    this.item.show();
  }
}
