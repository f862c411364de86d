// Package syntax turns YAML, as PDI reads it, into trees and back.
//
// PDI reads YAML 1.1 through a loader without types: a scalar is its text, tags mean nothing, and only the first document counts. Loaders of that
// kind do not keep the text, but a finding inside a folded or quoted scalar must point at its byte. So this package keeps every byte in a token,
// every node knows its bytes, and each byte of a scalar's value can be traced to its position.
//
//	text ──Parse──▶ tokens + Tree ──Print──▶ formatted text
//	                     │
//	                     └─Node─┬─ Value             the value of the scalar
//	                            └─ Tree.Offset(n, i)  the position of byte i of it
package syntax

import "github.com/pentode-dev/pentode/core/token"

// The kinds of tokens. A scalar is one token, even over several lines; the token of a block scalar begins after the line of its header.
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
	ByteOrder // the byte order mark that some editors write first
	Rest      // the text after the first document
	Host      // the text around a tree in a source of C++
)

// Roles are the kinds that carry no meaning.
var Roles = token.Roles{Comment: Comment, Blank: Blank, Newline: Newline}
