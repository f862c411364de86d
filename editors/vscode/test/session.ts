// A whole session with the client library of the protocol: every request that
// the server supports, with its types.
import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import * as fs from 'node:fs';
import * as os from 'node:os';
import * as path from 'node:path';
import { pathToFileURL } from 'node:url';
import * as lsp from 'vscode-languageserver-protocol/node';

const program = process.env['PENTODE'];
assert(program, 'PENTODE must name the program');

const dir = fs.realpathSync(fs.mkdtempSync(path.join(os.tmpdir(), 'pentode-')));
const uri = (name: string): string => pathToFileURL(path.join(dir, name)).toString();
const texts: Record<string, string> = {
  'common.conf': 'config plate\n  rows = 4\n',
  'main.pipe':
    'include common.conf\n\n# A pipeline\n# that counts.\nprocess count\n  :: numbers\n  end   = $CONFIG{plate:rows}\n\nprocess out\n  :: sink\n\nconnect from count.number\n        to   out.sink\n',
  'bad.pipe': 'process a\n  :: numbrs\n',
  'tree.yml': 'types:\n  point: {type: struct, members: [{x: char}, {y: double}]}\nmetadata:\n  p: point\n',
};
for (const [name, text] of Object.entries(texts)) {
  fs.writeFileSync(path.join(dir, name), text);
}

async function main(): Promise<void> {
  const server = spawn(program!, ['lsp'], { stdio: ['pipe', 'pipe', 'inherit'] });
  const ended = new Promise<number | null>((resolve) => server.on('exit', resolve));
  const c = lsp.createProtocolConnection(new lsp.StreamMessageReader(server.stdout), new lsp.StreamMessageWriter(server.stdin));
  c.onRequest(lsp.RegistrationRequest.type, () => undefined);
  c.onRequest(lsp.WorkDoneProgressCreateRequest.type, () => undefined);
  c.onRequest(lsp.DiagnosticRefreshRequest.type, () => undefined);
  c.listen();

  const { capabilities } = await c.sendRequest(lsp.InitializeRequest.type, {
    processId: process.pid,
    rootUri: uri(''),
    workspaceFolders: [{ uri: uri(''), name: 'test' }],
    capabilities: {
      general: { positionEncodings: ['utf-16'] },
      textDocument: { diagnostic: {}, completion: { completionItem: { snippetSupport: true } } },
      workspace: { didChangeWatchedFiles: { dynamicRegistration: true }, diagnostics: { refreshSupport: true } },
      window: { workDoneProgress: true },
    },
  });
  assert.equal(capabilities.positionEncoding, 'utf-16');
  await c.sendNotification(lsp.InitializedNotification.type, {});
  for (const [name, text] of Object.entries(texts)) {
    await c.sendNotification(lsp.DidOpenTextDocumentNotification.type, { textDocument: { uri: uri(name), languageId: 'plaintext', version: 1, text } });
  }
  const main = { uri: uri('main.pipe') };
  const process_ = { textDocument: main, position: { line: 4, character: 10 } };
  const macro = { textDocument: main, position: { line: 6, character: 24 } };
  const all = { textDocument: main, range: { start: { line: 0, character: 0 }, end: { line: 13, character: 0 } } };
  const asked: string[] = [];
  const some = <T>(name: string, answer: T | null | undefined): T => {
    assert(answer, name + ' has no answer');
    if (Array.isArray(answer)) {
      assert(answer.length > 0, name + ' has an empty list as answer');
    }
    asked.push(name);
    return answer;
  };

  const report = some('diagnostic', await c.sendRequest(lsp.DocumentDiagnosticRequest.type, { textDocument: { uri: uri('bad.pipe') } }));
  assert(report.kind === 'full' && report.items[0]?.code === 'sprokit/unknown-type');
  const workspace = some('workspaceDiagnostic', await c.sendRequest(lsp.WorkspaceDiagnosticRequest.type, { previousResultIds: [] }));
  assert(workspace.items.length >= 3);
  const hover = some('hover', await c.sendRequest(lsp.HoverRequest.type, macro));
  assert(lsp.MarkupContent.is(hover.contents) && hover.contents.value.includes('becomes `4`'));
  const completion = some('completion', await c.sendRequest(lsp.CompletionRequest.type, { textDocument: main, position: { line: 5, character: 5 } }));
  assert(!Array.isArray(completion) && completion.items.some((i) => i.label === 'numbers'));
  some('definition', await c.sendRequest(lsp.DefinitionRequest.type, macro));
  some('declaration', await c.sendRequest(lsp.DeclarationRequest.type, macro));
  some('typeDefinition', await c.sendRequest(lsp.TypeDefinitionRequest.type, { textDocument: { uri: uri('tree.yml') }, position: { line: 3, character: 2 } }));
  some('references', await c.sendRequest(lsp.ReferencesRequest.type, { ...process_, context: { includeDeclaration: true } }));
  some('documentHighlight', await c.sendRequest(lsp.DocumentHighlightRequest.type, process_));
  some('prepareRename', await c.sendRequest(lsp.PrepareRenameRequest.type, process_));
  const rename = some('rename', await c.sendRequest(lsp.RenameRequest.type, { ...process_, newName: 'counter' }));
  assert.equal(rename.changes?.[main.uri]?.length, 2);
  some('documentSymbol', await c.sendRequest(lsp.DocumentSymbolRequest.type, { textDocument: main }));
  some('workspaceSymbol', await c.sendRequest(lsp.WorkspaceSymbolRequest.type, { query: 'count' }));
  some('foldingRange', await c.sendRequest(lsp.FoldingRangeRequest.type, { textDocument: main }));
  some('selectionRange', await c.sendRequest(lsp.SelectionRangeRequest.type, { textDocument: main, positions: [macro.position] }));
  some('documentLink', await c.sendRequest(lsp.DocumentLinkRequest.type, { textDocument: main }));
  const tokens = some('semanticTokens', await c.sendRequest(lsp.SemanticTokensRequest.type, { textDocument: main }));
  assert(tokens.data.length % 5 === 0 && tokens.data.length > 0);
  some('semanticTokensRange', await c.sendRequest(lsp.SemanticTokensRangeRequest.type, all));
  some('semanticTokensDelta', await c.sendRequest(lsp.SemanticTokensDeltaRequest.type, { textDocument: main, previousResultId: tokens.resultId ?? '' }));
  some('inlayHint', await c.sendRequest(lsp.InlayHintRequest.type, all));
  some('codeAction', await c.sendRequest(lsp.CodeActionRequest.type, { textDocument: { uri: uri('bad.pipe') }, range: { start: { line: 1, character: 6 }, end: { line: 1, character: 6 } }, context: { diagnostics: [] } }));
  some('codeLens', await c.sendRequest(lsp.CodeLensRequest.type, { textDocument: main }));
  const options = { tabSize: 2, insertSpaces: true };
  some('formatting', await c.sendRequest(lsp.DocumentFormattingRequest.type, { textDocument: main, options }));
  some('rangeFormatting', await c.sendRequest(lsp.DocumentRangeFormattingRequest.type, { ...all, options }));
  some('onTypeFormatting', await c.sendRequest(lsp.DocumentOnTypeFormattingRequest.type, { textDocument: main, position: { line: 7, character: 0 }, ch: '\n', options }));
  const [item] = some('prepareCallHierarchy', await c.sendRequest(lsp.CallHierarchyPrepareRequest.type, process_));
  assert(item);
  some('outgoingCalls', await c.sendRequest(lsp.CallHierarchyOutgoingCallsRequest.type, { item }));
  const [fragment] = some('prepareCallHierarchy', await c.sendRequest(lsp.CallHierarchyPrepareRequest.type, { textDocument: { uri: uri('common.conf') }, position: { line: 0, character: 0 } }));
  assert(fragment);
  some('incomingCalls', await c.sendRequest(lsp.CallHierarchyIncomingCallsRequest.type, { item: fragment }));
  for (const command of ['pentode.graph', 'pentode.resolved', 'pentode.run']) {
    some(command, await c.sendRequest(lsp.ExecuteCommandRequest.type, { command, arguments: [main.uri] }));
  }
  some('pentode.explain', await c.sendRequest(lsp.ExecuteCommandRequest.type, { command: 'pentode.explain', arguments: ['sprokit/unknown-type'] }));

  await c.sendRequest(lsp.ShutdownRequest.type);
  await c.sendNotification(lsp.ExitNotification.type);
  assert.equal(await ended, 0, 'the exit code of the server');
  c.dispose();
  console.log(`session: ${asked.length} requests were answered`);
}

main()
  .catch((err: unknown) => {
    console.error(err);
    process.exitCode = 1;
  })
  .finally(() => fs.rmSync(dir, { recursive: true }));
