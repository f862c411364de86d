package lsp

// didChangeMethod is the message after which earlier questions are stale.
const didChangeMethod = "textDocument/didChange"

const didOpenMethod = "textDocument/didOpen"

// methods are the messages that the server knows.
var methods = map[string]method{
	"initialize":  on((*Server).initialize),
	"initialized": on((*Server).initialized),
	"shutdown":    on((*Server).shutdown),

	didOpenMethod:                         on((*Server).didOpen),
	didChangeMethod:                       on((*Server).didChange),
	"textDocument/didClose":               on((*Server).didClose),
	"textDocument/didSave":                on((*Server).didSave),
	"workspace/didChangeWatchedFiles":     on((*Server).didChangeFiles),
	"workspace/didChangeWorkspaceFolders": on((*Server).didChangeFolders),
	"workspace/didChangeConfiguration":    on((*Server).didChangeConfiguration),

	"textDocument/diagnostic":                on((*Server).diagnostic),
	"workspace/diagnostic":                   on((*Server).workspaceDiagnostic),
	"textDocument/hover":                     on((*Server).hover),
	"textDocument/completion":                on((*Server).completion),
	"textDocument/definition":                on((*Server).definition),
	"textDocument/declaration":               on((*Server).definition),
	"textDocument/typeDefinition":            on((*Server).typeDefinition),
	"textDocument/references":                on((*Server).references),
	"textDocument/documentHighlight":         on((*Server).highlight),
	"textDocument/prepareRename":             on((*Server).prepareRename),
	"textDocument/rename":                    on((*Server).rename),
	"textDocument/documentSymbol":            on((*Server).documentSymbol),
	"workspace/symbol":                       on((*Server).workspaceSymbol),
	"textDocument/foldingRange":              on((*Server).foldingRange),
	"textDocument/selectionRange":            on((*Server).selectionRange),
	"textDocument/documentLink":              on((*Server).documentLink),
	"textDocument/semanticTokens/full":       on((*Server).semanticTokens),
	"textDocument/semanticTokens/range":      on((*Server).semanticRange),
	"textDocument/semanticTokens/full/delta": on((*Server).semanticDelta),
	"textDocument/inlayHint":                 on((*Server).inlayHint),
	"textDocument/codeAction":                on((*Server).codeAction),
	"textDocument/codeLens":                  on((*Server).codeLens),
	"textDocument/formatting":                on((*Server).formatting),
	"textDocument/rangeFormatting":           on((*Server).rangeFormatting),
	"textDocument/onTypeFormatting":          on((*Server).onTypeFormatting),
	"textDocument/prepareCallHierarchy":      on((*Server).prepareCalls),
	"callHierarchy/incomingCalls":            on((*Server).incomingCalls),
	"callHierarchy/outgoingCalls":            on((*Server).outgoingCalls),
	"workspace/executeCommand":               on((*Server).executeCommand),
}
