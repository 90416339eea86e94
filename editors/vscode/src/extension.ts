/** Starts the language server, shows its state, and opens the explorer. */

import * as vscode from "vscode";
import { LanguageClient, State } from "vscode-languageclient/node";
import { Explorers } from "./explorer";
import { StatusItem } from "./status";

const LANGUAGES = ["yaml", "json", "jsonc", "toml", "powershell", "plaintext", "helm", "ansible", "cloud-config"];

let client: LanguageClient | undefined;
let status: StatusItem;

export async function activate(context: vscode.ExtensionContext): Promise<void> {
  status = new StatusItem();
  const explorers = new Explorers();
  context.subscriptions.push(
    status,
    explorers,
    vscode.commands.registerCommand("lamina.restart", restart),
    vscode.commands.registerCommand("lamina.explore", (folder?: vscode.Uri) => explorers.open(folder)),
    vscode.workspace.onDidChangeConfiguration((change) => {
      if (change.affectsConfiguration("lamina")) void restart();
    }),
  );
  await start();
}

export async function deactivate(): Promise<void> {
  await client?.stop();
}

async function restart(): Promise<void> {
  await client?.dispose();
  await start();
}

async function start(): Promise<void> {
  const settings = vscode.workspace.getConfiguration("lamina");
  const command = settings.get<string>("path") || "lamina";
  client = new LanguageClient(
    "lamina",
    "Lamina",
    { command, args: ["lsp"] },
    {
      documentSelector: LANGUAGES.map((language) => ({ scheme: "file", language })),
      synchronize: { fileEvents: vscode.workspace.createFileSystemWatcher("**/*") },
      initializationOptions: { targets: settings.get("targets"), lenses: settings.get("lenses"), status: true },
      // The server names its own commands; what it starts in the editor is limited to showing a place.
      markdown: { isTrusted: false, supportHtml: false },
    },
  );
  client.onDidChangeState(({ newState }) => {
    if (newState === State.Stopped) status.stopped();
  });
  client.onNotification("lamina/status", (state) => status.show(state));
  status.starting();
  try {
    await client.start();
  } catch (error) {
    status.stopped();
    const open = "Open settings";
    const chosen = await vscode.window.showErrorMessage(
      `Lamina cannot be started as "${command}" (${error instanceof Error ? error.message : String(error)}). ` +
        "Install it with pipx install 'lamina[lsp]', or set lamina.path.",
      open,
    );
    if (chosen === open) await vscode.commands.executeCommand("workbench.action.openSettings", "lamina.path");
  }
}
