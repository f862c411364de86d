// Package syntax turns COIL configurations into trees and back.
//
// The language consists of lines: section headers, keys, includes, comments. A
// tree keeps the tokens of every line, so nothing of the text is lost. It does not
// know what a name means; the language package does.
//
//	text ──scan──▶ tokens ──parse──▶ Tree ──print──▶ formatted text
package syntax

import "github.com/pentode-dev/pentode/core/token"

// The kinds of tokens.
const (
	Name   token.Kind = iota + 1 // the name of a section or a key
	Word                         // a text in a value, or misplaced text; blanks inside are part of it
	Quoted                       // "…", even if the closing quote is missing
	Blank
	Newline
	Comment   // `#` or `;` to the end of the line
	Open      // [
	Close     // ]
	Equals    // =
	Comma     // ,
	Directive // @include
	BOM       // the byte order mark at the beginning of a text
)
