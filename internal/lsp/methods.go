package lsp

import (
	"context"
	"encoding/json"

	"github.com/sourcegraph/jsonrpc2"

	"github.com/pentode-dev/pentode/core/source"
	"github.com/pentode-dev/pentode/internal/lsp/protocol"
	"github.com/pentode-dev/pentode/lang"
)

// methods are the messages that the server handles.
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
	"textDocument/definition":                at((*session).definition),
	"textDocument/declaration":               at((*session).definition),
	"textDocument/typeDefinition":            at((*session).typeDefinition),
	"textDocument/references":                at((*session).references),
	"textDocument/documentHighlight":         at((*session).highlight),
	"textDocument/prepareRename":             at((*session).prepareRename),
	"textDocument/rename":                    at((*session).rename),
	"textDocument/documentSymbol":            about((*session).documentSymbol),
	"workspace/symbol":                       on((*Server).workspaceSymbol),
	"textDocument/foldingRange":              about((*session).foldingRange),
	"textDocument/selectionRange":            about((*session).selectionRange),
	"textDocument/documentLink":              about((*session).documentLink),
	"textDocument/semanticTokens/full":       about((*session).semanticTokens),
	"textDocument/semanticTokens/range":      about((*session).semanticRange),
	"textDocument/semanticTokens/full/delta": about((*session).semanticDelta),
	"textDocument/inlayHint":                 about((*session).inlayHint),
	"textDocument/codeAction":                about((*session).codeAction),
	"textDocument/codeLens":                  on((*Server).codeLens),
	"textDocument/formatting":                about((*session).formatting),
	"textDocument/rangeFormatting":           about((*session).rangeFormatting),
	"textDocument/onTypeFormatting":          about((*session).onTypeFormatting),
	"textDocument/prepareCallHierarchy":      at((*session).prepareCalls),
	"callHierarchy/incomingCalls":            about((*session).incomingCalls),
	"callHierarchy/outgoingCalls":            about((*session).outgoingCalls),
	"workspace/executeCommand":               on((*Server).executeCommand),
}

// method handles a message with its parameters.
type method func(*Server, context.Context, *json.RawMessage) (any, error)

// on makes a method from a function with typed parameters.
func on[P, R any](f func(*Server, context.Context, *P) (R, error)) method {
	return func(s *Server, ctx context.Context, raw *json.RawMessage) (any, error) {
		var p P
		if raw != nil {
			if err := json.Unmarshal(*raw, &p); err != nil {
				return nil, &jsonrpc2.Error{Code: jsonrpc2.CodeInvalidParams, Message: "the parameters do not match the method"}
			}
		}
		return f(s, ctx, &p)
	}
}

// about makes a method from a function that takes the configuration of a document.
func about[D interface {
	*P
	Document() string
}, P, R any](f func(*session, *lang.Config, D) (R, error)) method {
	return on(func(s *Server, _ context.Context, p *P) (r R, err error) {
		c, err := s.open(D(p).Document())
		if err != nil {
			return r, err
		}
		return f(s.session, c, p)
	})
}

// at makes a method from a function that takes a place in a document.
func at[D interface {
	*P
	Place() *protocol.PositionParams
}, P, R any](f func(*session, *lang.Config, source.Span, D) (R, error)) method {
	return on(func(s *Server, _ context.Context, p *P) (r R, err error) {
		c, at, err := s.place(D(p).Place())
		if err != nil {
			return r, err
		}
		return f(s.session, c, at, p)
	})
}
