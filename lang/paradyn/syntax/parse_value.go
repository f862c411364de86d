package syntax

import "github.com/pentode-dev/pentode/core/source"

func insert(at source.Span, text string) source.Edit { return source.Edit{Span: at, Text: text} }

// tunable reads `NAME VALUE;` or `{ NAME VALUE; … }`.
func (p *parser) tunable(d *Def) {
	if p.kind() != BraceOpen {
		if pair, ok := p.pair(); ok {
			d.Pairs = append(d.Pairs, pair)
		} else {
			d.Broken = true
			p.recoverPair()
		}
		return
	}
	p.next()
	d.Grouped = true
	for {
		switch k := p.kind(); {
		case k == BraceClose:
			p.next()
			p.afterBrace()
			return
		case p.ends():
			d.Broken = true
			p.missing("the group is not closed with `}`")
			p.missingBraces++
			return
		case k == Semicolon:
			p.extraSemicolons()
		case k == BraceOpen:
			d.Broken = true
			p.missing("a group of tunable constants has no inner braces")
			p.recover(1)
			return
		default:
			if pair, ok := p.pair(); ok {
				d.Pairs = append(d.Pairs, pair)
			} else {
				d.Broken = true
				p.recoverPair()
			}
		}
	}
}

// recoverPair moves past the next semicolon, or to the end of the group.
func (p *parser) recoverPair() {
	for p.more() && p.kind() != BraceClose && !p.begins(p.pos) {
		if p.tree.Kind(p.next()) == Semicolon {
			return
		}
	}
}

// unquotedName reports a name of a tunable constant without quotes.
func (p *parser) unquotedName() bool {
	p.bad = false
	if p.unquoted() {
		return true
	}
	if p.kind() != Word {
		return false
	}
	p.bad = true
	d := p.report(NotQuoted, p.tree.TokenSpan(p.pos), "the name of a tunable constant must be in quotes")
	d.Helped("write `\"%s\"`", d.Span.Text()).Replace(true, `"`+d.Span.Text()+`"`)
	return true
}

// pair reads `NAME VALUE;`.
func (p *parser) pair() (Pair, bool) {
	p.bad, p.open = false, false
	switch p.kind() {
	case String:
	case OpenString:
		p.openString(p.pos)
		p.next()
		return Pair{}, false
	default:
		if k := p.kind(); (k == Word || k == Other) && !p.begins(p.pos) && p.unquotedName() {
			return Pair{}, false
		}
		at := p.pos
		if p.ends() {
			at = p.last
		}
		p.bad = true
		d := p.report(MissingValue, p.tree.TokenSpan(at), "a tunable constant needs a name in quotes here").
			Helped("for instance `tunable_constant \"maxEval\" 3;`")
		if at == p.last {
			d.Labelled("after this")
		}
		return Pair{}, false
	}
	pair := Pair{Name: p.next(), Value: -1}
	values := p.values(false, true)
	if len(values) > 0 {
		pair.Value = values[0]
	} else if !p.bad {
		p.bad = true
		p.report(MissingValue, p.tree.TokenSpan(pair.Name), "the tunable constant `%s` has no value", p.tree.Text(pair.Name)).
			Helped("write a number after it, and `;`")
	}
	if len(values) > 1 && !p.bad {
		p.bad = true
		p.report(MissingSemicolon, p.tree.TokenSpan(values[0]), "the setting does not end in `;`").
			Labelled("after this").Helped("a tunable constant has one value")
	}
	p.semicolon("the setting")
	pair.Broken = p.bad
	return pair, true
}

// list reads `NAME { STRING … }`.
func (p *parser) list(d *Def) {
	if k := p.kind(); k == String || k == Word && !p.begins(p.pos) {
		d.Name = p.next()
	} else {
		p.bad = true
		p.report(MissingValue, p.tree.TokenSpan(d.Keyword), "the list has no name").Helped("write it in quotes: `list \"Practice\" { … }`")
	}
	if !p.brace() {
		return
	}
	start := len(p.indices)
	p.instead = " "
	for done := false; !done; {
		switch k := p.kind(); {
		case p.ends():
			p.missing("the list is not closed with `}`")
			p.missingBraces++
			done = true
		case k == BraceClose:
			p.next()
			p.afterBrace()
			done = true
		case k == String:
			p.indices = append(p.indices, p.next())
		case k == OpenString:
			p.openString(p.pos)
			p.next()
		case touches(k) && p.unquoted():
		case k == Number, k == Word:
			p.indices = append(p.indices, p.next())
		case k == Semicolon:
			p.extraSemicolons()
		case k == Other:
			p.oddCharacter()
		default:
			p.missing("a list has no inner braces")
			p.recover(1)
			done = true
		}
	}
	d.Items = p.indices[start:len(p.indices):len(p.indices)]
}

// opaque keeps the text of a definition that begins with an unknown keyword.
// The definition ends at its closing brace, or at a semicolon outside of
// braces.
func (p *parser) opaque(d *Def) {
	d.Opaque = true
	depth := 0
	for p.more() {
		if depth == 0 && p.begins(p.pos) {
			return
		}
		switch p.kind() {
		case BraceOpen:
			depth++
		case BraceClose:
			if depth--; depth <= 0 {
				p.next()
				if p.kind() == Semicolon {
					p.next()
				}
				return
			}
		case Semicolon:
			if depth == 0 {
				p.next()
				return
			}
		case Other:
			if p.code() {
				continue
			}
		}
		p.next()
	}
}

// code moves past `(* … *)`. Braces inside it are ignored.
func (p *parser) code() bool {
	if p.codeEnds || p.tree.Tokens().At(p.pos) != "(" || p.pos+1 >= p.tree.Tokens().Len() || p.tree.Tokens().At(p.pos+1) != "*" {
		return false
	}
	for i := p.pos + 2; i+1 < p.tree.Tokens().Len(); i++ {
		if p.tree.Kind(i) == Other && p.tree.Tokens().At(i) == "*" && p.tree.Tokens().At(i+1) == ")" {
			p.pos = i + 1
			p.next()
			return true
		}
	}
	p.codeEnds = true
	return false
}
