// Package syntax turns sprokit pipelines, clusters and the fragments they
// include into trees and back.
//
// A text is a sequence of statements: includes, section headers, entries, blocks, connections, mappings. They form a flat list, because a section or
// a block may begin in one file and end in another that includes it; the language package finds out what they belong to. The form of the rest of a
// line depends on the statement, so the parser asks the scanner for one token at a time.
//
//	text ──parse (scan)──▶ Tree: tokens, statements ──print──▶ formatted text
package syntax

import "github.com/pentode-dev/pentode/core/token"

// The kinds of tokens.
const (
	Word token.Kind = iota + 1
	Blank
	Newline
	Comment     // `#` to the end of the line
	Bang        // `!` at the start of a line, which has no meaning
	Value       // the rest of a line, as written
	Dashes      // `--`
	Colon       // :
	DoubleColon // ::
	Assign      // =
	LocalAssign // :=
	Slash
	Dot
	Comma
	Open    // [
	Close   // ]
	Include // the word at the start of a line

	Block
	Endblock
	Process
	Connect
	From
	To
	Cluster
	Imap
	Omap
	Relativepath
	Config

	end token.Kind = 255 // no token: the end of the text
)

// IsKeyword reports whether a token is one of the reserved words.
func IsKeyword(k token.Kind) bool { return k >= Block && k <= Config }

// Roles are the kinds that carry no meaning.
var Roles = token.Roles{Comment: Comment, Blank: Blank, Newline: Newline}

// keyword returns the kind of a word.
func keyword(s string) token.Kind {
	switch s {
	case "block":
		return Block
	case "endblock":
		return Endblock
	case "process":
		return Process
	case "connect":
		return Connect
	case "from":
		return From
	case "to":
		return To
	case "cluster":
		return Cluster
	case "imap":
		return Imap
	case "omap":
		return Omap
	case "relativepath":
		return Relativepath
	case "config":
		return Config
	}
	return Word
}
