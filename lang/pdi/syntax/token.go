// Package syntax turns YAML, as PDI reads it, into trees and back.
//
// PDI reads YAML 1.1 through a loader that knows no types: a scalar is its
// text, tags say nothing, and only the first document counts. No reader of
// that kind keeps the text, and a finding inside a folded or quoted scalar must still
// point at its byte. So this one keeps every byte in a token, every node knows
// its bytes, and a scalar can say where each byte of its value came from.
//
//	text ──Parse──▶ tokens + Tree ──Print──▶ formatted text
//	                     │
//	                     └─Node─┬─ Value             what the scalar says
//	                            └─ Tree.Offset(n, i)  where byte i of it stands
package syntax

import "github.com/pentode-dev/pentode/core/token"

// The kinds of tokens. A scalar is one token, over as many lines as it has;
// that of a block scalar begins after the line of its header.
const (
	Plain     token.Kind = iota + 1
	Single               // 'text'
	Double               // "text"
	Header               // | or > with its indicators
	BlockText            // the lines of a block scalar
	Blank
	Newline
	Comment   // `#` to the end of the line
	Colon     // :
	Dash      // -
	Question  // ?
	Comma     // ,
	ListOpen  // [
	ListClose // ]
	MapOpen   // {
	MapClose  // }
	Anchor    // &name
	Star      // *name
	Tag       // !name
	Directive // %YAML 1.1
	DocStart  // ---
	DocEnd    // ...
	ByteOrder // the mark that some editors write first
	Rest      // what follows the first document
	Host      // what is around a tree in a source of C++
)

// Roles are the kinds that carry no meaning.
var Roles = token.Roles{Comment: Comment, Blank: Blank, Newline: Newline}
