package protocol

import "encoding/json"

// InitializeParams describes the client.
type InitializeParams struct {
	RootURI               string             `json:"rootUri"`
	WorkspaceFolders      []WorkspaceFolder  `json:"workspaceFolders"`
	InitializationOptions json.RawMessage    `json:"initializationOptions"`
	Capabilities          ClientCapabilities `json:"capabilities"`
}

// ClientCapabilities has the capabilities of a client that matter here.
type ClientCapabilities struct {
	General struct {
		PositionEncodings []string `json:"positionEncodings"`
	} `json:"general"`
	TextDocument struct {
		Diagnostic *struct{} `json:"diagnostic"`
		Completion struct {
			CompletionItem struct {
				SnippetSupport bool `json:"snippetSupport"`
			} `json:"completionItem"`
		} `json:"completion"`
	} `json:"textDocument"`
	Workspace struct {
		WorkspaceEdit struct {
			ResourceOperations []string `json:"resourceOperations"`
		} `json:"workspaceEdit"`
		DidChangeWatchedFiles struct {
			DynamicRegistration bool `json:"dynamicRegistration"`
		} `json:"didChangeWatchedFiles"`
		Diagnostics struct {
			RefreshSupport bool `json:"refreshSupport"`
		} `json:"diagnostics"`
	} `json:"workspace"`
	Window struct {
		WorkDoneProgress bool `json:"workDoneProgress"`
	} `json:"window"`
}

// InitializeResult has the capabilities of the server.
type InitializeResult struct {
	Capabilities map[string]any `json:"capabilities"`
	ServerInfo   ServerInfo     `json:"serverInfo"`
}

// ServerInfo is the server's name and version.
type ServerInfo struct {
	Name    string `json:"name"`
	Version string `json:"version,omitempty"`
}

// DidOpenParams reports that a document was opened.
type DidOpenParams struct {
	TextDocument TextDocumentItem `json:"textDocument"`
}

// DidChangeParams are changes of a document; each applies to the text after the previous one.
type DidChangeParams struct {
	TextDocument   VersionedTextDocument `json:"textDocument"`
	ContentChanges []ContentChange       `json:"contentChanges"`
}

// ContentChange replaces a range, or the whole text if Range is nil.
type ContentChange struct {
	Range *Range `json:"range"`
	Text  string `json:"text"`
}

// WatchedFilesParams are files that changed on disk.
type WatchedFilesParams struct {
	Changes []FileEvent `json:"changes"`
}

// FileEvent is the change of one file on disk.
type FileEvent struct {
	URI  string `json:"uri"`
	Type int    `json:"type"` // 1 created, 2 changed, 3 deleted
}

// FoldersParams are added and removed workspace folders.
type FoldersParams struct {
	Event struct {
		Added   []WorkspaceFolder `json:"added"`
		Removed []WorkspaceFolder `json:"removed"`
	} `json:"event"`
}

// ConfigurationParams are new settings.
type ConfigurationParams struct {
	Settings json.RawMessage `json:"settings"`
}

// RegistrationParams asks the client to send certain messages from now on.
type RegistrationParams struct {
	Registrations []Registration `json:"registrations"`
}

// Registration is a request for one kind of message.
type Registration struct {
	ID              string `json:"id"`
	Method          string `json:"method"`
	RegisterOptions any    `json:"registerOptions,omitempty"`
}

// ProgressParams reports progress of long work.
type ProgressParams struct {
	Token string `json:"token"`
	Value any    `json:"value"`
}

// Progress is the value of ProgressParams.
type Progress struct {
	Kind       string `json:"kind"` // begin, report, end
	Title      string `json:"title,omitempty"`
	Message    string `json:"message,omitempty"`
	Percentage int    `json:"percentage,omitempty"`
}
