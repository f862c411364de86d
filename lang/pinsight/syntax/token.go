// Package syntax turns PInsight trace configurations into trees and back.
//
// The language consists of lines: section headers, keys, comments. A tree keeps the tokens of every line, so no text is lost. It does not interpret
// names; the language package does.
//
//	text ──scan──▶ tokens ──parse──▶ Tree ──print──▶ formatted text
package syntax

import "github.com/pentode-dev/pentode/core/token"

// The kinds of tokens.
const (
	Word token.Kind = iota + 1 // a name, a number, or any other run of characters
	Blank
	Newline
	Comment    // `#` to the end of the line
	Open       // [
	Close      // ]
	ParenOpen  // (
	ParenClose // )
	Colon
	Comma
	Dot
	Equals
)
