package syntax

import (
	"strings"

	"github.com/pentode-dev/pentode/core/source"
	"github.com/pentode-dev/pentode/core/token"
)

// Parse reads a text. It never fails: lines without a form are problems.
func Parse(f *source.File) *Tree {
	p := &parser{tree: &Tree{Tree: token.NewTree(scan(f))}, text: f.Text()}
	p.toks = p.tree.Tokens().Tokens
	p.tree.Sections = make([]Section, 0, strings.Count(p.text, "\n[")+1)
	// Every key has its own `=`, so this array is large enough for all keys.
	p.entries = make([]Entry, 0, strings.Count(p.text, "="))
	p.lines()
	return p.tree
}

type parser struct {
	tree *Tree
	text string
	toks []token.Token

	entries []Entry // entries of the current section
	slab    []Ref   // memory for the refs of many headers
	pos     int     // next token
	end     int     // end of the line without trailing blanks and comment
}

// lines reads the text line by line.
func (p *parser) lines() {
	for start := 0; start < len(p.toks); {
		stop := start
		for stop < len(p.toks) && p.toks[stop].Kind != Newline {
			stop++
		}
		p.pos, p.end = start, stop
		p.trimLine()
		line := Range{First: int32(start), End: int32(stop)}
		switch {
		case p.pos == p.end:
		case p.toks[p.pos].Kind == Open:
			p.finish()
			p.header(line)
		default:
			p.entry(line)
		}
		start = stop + 1
	}
	p.finish()
}

// trimLine removes blanks and the comment from [pos, end).
func (p *parser) trimLine() {
	for p.pos < p.end && p.toks[p.pos].Kind == Blank {
		p.pos++
	}
	for p.end > p.pos && (p.toks[p.end-1].Kind == Blank || p.toks[p.end-1].Kind == Comment) {
		p.end--
	}
}

// finish adds the keys read so far to their section.
func (p *parser) finish() {
	if n := len(p.tree.Sections); n > 0 {
		p.tree.Sections[n-1].Entries = p.entries
	} else {
		p.tree.Stray = p.entries
	}
	p.entries = p.entries[len(p.entries):]
}

func (p *parser) entry(line Range) {
	first := p.pos
	for p.pos < p.end && p.toks[p.pos].Kind != Equals {
		p.pos++
	}
	if n := len(p.tree.Sections); n > 0 && p.tree.Sections[n-1].Broken && (p.pos == p.end || p.pos == first) {
		return // the header is reported; the lines below it are ignored
	}
	if p.pos == p.end {
		p.tree.Report(MissingEquals, p.tree.Tokens().Between(first, p.end),
			"this line is neither a section nor `key = value`").
			Labelled("no `=` here").
			Helped("write `key = value`, or put `#` before it if it is a comment")
		return
	}
	e := Entry{Line: line, Key: p.between(first, p.pos), Value: p.between(p.pos+1, p.end)}
	if e.Key.Empty() {
		p.tree.Report(MissingKey, p.tree.Tokens().Span(p.pos), "there is no key before the `=`").
			Helped("write `key = value`")
		return
	}
	p.entries = append(p.entries, e)
}

// between returns the text of tokens first to end, without blanks at its ends.
func (p *parser) between(first, end int) Text {
	if first >= end {
		at := int32(len(p.text))
		if first < len(p.toks) {
			at = p.toks[first].Start
		}
		return Text{Start: at, End: at}
	}
	return Text{Start: p.toks[first].Start, End: p.toks[end-1].End}.Trim(p.text, blank)
}
