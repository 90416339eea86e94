/** The explorer of a folder in a tab: `lamina explore` on an address of this machine, shown in a webview. */

import { type ChildProcess, spawn } from "node:child_process";
import * as vscode from "vscode";

const PATIENCE = 30_000;

export class Explorers implements vscode.Disposable {
  private readonly processes = new Set<ChildProcess>();

  async open(folder?: vscode.Uri): Promise<void> {
    const place = folder ?? vscode.workspace.workspaceFolders?.[0]?.uri;
    if (place?.scheme !== "file") {
      void vscode.window.showInformationMessage("Open a folder first: the explorer shows its targets.");
      return;
    }
    const command = vscode.workspace.getConfiguration("lamina").get<string>("path") || "lamina";
    const process = spawn(command, ["explore", "--embedded", "--listen", "127.0.0.1:0", place.fsPath], { cwd: place.fsPath });
    this.processes.add(process);
    process.on("exit", () => this.processes.delete(process));
    try {
      const address = await addressOf(process);
      const outside = await vscode.env.asExternalUri(vscode.Uri.parse(address));
      this.show(place, outside.toString(), process);
    } catch (error) {
      process.kill();
      void vscode.window.showErrorMessage(`The explorer cannot be opened: ${error instanceof Error ? error.message : error}`);
    }
  }

  dispose(): void {
    for (const process of this.processes) process.kill();
  }

  private show(folder: vscode.Uri, address: string, process: ChildProcess): void {
    const name = folder.path.split("/").pop() ?? "";
    const panel = vscode.window.createWebviewPanel("lamina.explorer", `Lamina: ${name}`, vscode.ViewColumn.Active, {
      enableScripts: true,
      retainContextWhenHidden: true,
    });
    panel.onDidDispose(() => process.kill());
    const origin = new URL(address).origin;
    panel.webview.html =
      "<!DOCTYPE html><html><head>" +
      `<meta http-equiv="Content-Security-Policy" content="default-src 'none'; frame-src ${origin}; style-src 'unsafe-inline'">` +
      "<style>html, body, iframe { width: 100%; height: 100%; margin: 0; padding: 0; border: 0; }</style>" +
      `</head><body><iframe src="${address.replace(/"/g, "&quot;")}" title="Lamina"></iframe></body></html>`;
  }
}

/** The address that the program prints once it serves. */
function addressOf(process: ChildProcess): Promise<string> {
  return new Promise((resolve, reject) => {
    let printed = "";
    const timer = setTimeout(() => reject(new Error("it did not start in time")), PATIENCE);
    const done = (finish: () => void) => {
      clearTimeout(timer);
      finish();
    };
    const read = (data: Buffer) => {
      printed += data.toString();
      const found = /http:\/\/[^\s"]+/.exec(printed);
      if (found) done(() => resolve(found[0]));
    };
    process.stdout?.on("data", read);
    process.stderr?.on("data", read);
    process.on("error", (error) => done(() => reject(error)));
    process.on("exit", () => done(() => reject(new Error(printed.trim() || "it ended at once"))));
  });
}
