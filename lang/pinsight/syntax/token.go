// Package syntax turns PInsight trace configurations into trees and back.
//
// The language is made of lines: section headers, keys, comments. A tree
// keeps every line's tokens, so nothing of the text is lost, and says nothing about
// what a name means: that is the language package's business.
//
//	text ──scan──▶ tokens ──parse──▶ Tree ──print──▶ formatted text
package syntax

import "github.com/pentode-dev/pentode/core/token"

// The kinds of tokens.
const (
	Word token.Kind = iota + 1 // a name, a number, any other run of characters
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
