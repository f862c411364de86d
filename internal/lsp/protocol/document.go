package protocol

import "encoding/json"

// Diagnostic is a finding.
type Diagnostic struct {
	Range              Range            `json:"range"`
	Severity           int              `json:"severity"` // 1 error, 2 warning, 3 information
	Code               string           `json:"code"`
	CodeDescription    *CodeDescription `json:"codeDescription,omitempty"`
	Source             string           `json:"source"`
	Message            string           `json:"message"`
	RelatedInformation []Related        `json:"relatedInformation,omitempty"`
}

// CodeDescription leads to the explanation of a code.
type CodeDescription struct {
	Href string `json:"href"`
}

// Related is another place of a finding.
type Related struct {
	Location Location `json:"location"`
	Message  string   `json:"message"`
}

// PublishParams are all findings of a document.
type PublishParams struct {
	URI         string       `json:"uri"`
	Version     *int         `json:"version,omitempty"`
	Diagnostics []Diagnostic `json:"diagnostics"`
}

// DiagnosticParams asks for the findings of a document.
type DiagnosticParams struct {
	DocumentParams
	PreviousResultID string `json:"previousResultId"`
}

// DiagnosticReport is the answer: the findings, or that they have not changed.
type DiagnosticReport struct {
	Kind     string       `json:"kind"` // full or unchanged
	ResultID string       `json:"resultId,omitempty"`
	Items    []Diagnostic `json:"items"`
	URI      string       `json:"uri,omitempty"`
	Version  *int         `json:"version,omitempty"`
}

// WorkspaceDiagnosticReport is the answer for all documents.
type WorkspaceDiagnosticReport struct {
	Items []DiagnosticReport `json:"items"`
}

// Hover describes a place.
type Hover struct {
	Contents *MarkupContent `json:"contents"`
	Range    *Range         `json:"range,omitempty"`
}

// CompletionList lists the completions at a place.
type CompletionList struct {
	IsIncomplete bool             `json:"isIncomplete"`
	Items        []CompletionItem `json:"items"`
}

// CompletionItem is one completion.
type CompletionItem struct {
	Label            string         `json:"label"`
	Kind             int            `json:"kind,omitempty"`
	Detail           string         `json:"detail,omitempty"`
	Documentation    *MarkupContent `json:"documentation,omitempty"`
	SortText         string         `json:"sortText,omitempty"`
	FilterText       string         `json:"filterText,omitempty"`
	InsertTextFormat int            `json:"insertTextFormat,omitempty"` // 2: a snippet
	TextEdit         *TextEdit      `json:"textEdit,omitempty"`
}

// ReferenceParams asks for the uses of the thing at a place.
type ReferenceParams struct {
	PositionParams
	Context struct {
		IncludeDeclaration bool `json:"includeDeclaration"`
	} `json:"context"`
}

// DocumentHighlight is a use in the same document. Kind 2 reads the thing, 3 writes it.
type DocumentHighlight struct {
	Range Range `json:"range"`
	Kind  int   `json:"kind"`
}

// RenameParams asks for another name.
type RenameParams struct {
	PositionParams
	NewName string `json:"newName"`
}

// PrepareRename is the current name that a rename would change, and its range.
type PrepareRename struct {
	Range       Range  `json:"range"`
	Placeholder string `json:"placeholder"`
}

// DocumentSymbol is an entry of an outline.
type DocumentSymbol struct {
	Name           string           `json:"name"`
	Detail         string           `json:"detail,omitempty"`
	Kind           int              `json:"kind"`
	Range          Range            `json:"range"`
	SelectionRange Range            `json:"selectionRange"`
	Children       []DocumentSymbol `json:"children,omitempty"`
}

// WorkspaceSymbolParams asks for symbols by a part of their name.
type WorkspaceSymbolParams struct {
	Query string `json:"query"`
}

// WorkspaceSymbol is a symbol of any file.
type WorkspaceSymbol struct {
	Name          string   `json:"name"`
	Kind          int      `json:"kind"`
	ContainerName string   `json:"containerName,omitempty"`
	Location      Location `json:"location"`
}

// FoldingRange are lines that can be folded.
type FoldingRange struct {
	StartLine int    `json:"startLine"`
	EndLine   int    `json:"endLine"`
	Kind      string `json:"kind,omitempty"` // comment, imports, region
}

// SelectionParams asks for the ranges around places.
type SelectionParams struct {
	DocumentParams
	Positions []Position `json:"positions"`
}

// SelectionRange is a range with the next larger range around it.
type SelectionRange struct {
	Range  Range           `json:"range"`
	Parent *SelectionRange `json:"parent,omitempty"`
}

// DocumentLink leads to another file.
type DocumentLink struct {
	Range   Range  `json:"range"`
	Target  string `json:"target"`
	Tooltip string `json:"tooltip,omitempty"`
}

// SemanticTokens are colours: five numbers for each token.
type SemanticTokens struct {
	ResultID string   `json:"resultId,omitempty"`
	Data     []uint32 `json:"data"`
}

// SemanticDeltaParams asks for the changes since an earlier answer.
type SemanticDeltaParams struct {
	DocumentParams
	PreviousResultID string `json:"previousResultId"`
}

// SemanticDelta is the change of an earlier answer.
type SemanticDelta struct {
	ResultID string         `json:"resultId,omitempty"`
	Edits    []SemanticEdit `json:"edits"`
}

// SemanticEdit replaces numbers of an earlier answer.
type SemanticEdit struct {
	Start       int      `json:"start"`
	DeleteCount int      `json:"deleteCount"`
	Data        []uint32 `json:"data,omitempty"`
}

// InlayHint is a fact shown inside the text.
type InlayHint struct {
	Position    Position `json:"position"`
	Label       string   `json:"label"`
	Kind        int      `json:"kind,omitempty"`
	PaddingLeft bool     `json:"paddingLeft,omitempty"`
}

// CodeActionParams asks for the actions for a range.
type CodeActionParams struct {
	DocumentParams
	Range   Range `json:"range"`
	Context struct {
		Diagnostics []Diagnostic `json:"diagnostics"`
		Only        []string     `json:"only"`
	} `json:"context"`
}

// CodeAction is an action that the editor offers.
type CodeAction struct {
	Title       string         `json:"title"`
	Kind        string         `json:"kind"`
	Diagnostics []Diagnostic   `json:"diagnostics,omitempty"`
	IsPreferred bool           `json:"isPreferred,omitempty"`
	Edit        *WorkspaceEdit `json:"edit,omitempty"`
	Command     *Command       `json:"command,omitempty"`
}

// CodeLens is a command above a line.
type CodeLens struct {
	Range   Range    `json:"range"`
	Command *Command `json:"command,omitempty"`
}

// FormattingParams asks for a formatted document.
type FormattingParams struct {
	DocumentParams
}

// OnTypeParams asks for formatting after a character.
type OnTypeParams struct {
	PositionParams
	Ch string `json:"ch"`
}

// CallItem is a node of the call hierarchy.
type CallItem struct {
	Name           string `json:"name"`
	Kind           int    `json:"kind"`
	Detail         string `json:"detail,omitempty"`
	URI            string `json:"uri"`
	Range          Range  `json:"range"`
	SelectionRange Range  `json:"selectionRange"`
	Data           string `json:"data,omitempty"` // for the server: the node of the picture
}

// CallParams asks for the neighbours of a node.
type CallParams struct {
	Item CallItem `json:"item"`
}

// Document is the URI of the document of the item.
func (p *CallParams) Document() string { return p.Item.URI }

// IncomingCall is a node that leads to the given one.
type IncomingCall struct {
	From       CallItem `json:"from"`
	FromRanges []Range  `json:"fromRanges"`
}

// OutgoingCall is a node that the asked one leads to.
type OutgoingCall struct {
	To         CallItem `json:"to"`
	FromRanges []Range  `json:"fromRanges"`
}

// ExecuteParams runs a command.
type ExecuteParams struct {
	Command   string            `json:"command"`
	Arguments []json.RawMessage `json:"arguments"`
}
