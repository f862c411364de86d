// Package syntax turns Paradyn configuration files into trees and back.
//
// A file is a sequence of definitions: a keyword, perhaps a name, and a block in braces or
// a value. The parser accepts any word at any place; the language package knows which
// keywords, fields and values exist. So later dialects of the language, with named blocks
// and metric definitions, have trees too.
//
//	text ──scan──▶ tokens ──parse──▶ Tree ──print──▶ formatted text
package syntax

import "github.com/pentode-dev/pentode/core/token"

// The kinds of tokens.
const (
	Word       token.Kind = iota + 1 // a keyword or a name
	Number                           // digits, perhaps with a dot and digits
	OddNumber                        // something that begins like a number: -3, 5., 1e3
	String                           // in quotes, on one line, without escapes
	OpenString                       // a string that does not end on its line
	Comment                          // `//` to the end of the line
	OddComment                       // in the form of another language: `# …`, `/* … */`
	Blank
	Newline
	BraceOpen
	BraceClose
	Semicolon
	Other // a character that has no meaning in the language
)
