package syntax

import (
	"sort"
	"strings"

	"github.com/pentode-dev/pentode/core/source"
	"github.com/pentode-dev/pentode/core/token"
)

// Tree is a parsed pipeline, cluster or fragment.
type Tree struct {
	token.Tree

	Stmts []Stmt
	refs  []Ref
}

// Kind is the kind of a statement.
type Kind uint8

// The kinds of statements, and the contents of their fields.
const (
	Broken      Kind = iota // tokens that are not a statement
	IncludeStmt             // Name: the file
	ConfigStmt              // Name: the path
	ProcessStmt             // Name, Value: the type
	ConnectStmt             // Refs: from, to
	ClusterStmt             // Name
	ImapStmt                // Name: the cluster's port; Refs: the ports inside
	OmapStmt                // Refs: from; Name: the cluster's port
	BlockStmt               // Name: the path
	EndblockStmt
	EntryStmt // Name: the key; Attrs; Value
	DescStmt  // Value: the text after `--`

	PlaceholderStmt // Value: the name of `[-NAME-]`, a line that a tool replaces
	StageStmt       // a line `pipeline stage N:`, at which VIAME's program splits the file
)

// Flags describe how a statement is written.
type Flags uint16

const (
	OldStyle   Flags = 1 << iota // `:key value`
	Relative                     // `relativepath` before the key
	Local                        // `:=`
	Glued                        // no blank between `:=` or `--` and the text
	Scattered                    // there are blanks or line breaks between the parts of the name
	HasKeyword                   // a reserved word is part of the key
	Dashed                       // a part of the key begins with `-`
	Tabbed                       // `include` is followed by a tab
	Listed                       // several attributes in one pair of brackets
	Split                        // an include interrupts the statement
	Incomplete                   // a problem was reported; the fields hold what could be read
)

// Stmt is one statement.
type Stmt struct {
	Kind   Kind
	Flags  Flags
	Tokens Range
	Name   Text
	Value  Text
	Attrs  Text // the text between the brackets
	refs   Range
}

// Has reports whether all flags are set.
func (s *Stmt) Has(f Flags) bool { return s.Flags&f == f }

// Ref is a port of a process: `process.port`.
type Ref struct{ Process, Port Text }

// Text returns the whole address.
func (r Ref) Text() Text { return Text{Start: r.Process.Start, End: r.Port.End} }

// Text and Range are pieces of the file by bytes and by tokens.
type (
	Text  = token.Text
	Range = token.Range
)

// StmtSpan returns the place of a statement.
func (t *Tree) StmtSpan(s *Stmt) source.Span { return t.RangeSpan(s.Tokens) }

// Head returns the place of a statement's first word.
func (t *Tree) Head(s *Stmt) source.Span { return t.Tokens().Span(int(s.Tokens.First)) }

// Refs returns the port addresses of a statement.
func (t *Tree) Refs(s *Stmt) []Ref { return t.refs[s.refs.First:s.refs.End] }

// Join returns a name without the blanks, line breaks and comments between its parts.
func (t *Tree) Join(x Text) string {
	text := t.Of(x)
	if !strings.ContainsAny(text, blanks+"\n#!") {
		return text
	}
	var b strings.Builder
	toks := t.Tokens().Tokens
	for i := sort.Search(len(toks), func(i int) bool { return toks[i].Start >= x.Start }); i < len(toks) && toks[i].Start < x.End; i++ {
		switch toks[i].Kind {
		case Blank, Newline, Comment, Bang:
		default:
			b.WriteString(t.Tokens().At(i))
		}
	}
	return b.String()
}

// Name returns the name of a statement.
func (t *Tree) Name(s *Stmt) string {
	if s.Flags&Scattered != 0 {
		return t.Join(s.Name)
	}
	return t.Of(s.Name)
}

// Attrs returns the words between an entry's brackets.
func (t *Tree) Attrs(s *Stmt) []Text {
	var list []Text
	toks := t.Tokens().Tokens
	if s.Attrs.Empty() {
		return nil
	}
	for i := sort.Search(len(toks), func(i int) bool { return toks[i].Start >= s.Attrs.Start }); i < len(toks) && toks[i].Start < s.Attrs.End; i++ {
		switch k := toks[i].Kind; {
		case k == Word, IsKeyword(k):
			list = append(list, Text{Start: toks[i].Start, End: toks[i].End})
		}
	}
	return list
}

// Comments returns the comments that belong to a statement.
func (t *Tree) Comments(s *Stmt) token.Comments {
	return t.Tokens().Attach(Roles, int(s.Tokens.First), int(s.Tokens.End))
}

// Words returns the tokens of a statement that have a meaning, separated by blanks.
func (t *Tree) Words(s *Stmt) string {
	var b strings.Builder
	for _, tok := range t.Tokens().Tokens[s.Tokens.First:s.Tokens.End] {
		switch tok.Kind {
		case Blank, Newline, Comment, Bang:
			continue
		}
		if b.Len() > 0 {
			b.WriteByte(' ')
		}
		b.WriteString(t.File().Text()[tok.Start:tok.End])
	}
	return b.String()
}
