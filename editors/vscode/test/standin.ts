// A stand-in for the editor: the part of the module `vscode` that the extension
// and its client library use from start to stop.
import * as fs from 'node:fs';
import * as path from 'node:path';
import { fileURLToPath } from 'node:url';

export interface Document {
  uri: string;
  languageId: string;
  version: number;
  text: string;
}

interface Options {
  trusted: boolean;
  program: string;
  documents: Document[];
}

type Provider = Record<string, (...args: unknown[]) => unknown>;

class Emitter {
  private readonly listeners = new Set<(e: unknown) => void>();
  readonly event = (listener: (e: unknown) => void): { dispose(): void } => {
    this.listeners.add(listener);
    return { dispose: () => this.listeners.delete(listener) };
  };
  fire(e: unknown): void {
    for (const l of this.listeners) {
      l(e);
    }
  }
  dispose(): void {
    this.listeners.clear();
  }
}

class Uri {
  constructor(readonly scheme: string, readonly authority: string, readonly path: string, readonly query: string, readonly fragment: string) {}
  static parse(text: string): Uri {
    const u = new URL(text);
    return new Uri(u.protocol.slice(0, -1), u.host, decodeURIComponent(u.pathname), u.search.slice(1), u.hash.slice(1));
  }
  static file(path: string): Uri {
    return new Uri('file', '', path, '', '');
  }
  get fsPath(): string {
    return fileURLToPath(this.toString());
  }
  toString(): string {
    return `${this.scheme}://${this.authority}${encodeURI(this.path)}`;
  }
}

class Position {
  constructor(readonly line: number, readonly character: number) {}
}

class Range {
  readonly start: Position;
  readonly end: Position;
  constructor(a: Position | number, b: Position | number, c?: number, d?: number) {
    this.start = a instanceof Position ? a : new Position(a, b as number);
    this.end = b instanceof Position ? b : new Position(c ?? 0, d ?? 0);
  }
}

class Hover {
  constructor(readonly contents: unknown) {}
}

class MarkdownString {
  constructor(public value = '') {}
  appendMarkdown(text: string): this {
    this.value += text;
    return this;
  }
  appendText(text: string): this {
    return this.appendMarkdown(text);
  }
  appendCodeblock(text: string): this {
    return this.appendMarkdown(text);
  }
}

class CodeActionKind {
  static readonly Empty = new CodeActionKind('');
  static readonly QuickFix = new CodeActionKind('quickfix');
  static readonly Refactor = new CodeActionKind('refactor');
  static readonly RefactorExtract = new CodeActionKind('refactor.extract');
  static readonly RefactorInline = new CodeActionKind('refactor.inline');
  static readonly RefactorRewrite = new CodeActionKind('refactor.rewrite');
  static readonly Source = new CodeActionKind('source');
  static readonly SourceOrganizeImports = new CodeActionKind('source.organizeImports');
  constructor(readonly value: string) {}
  append(part: string): CodeActionKind {
    return new CodeActionKind(this.value ? this.value + '.' + part : part);
  }
}

class CancellationTokenSource {
  readonly token = { isCancellationRequested: false, onCancellationRequested: () => ({ dispose: () => undefined }) };
  cancel(): void {}
  dispose(): void {}
}

export class StandIn {
  // providers are the providers that the client registered, by the registering function.
  readonly providers = new Map<string, Provider>();
  // chosen are the languages that the extension set for documents, by the document's name.
  readonly chosen: Record<string, string> = {};
  // messages are the messages shown to the user.
  readonly messages: string[] = [];
  readonly api: unknown;

  constructor(options: Options) {
    const nothing = { dispose: (): void => undefined };
    const event = (): { dispose(): void } => nothing;
    const documents = options.documents.map((d) => this.document(d));
    const settings = {
      get: (_key: string, fallback?: unknown) => fallback,
      inspect: () => ({ globalValue: options.program }),
      has: () => false,
    };
    const known: Record<string, Record<string, unknown>> = {
      workspace: {
        isTrusted: options.trusted,
        textDocuments: documents,
        notebookDocuments: [],
        workspaceFolders: [{ uri: Uri.parse(new URL('.', options.documents[0]!.uri).toString()), name: 'test', index: 0 }],
        getConfiguration: () => settings,
        createFileSystemWatcher: () => ({ ...nothing, onDidCreate: event, onDidChange: event, onDidDelete: event }),
      },
      window: { visibleTextEditors: [], tabGroups: { all: [], onDidChangeTabs: event, onDidChangeTabGroups: event } },
      languages: {
        match: () => 10,
        setTextDocumentLanguage: async (document: { uri: Uri }, language: string) => {
          this.chosen[path.basename(document.uri.path)] = language;
        },
        createDiagnosticCollection: () => ({ ...nothing, set: () => undefined, delete: () => undefined, clear: () => undefined, has: () => false }),
      },
      env: { appName: 'stand-in', language: 'en', appRoot: '' },
      l10n: { t: (text: string) => text },
    };
    const classes: Record<string, unknown> = {
      Uri, Position, Range, Hover, CodeActionKind, MarkdownString, CancellationTokenSource, EventEmitter: Emitter, version: '1.99.0',
      Disposable: class {
        constructor(readonly dispose: () => void) {}
        static from(...list: { dispose(): void }[]): { dispose(): void } {
          return { dispose: () => list.forEach((x) => x.dispose()) };
        }
      },
    };
    const api: Record<string, unknown> = {};
    for (const name of exported()) {
      api[name] = classes[name] ?? (/^[A-Z]/.test(name) ? kind() : this.namespace(known[name] ?? {}));
    }
    this.api = api;
  }

  // hover asks the registered provider, as the editor does.
  async hover(document: Document, at: { line: number; character: number }): Promise<string> {
    const provider = this.providers.get('registerHoverProvider');
    if (!provider?.['provideHover']) {
      throw new Error('no hover provider is registered: ' + [...this.providers.keys()].join(', '));
    }
    const answer = (await provider['provideHover'](this.document(document), new Position(at.line, at.character), new CancellationTokenSource().token)) as Hover;
    return JSON.stringify(answer.contents);
  }

  // namespace has functions for all names: registrations are kept, all other
  // calls do nothing.
  private namespace(known: Record<string, unknown>): unknown {
    return new Proxy(known, {
      get: (target, name: string) => {
        if (name in target) {
          return target[name];
        }
        return (...args: unknown[]) => {
          if (/^register.*Provider$/.test(name)) {
            this.providers.set(name, args[1] as Provider);
          }
          if (/^show.*Message$/.test(name)) {
            this.messages.push(args.join(' '));
            console.error(name, ...args);
            return Promise.resolve(undefined);
          }
          return name === 'withProgress' ? (args[1] as () => unknown)() : channel();
        };
      },
    });
  }

  private document(d: Document): unknown {
    return { uri: Uri.parse(d.uri), languageId: d.languageId, version: d.version, getText: () => d.text, lineCount: d.text.split('\n').length, isClosed: false };
  }
}

// exported returns the names that the module exports, from its declarations.
function exported(): string[] {
  const file = path.join(__dirname, '../node_modules/@types/vscode/index.d.ts');
  const text = fs.readFileSync(file, 'utf8');
  return [...text.matchAll(/^\texport (?:class|enum|namespace|const) (\w+)/gm)].map((m) => m[1]!);
}

// channel replaces objects that are created and used without results.
function channel(): unknown {
  return new Proxy({ dispose: () => undefined } as Record<string, unknown>, {
    get: (target, name: string) => (name === 'then' ? undefined : (target[name] ?? (() => channel()))),
  });
}

// kind replaces classes and enumerations that are only named.
function kind(): unknown {
  const base = class {
    constructor(...args: unknown[]) {
      Object.assign(this, { arguments: args });
    }
  };
  return new Proxy(base, {
    get: (target, name, receiver) => (name in target || typeof name === 'symbol' ? Reflect.get(target, name, receiver) : String(name)),
  });
}
