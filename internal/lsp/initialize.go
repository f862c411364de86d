package lsp

import (
	"context"
	"slices"

	"github.com/pentode-dev/pentode/internal/lsp/protocol"
	"github.com/pentode-dev/pentode/workspace/project"
)

// initialize negotiates the capabilities of client and server.
func (s *Server) initialize(_ context.Context, p *protocol.InitializeParams) (*protocol.InitializeResult, error) {
	s.state, s.client = running, p.Capabilities
	s.settings.read(p.InitializationOptions)
	encoding := "utf-16"
	if slices.Contains(p.Capabilities.General.PositionEncodings, "utf-8") {
		encoding, s.utf8 = "utf-8", true
	}
	for _, f := range p.WorkspaceFolders {
		s.folders = append(s.folders, pathOf(f.URI))
	}
	if len(s.folders) == 0 && p.RootURI != "" {
		s.folders = []string{pathOf(p.RootURI)}
	}
	capabilities := map[string]any{
		"positionEncoding":          encoding,
		"textDocumentSync":          map[string]any{"openClose": true, "change": 2, "save": true},
		"hoverProvider":             true,
		"completionProvider":        map[string]any{"triggerCharacters": []string{"$", "{", ".", ":", "=", "[", "(", ",", " ", "\"", "/", "@"}},
		"definitionProvider":        true,
		"declarationProvider":       true,
		"typeDefinitionProvider":    true,
		"referencesProvider":        true,
		"documentHighlightProvider": true,
		"renameProvider":            map[string]any{"prepareProvider": true},
		"documentSymbolProvider":    true,
		"workspaceSymbolProvider":   true,
		"foldingRangeProvider":      true,
		"selectionRangeProvider":    true,
		"documentLinkProvider":      map[string]any{},
		"semanticTokensProvider": map[string]any{
			"legend": map[string]any{"tokenTypes": tokenTypes, "tokenModifiers": tokenModifiers},
			"full":   map[string]any{"delta": true}, "range": true,
		},
		"inlayHintProvider":                true,
		"codeActionProvider":               map[string]any{"codeActionKinds": actionKinds},
		"codeLensProvider":                 map[string]any{},
		"documentFormattingProvider":       true,
		"documentRangeFormattingProvider":  true,
		"documentOnTypeFormattingProvider": map[string]any{"firstTriggerCharacter": "\n"},
		"callHierarchyProvider":            true,
		"executeCommandProvider":           map[string]any{"commands": commandNames()},
		"workspace":                        map[string]any{"workspaceFolders": map[string]any{"supported": true, "changeNotifications": true}},
	}
	if s.pulls() {
		capabilities["diagnosticProvider"] = map[string]any{"identifier": "pentode", "interFileDependencies": true, "workspaceDiagnostics": true}
	}
	return &protocol.InitializeResult{Capabilities: capabilities, ServerInfo: protocol.ServerInfo{Name: "pentode", Version: s.options.Version}}, nil
}

// initialized starts the server's own work.
func (s *Server) initialized(ctx context.Context, _ *nothing) (*nothing, error) {
	if s.client.Workspace.DidChangeWatchedFiles.DynamicRegistration {
		var watchers []map[string]string
		for _, l := range s.workspace.Languages {
			for _, g := range l.Globs {
				watchers = append(watchers, map[string]string{"globPattern": "**/" + g.Pattern})
			}
		}
		watchers = append(watchers, map[string]string{"globPattern": "**/" + project.FileName})
		s.ask("client/registerCapability", protocol.RegistrationParams{Registrations: []protocol.Registration{{
			ID: "files", Method: "workspace/didChangeWatchedFiles", RegisterOptions: map[string]any{"watchers": watchers},
		}}})
	}
	s.rescan()
	return nil, nil
}

// shutdown prepares the exit.
func (s *Server) shutdown(context.Context, *nothing) (*nothing, error) {
	s.state = shutDown
	return nil, nil
}
