package syntax

import (
	"strings"

	"github.com/pentode-dev/pentode/core/problem"
	"github.com/pentode-dev/pentode/core/token"
)

// entry reads `key = value`, `key[attributes] = value` or `key := value`,
// with or without `relativepath` before it.
func (p *parser) entry(s *Stmt) bool {
	s.Kind = EntryStmt
	if p.next.kind == Relativepath {
		s.Flags |= Relative
		p.advance()
		if p.next.kind == Colon {
			return p.oldEntry(s)
		}
	}
	if !p.key(s, false) {
		return false
	}
	if p.next.kind == Open && !p.attributes(s) {
		return false
	}
	switch p.next.kind {
	case Assign:
		p.accept()
	case LocalAssign:
		s.Flags |= Local
		p.accept()
		if p.pos < len(p.text) && !isBlank[p.text[p.pos]] && p.text[p.pos] != '\n' && p.text[p.pos] != '#' {
			s.Flags |= Glued
		}
	default:
		if k, ok := p.misspelt(s); ok {
			s.Flags |= Incomplete
			if k == Endblock {
				s.Kind, s.Name = EndblockStmt, Text{}
				p.depth--
				return true
			}
			s.Name = Text{}
			return p.after(k, s)
		}
		d := p.report(MissingAssign, "expected `=` after the key `%s`, but found %s", p.tree.Of(s.Name), p.found())
		if p.next.line || p.next.kind == end {
			d.Span = p.tree.Span(s.Name)
			d.Message = "there is no `=` after `" + problem.Clip(p.tree.Of(s.Name), problem.Short) + "`"
			if p.tree.Of(s.Name) == "include" {
				d.Message = "`include` names no file"
				d.Helped("write `include FILE`")
				return false
			}
		}
		d.Helped("write `key = value`, or `:key value`")
		return false
	}
	s.Value = p.rest()
	return true
}

// misspelt reports a misspelt first word of a statement. It returns the intended word, which it derives from the text after it.
func (p *parser) misspelt(s *Stmt) (token.Kind, bool) {
	word := p.text[s.Name.Start:s.Name.End]
	alone := p.next.line || p.next.kind == end
	if s.Flags != 0 || !s.Attrs.Empty() {
		return 0, false
	}
	var words []string
	switch {
	case alone && p.depth == 0:
	case alone:
		words = []string{"endblock"}
	case p.next.kind == From:
		words = []string{"connect", "imap", "omap"}
	case p.next.kind == Word:
		words = []string{"process", "connect", "config", "block", "cluster", "include"}
	}
	near, ok := problem.Nearest(word, words)
	if len(words) == 1 && strings.EqualFold(word, "end") {
		near, ok = words[0], true
	}
	if !ok {
		return 0, false
	}
	p.tree.Report(UnexpectedToken, p.tree.Span(s.Name), "no statement begins with `%s`", word).
		Helped("did you mean `%s`?", near).Spell(problem.Misspelt(word, words), near)
	if near == "include" {
		return Include, true
	}
	return keyword(near), true
}

// oldEntry reads `:key value`. There must be no blank between the colon, the key and its attributes; the text after the first blank is the value.
func (p *parser) oldEntry(s *Stmt) bool {
	s.Kind = EntryStmt
	s.Flags |= OldStyle
	p.advance()
	if p.next.space {
		p.report(OldEntryBlank, "there must be no blank between `:` and the key").Helped("write `:key value`, or `key = value`")
		return false
	}
	if !p.key(s, true) {
		return false
	}
	if p.next.kind == Open && !p.next.space {
		if !p.attributes(s) {
			return false
		}
	}
	if p.next.line || !p.next.space || p.next.kind == end {
		d := p.tree.Report(MissingValue, p.tree.Span(s.Name), "there is no value after `:%s`", p.tree.Of(s.Name))
		if !p.next.line && p.next.kind != end {
			d.Span.File = p.tree.File()
			d.Message = "expected a blank and a value after `:" + problem.Clip(p.tree.Of(s.Name), problem.Short) + "`, but found " + p.found()
		}
		d.Helped("write `:%s VALUE`; an empty value is written `%s =`", p.tree.Of(s.Name), p.tree.Of(s.Name))
		return false
	}
	s.Value = p.rest()
	return true
}

// key reads the parts of a key, `a:b/c.d:e`. tight is set for the older style, in which a blank ends the key.
func (p *parser) key(s *Stmt, tight bool) bool {
	s.Name = Text{Start: p.next.start, End: p.next.start}
	for part := 0; ; part++ {
		switch {
		case p.next.kind == Word && p.dashed():
			s.Flags |= Dashed
		case p.next.kind == Word:
		case part > 0 && IsKeyword(p.next.kind):
			s.Flags |= HasKeyword
		default:
			p.expected("a part of a key")
			return false
		}
		if part > 0 && (p.next.space || p.next.line) {
			s.Flags |= Scattered
			if tight && p.next.space && !p.next.line {
				p.report(OldEntryBlank, "there is a blank within the key").Helped("write `:key:part value` without blanks in the key")
				return false
			}
		}
		s.Name.End = p.next.end
		p.advance()
		if k := p.next.kind; k != Colon && k != Slash && k != Dot || tight && p.next.space && !p.next.line {
			return true
		}
		if p.next.space || p.next.line {
			s.Flags |= Scattered
		}
		p.advance()
	}
}

// attributes reads `[word, word]`.
func (p *parser) attributes(s *Stmt) bool {
	p.advance()
	s.Attrs = Text{Start: p.next.start, End: p.next.start}
	for n := 0; ; n++ {
		if p.next.kind != Word && !IsKeyword(p.next.kind) {
			p.report(AttributeForm, "expected an attribute, but found %s", p.found()).Helped("attributes are `ro` and `tunable`: `key[ro, tunable] = value`")
			return false
		}
		if s.Has(OldStyle) && p.next.space {
			p.blankInAttributes()
			return false
		}
		if n > 0 {
			s.Flags |= Listed
		}
		s.Attrs.End = p.next.end
		p.advance()
		if s.Has(OldStyle) && p.next.space {
			p.blankInAttributes()
			return false
		}
		switch p.next.kind {
		case Close:
			p.advance()
			return true
		case Comma:
			p.advance()
		default:
			p.attributeEnd()
			return false
		}
	}
}

func (p *parser) blankInAttributes() {
	p.report(OldEntryBlank, "there is a blank within the attributes").Helped("write `:key[ro] value`, or `key[ro] = value`")
}

func (p *parser) attributeEnd() {
	if p.next.kind == token.Bad || p.next.kind == Word {
		p.report(AttributeForm, "expected `,` or `]` after an attribute, but found %s", p.found())
		return
	}
	p.report(AttributeForm, "the attributes are not closed: expected `]`, but found %s", p.found())
}
