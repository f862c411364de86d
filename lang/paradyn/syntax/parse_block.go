package syntax

// blocks reads `[NAME] { … }`, also grouped.
func (p *parser) blocks(d *Def) {
	if p.kind() == Word && !p.atDefinition() || p.kind() == String {
		d.Name = p.next()
	}
	if !p.open() {
		return
	}
	if p.kind() != BraceOpen {
		d.Blocks = append(d.Blocks, p.block(p.pos-1))
		p.afterBrace()
		return
	}
	d.Grouped = true
	for p.kind() == BraceOpen {
		first := p.next()
		d.Blocks = append(d.Blocks, p.block(first))
		p.afterBrace()
	}
	p.close()
	p.afterBrace()
}

// open wants a `{`.
func (p *parser) open() bool {
	if p.kind() == BraceOpen {
		p.next()
		return true
	}
	p.missing("there is no `{` here")
	p.recover()
	return false
}

// close wants a `}`.
func (p *parser) close() {
	if p.kind() == BraceClose {
		p.next()
		return
	}
	p.missing("the definition is not closed with `}`")
}

// missing reports a missing brace behind the last token that means something.
func (p *parser) missing(message string) {
	if !p.bad {
		at := p.lastInk()
		p.tree.problems.Report(MissingBrace, p.tree.Span(at), "%s", message).Labelled("after this")
	}
	p.bad = true
}

// afterBrace reports a semicolon behind a closing brace; the definition is good all the same.
func (p *parser) afterBrace() {
	if p.kind() == Semicolon && p.tree.Kind(p.lastInk()) == BraceClose {
		p.extraSemicolon()
	}
}

// recover moves to the next place where a definition can begin.
func (p *parser) recover() {
	depth := 0
	for p.pos < p.tree.tokens.Len() {
		if depth <= 0 && p.atDefinition() {
			return
		}
		switch p.kind() {
		case BraceOpen:
			depth++
		case BraceClose:
			depth--
			if depth <= 0 {
				p.next()
				return
			}
		case Semicolon:
			if depth <= 0 {
				p.next()
				return
			}
		}
		p.next()
	}
}

// block reads fields up to the closing brace.
func (p *parser) block(first int) Block {
	b := Block{}
	for {
		switch k := p.kind(); {
		case p.pos >= p.tree.tokens.Len() || p.atDefinition() && p.looksLikeDefinition():
			p.missing("the definition is not closed with `}`")
			b.Tokens = Range{first, p.lastInk() + 1}
			return b
		case k == BraceClose:
			b.Tokens = Range{first, p.pos + 1}
			p.next()
			return b
		case k == Word:
			b.Fields = append(b.Fields, p.field())
		case k == Semicolon:
			p.extraSemicolon()
		default:
			p.oddField()
		}
	}
}

// looksLikeDefinition tells a definition from the field `daemon "x";`.
func (p *parser) looksLikeDefinition() bool {
	i := p.pos + 1
	for i < p.tree.tokens.Len() {
		switch p.tree.Kind(i) {
		case Blank, Newline, Comment:
			i++
			continue
		case BraceOpen:
			return true
		}
		return p.tree.Text(p.pos) == "tunable_constant" || p.tree.Text(p.pos) == "list"
	}
	return false
}

// field reads `KEY VALUE;` or `KEY { VALUE … };`.
func (p *parser) field() Field {
	f := Field{Key: p.next()}
	if p.kind() == BraceOpen {
		f.List = true
		p.next()
		f.Values = p.values()
		if p.kind() == BraceClose {
			p.next()
		} else {
			p.missing("the list is not closed with `}`")
		}
	} else {
		f.Values = p.values()
	}
	if len(f.Values) == 0 && !f.List && !p.bad {
		p.bad = true
		p.tree.problems.Report(MissingValue, p.tree.Span(f.Key), "`%s` has no value", short(p.tree.Text(f.Key))).
			Helped("write it in quotes and end the field with `;`")
	}
	if p.kind() == Semicolon {
		p.next()
		return f
	}
	if n := len(f.Values); n > 0 && p.tree.Kind(f.Values[n-1]) == OpenString {
		return f // the semicolon is in the string that was not closed
	}
	if !p.bad {
		p.tree.problems.Report(MissingSemicolon, p.tree.Span(p.lastInk()), "the field does not end in `;`").
			Labelled("after this").Helped("write `;` here")
	}
	p.bad = true
	return f
}

// values reads strings, numbers and single words. A word is a value only where none
// came before it: another one is the next field's key.
func (p *parser) values() []int {
	var list []int
	for {
		switch k := p.kind(); k {
		case String, Number:
			list = append(list, p.next())
		case OpenString:
			p.openString(p.pos)
			list = append(list, p.next())
			return list
		case OddNumber:
			p.oddNumber()
			list = append(list, p.next())
		case Other:
			p.oddCharacter()
		case Word:
			if len(list) > 0 || p.atDefinition() && p.looksLikeDefinition() {
				return list
			}
			list = append(list, p.next())
		default:
			return list
		}
	}
}

func (p *parser) oddNumber() {
	p.bad = true
	p.tree.problems.Report(OddNumberCode, p.tree.Span(p.pos), "`%s` is not a number of this language", short(p.tree.Text(p.pos))).
		Helped("numbers are digits, perhaps with a dot and digits; they have no sign and no exponent")
}

// oddCharacter reports the first of a run of characters that mean nothing.
func (p *parser) oddCharacter() {
	if !p.bad {
		p.tree.problems.Report(OddCharacter, p.tree.Span(p.pos), "%s has no meaning here", quoted(p.tree.Text(p.pos)))
	}
	p.bad = true
	p.next()
}

// oddField moves over something that is no field.
func (p *parser) oddField() {
	switch p.kind() {
	case OpenString:
		p.openString(p.pos)
	case OddNumber:
		p.oddNumber()
	case Other:
		p.oddCharacter()
		return
	case BraceOpen:
		p.missing("a field is missing before this `{`")
		p.recover()
		return
	default:
		if !p.bad {
			p.tree.problems.Report(Stray, p.tree.Span(p.pos), "`%s` belongs to no field", short(p.tree.Text(p.pos))).
				Helped("a field is a keyword, its value and `;`")
		}
		p.bad = true
	}
	p.next()
}

// short keeps messages to a readable length.
func short(s string) string {
	if len(s) > 60 {
		return s[:57] + "…"
	}
	return s
}
