// Package protocol has the messages of the language server protocol that
// Pentode uses, in their wire format. It has only the fields that are used.
package protocol

import "encoding/json"

// The error codes that the protocol adds to JSON-RPC.
const (
	ServerNotInitialized = -32002
	RequestFailed        = -32803
	ContentModified      = -32801
	RequestCancelled     = -32800
)

// Position is a place in a text: line and character from 0. Client and server agree
// on the unit of a character in initialize.
type Position struct {
	Line      int `json:"line"`
	Character int `json:"character"`
}

// Range is from Start up to, not including, End.
type Range struct {
	Start Position `json:"start"`
	End   Position `json:"end"`
}

// Location is a range in a document.
type Location struct {
	URI   string `json:"uri"`
	Range Range  `json:"range"`
}

// TextDocument names a document.
type TextDocument struct {
	URI string `json:"uri"`
}

// VersionedTextDocument names a document and its version.
type VersionedTextDocument struct {
	URI     string `json:"uri"`
	Version int    `json:"version"`
}

// TextDocumentItem is a document with its text.
type TextDocumentItem struct {
	URI        string `json:"uri"`
	LanguageID string `json:"languageId"`
	Version    int    `json:"version"`
	Text       string `json:"text"`
}

// DocumentParams are the parameters of requests about a document.
type DocumentParams struct {
	TextDocument TextDocument `json:"textDocument"`
}

// Document is the URI of the document.
func (p *DocumentParams) Document() string { return p.TextDocument.URI }

// PositionParams are the parameters of requests about a place.
type PositionParams struct {
	DocumentParams
	Position Position `json:"position"`
}

// Place returns the parameters themselves.
func (p *PositionParams) Place() *PositionParams { return p }

// RangeParams are the parameters of requests about a range.
type RangeParams struct {
	DocumentParams
	Range Range `json:"range"`
}

// TextEdit replaces a range.
type TextEdit struct {
	Range   Range  `json:"range"`
	NewText string `json:"newText"`
}

// WorkspaceEdit changes several documents. If it creates a file, it uses DocumentChanges
// instead of Changes.
type WorkspaceEdit struct {
	Changes         map[string][]TextEdit `json:"changes,omitempty"`
	DocumentChanges []any                 `json:"documentChanges,omitempty"` // CreateFile or DocumentEdit
}

// CreateFile creates an empty file.
type CreateFile struct {
	Kind string `json:"kind"` // create
	URI  string `json:"uri"`
}

// DocumentEdit changes one document, whatever its version.
type DocumentEdit struct {
	TextDocument struct {
		URI     string `json:"uri"`
		Version *int   `json:"version"`
	} `json:"textDocument"`
	Edits []TextEdit `json:"edits"`
}

// MarkupContent is a text shown to the user.
type MarkupContent struct {
	Kind  string `json:"kind"` // plaintext or markdown
	Value string `json:"value"`
}

// Markdown returns a text in Markdown.
func Markdown(text string) *MarkupContent { return &MarkupContent{Kind: "markdown", Value: text} }

// Command is a command that a client can ask the server to run.
type Command struct {
	Title     string `json:"title"`
	Command   string `json:"command"`
	Arguments []any  `json:"arguments,omitempty"`
}

// CancelParams names a request that is no longer wanted.
type CancelParams struct {
	ID json.RawMessage `json:"id"`
}

// WorkspaceFolder is a folder that is open in the editor.
type WorkspaceFolder struct {
	URI  string `json:"uri"`
	Name string `json:"name"`
}
