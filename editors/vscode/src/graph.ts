// The picture of the active document, beside it. It follows edits, and a click
// on a node shows where the node is declared.
import * as vscode from 'vscode';

interface Place {
  uri: string;
  range: { start: { line: number; character: number }; end: { line: number; character: number } };
}

interface Picture {
  svg: string;
  style: string;
  nodes: { id: string; at?: Place }[]; // indexed by the attribute data-node of the picture
}

export class GraphView implements vscode.Disposable {
  private panel: vscode.WebviewPanel | undefined;
  private shown: vscode.Uri | undefined;
  private places: (Place | undefined)[] = [];
  private timer: NodeJS.Timeout | undefined;
  private readonly listeners: vscode.Disposable[];

  constructor(private readonly draw: (uri: vscode.Uri) => Promise<Picture | undefined>) {
    this.listeners = [
      vscode.workspace.onDidChangeTextDocument((e) => {
        if (e.document.uri.toString() === this.shown?.toString()) {
          this.later();
        }
      }),
    ];
  }

  async show(): Promise<void> {
    const editor = vscode.window.activeTextEditor;
    if (!editor) {
      return;
    }
    this.shown = editor.document.uri;
    if (!this.panel) {
      this.panel = vscode.window.createWebviewPanel('pentode.graph', 'Graph', { viewColumn: vscode.ViewColumn.Beside, preserveFocus: true }, { enableScripts: true });
      this.panel.onDidDispose(() => {
        this.panel = undefined;
        this.shown = undefined;
      });
      this.panel.webview.onDidReceiveMessage((node: number) => this.jump(node));
    }
    await this.refresh();
  }

  dispose(): void {
    clearTimeout(this.timer);
    this.panel?.dispose();
    for (const l of this.listeners) {
      l.dispose();
    }
  }

  // later redraws the picture after the user stops typing.
  private later(): void {
    clearTimeout(this.timer);
    this.timer = setTimeout(() => void this.refresh(), 200);
  }

  private async refresh(): Promise<void> {
    if (!this.panel || !this.shown) {
      return;
    }
    const picture = await this.draw(this.shown);
    if (!picture || !this.panel) {
      return;
    }
    this.places = picture.nodes.map((n) => n.at);
    this.panel.title = 'Graph: ' + (this.shown.path.split('/').pop() ?? '');
    this.panel.webview.html = page(picture);
  }

  private async jump(node: number): Promise<void> {
    const place = this.places[node];
    if (!place) {
      return;
    }
    const { start, end } = place.range;
    await vscode.window.showTextDocument(vscode.Uri.parse(place.uri), {
      viewColumn: vscode.ViewColumn.One,
      selection: new vscode.Range(start.line, start.character, end.line, end.character),
    });
  }
}

// page returns the page with a picture. Only its own script may run.
function page(picture: Picture): string {
  const nonce = Array.from({ length: 4 }, () => Math.random().toString(36).slice(2)).join('');
  return `<!DOCTYPE html>
<html><head>
<meta http-equiv="Content-Security-Policy" content="default-src 'none'; style-src 'unsafe-inline'; script-src 'nonce-${nonce}'">
<style>body { padding: 1em; overflow: auto } [data-node] { cursor: pointer } ${picture.style}</style>
</head><body>${picture.svg}
<script nonce="${nonce}">
const host = acquireVsCodeApi();
document.querySelectorAll('[data-node]').forEach((node) => node.addEventListener('click', () => host.postMessage(Number(node.dataset.node))));
</script></body></html>`;
}
