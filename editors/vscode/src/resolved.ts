// A document without macros and includes, as a virtual document beside it.
import * as vscode from 'vscode';

interface Text {
  language: string;
  text: string;
}

export class ResolvedTexts implements vscode.TextDocumentContentProvider {
  static readonly scheme = 'pentode-resolved';

  constructor(private readonly ask: (uri: vscode.Uri) => Promise<Text | undefined>) {}

  async provideTextDocumentContent(uri: vscode.Uri): Promise<string> {
    const answer = await this.ask(vscode.Uri.parse(uri.query));
    return answer?.text ?? '';
  }

  async show(): Promise<void> {
    const editor = vscode.window.activeTextEditor;
    if (!editor) {
      return;
    }
    const source = editor.document.uri;
    const uri = vscode.Uri.from({ scheme: ResolvedTexts.scheme, path: source.path + '.resolved', query: source.toString() });
    const document = await vscode.workspace.openTextDocument(uri);
    await vscode.window.showTextDocument(document, { viewColumn: vscode.ViewColumn.Beside, preserveFocus: true });
    await vscode.languages.setTextDocumentLanguage(document, editor.document.languageId);
  }
}
