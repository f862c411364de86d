// The extension starts `pentode lsp` and adds features that the protocol lacks:
// a picture beside the text, a virtual document, tasks.
import * as fs from 'node:fs';
import * as path from 'node:path';
import * as vscode from 'vscode';
import { LanguageClient, type ServerOptions } from 'vscode-languageclient/node';
import { GraphView } from './graph';
import { ResolvedTexts } from './resolved';
import { CheckTasks } from './tasks';

export const languages = ['coil', 'paradyn', 'sprokit', 'pdi', 'pinsight'];

let client: LanguageClient | undefined;

export async function activate(context: vscode.ExtensionContext): Promise<void> {
  const graph = new GraphView((uri) => execute('pentode.graph', uri.toString()));
  const resolved = new ResolvedTexts((uri) => execute('pentode.resolved', uri.toString()));
  context.subscriptions.push(
    graph,
    vscode.workspace.registerTextDocumentContentProvider(ResolvedTexts.scheme, resolved),
    vscode.tasks.registerTaskProvider('pentode', new CheckTasks(() => program())),
    vscode.commands.registerCommand('pentode.showGraph', () => graph.show()),
    vscode.commands.registerCommand('pentode.showResolved', () => resolved.show()),
    vscode.commands.registerCommand('pentode.runFile', () => run(vscode.window.activeTextEditor?.document.uri.toString())),
    vscode.commands.registerCommand('pentode.references', showReferences),
    vscode.commands.registerCommand('pentode.restart', restart),
    vscode.workspace.onDidGrantWorkspaceTrust(openedAll),
    vscode.workspace.onDidOpenTextDocument(opened),
  );
  await openedAll();
}

async function openedAll(): Promise<void> {
  await Promise.all(vscode.workspace.textDocuments.map(opened));
}

// opened starts the server for a document of our languages, and asks it for the language of a YAML file. Many programs use YAML, so
// a file that cannot be a specification tree starts nothing, and no YAML file causes a message that the program is missing.
async function opened(document: vscode.TextDocument): Promise<void> {
  if (languages.includes(document.languageId) || path.basename(document.uri.path) === 'pentode.toml') {
    await start(true);
  } else if (document.languageId === 'yaml' && document.uri.scheme === 'file') {
    if (/data|types|plugins|pdi/.test(document.getText())) {
      await start(false);
    }
    await recognise(document);
  }
}

const recognised = new Set<string>(); // files that the server was asked about; asking once keeps a later choice of the user

async function recognise(document: vscode.TextDocument): Promise<void> {
  const uri = document.uri.toString();
  if (!client || recognised.has(uri)) {
    return;
  }
  recognised.add(uri);
  const answer = await execute<{ language: string }>('pentode.language', uri);
  if (answer?.language === 'pdi') {
    await vscode.languages.setTextDocumentLanguage(document, 'pdi');
  }
}

export async function deactivate(): Promise<void> {
  const running = client;
  client = undefined;
  await running?.stop();
}

// start starts the server if the workspace is trusted and the program is installed. tell requests a message if it is missing.
async function start(tell: boolean): Promise<void> {
  if (!vscode.workspace.isTrusted || client) {
    return;
  }
  const settings = vscode.workspace.getConfiguration('pentode');
  const command = program();
  if (!command && !tell) {
    return;
  }
  if (!command) {
    const choice = await vscode.window.showWarningMessage(
      'The program `pentode` was not found. Install it, or set its path in the setting `pentode.path`.',
      'Open Setting',
    );
    if (choice === 'Open Setting') {
      await vscode.commands.executeCommand('workbench.action.openSettings', 'pentode.path');
    }
    return;
  }
  const server: ServerOptions = { command, args: ['lsp', ...settings.get<string[]>('arguments', [])] };
  client = new LanguageClient('pentode', 'Pentode', server, {
    documentSelector: [...languages.map((language) => ({ language })), { pattern: '**/pentode.toml' }],
    initializationOptions: { hints: settings.get('hints'), lens: settings.get('lens') },
    synchronize: { configurationSection: 'pentode' },
    middleware: {
      // Lenses name the server's commands; here they open a view.
      executeCommand: async (name, parameters, next) => {
        const uri = String(parameters[0] ?? '');
        switch (name) {
          case 'pentode.graph':
            return commandWith('pentode.showGraph', uri);
          case 'pentode.resolved':
            return commandWith('pentode.showResolved', uri);
          case 'pentode.run':
            return run(uri);
          case 'pentode.explain':
            return explain(uri);
        }
        return next(name, parameters);
      },
    },
  });
  await client.start();
}

async function restart(): Promise<void> {
  await deactivate();
  await start(true);
}

// program returns the path of `pentode`, or undefined if it is missing. In an
// untrusted workspace the setting is not read.
export function program(): string | undefined {
  const setting = vscode.workspace.getConfiguration('pentode').inspect<string>('path');
  const trusted = vscode.workspace.isTrusted ? (setting?.workspaceFolderValue ?? setting?.workspaceValue) : undefined;
  const name = trusted ?? setting?.globalValue ?? 'pentode';
  if (path.isAbsolute(name)) {
    return isProgram(name) ? name : undefined;
  }
  const suffixes = process.platform === 'win32' ? ['.exe', '.cmd', ''] : [''];
  for (const dir of (process.env['PATH'] ?? '').split(path.delimiter)) {
    for (const suffix of suffixes) {
      const file = path.join(dir, name + suffix);
      if (dir && isProgram(file)) {
        return file;
      }
    }
  }
  return undefined;
}

function isProgram(file: string): boolean {
  try {
    fs.accessSync(file, fs.constants.X_OK);
    return fs.statSync(file).isFile();
  } catch {
    return false;
  }
}

// execute sends a command about a document to the server.
async function execute<T>(command: string, argument: string): Promise<T | undefined> {
  return client?.sendRequest<T>('workspace/executeCommand', { command, arguments: [argument] });
}

async function commandWith(command: string, uri: string): Promise<void> {
  await vscode.window.showTextDocument(vscode.Uri.parse(uri), { preserveFocus: false });
  await vscode.commands.executeCommand(command);
}

// run starts a file in a terminal, where the user can watch and stop it.
async function run(uri: string | undefined): Promise<void> {
  if (!uri || !vscode.workspace.isTrusted) {
    return;
  }
  const how = await execute<{ arguments: string[] }>('pentode.run', uri);
  const command = program();
  if (how && command) {
    vscode.window.createTerminal({ name: 'Pentode', shellPath: command, shellArgs: how.arguments }).show();
  }
}

async function explain(code: string): Promise<void> {
  const answer = await execute<{ text: string }>('pentode.explain', code);
  if (answer) {
    const document = await vscode.workspace.openTextDocument({ language: 'markdown', content: answer.text });
    await vscode.window.showTextDocument(document, { preview: true });
  }
}

async function showReferences(uri: string, at: { line: number; character: number }): Promise<void> {
  const target = vscode.Uri.parse(uri);
  const position = new vscode.Position(at.line, at.character);
  const places = await vscode.commands.executeCommand<vscode.Location[]>('vscode.executeReferenceProvider', target, position);
  await vscode.commands.executeCommand('editor.action.showReferences', target, position, places);
}
