package syntax

// tunable reads `NAME VALUE;` or `{ NAME VALUE; … }`.
func (p *parser) tunable(d *Def) {
	if p.kind() != BraceOpen {
		if pair, ok := p.pair(); ok {
			d.Pairs = append(d.Pairs, pair)
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
		case p.pos >= p.tree.tokens.Len() || p.atDefinition():
			p.missing("the definition is not closed with `}`")
			return
		case k == Semicolon:
			p.extraSemicolon()
		default:
			pair, ok := p.pair()
			if ok {
				d.Pairs = append(d.Pairs, pair)
			} else if p.kind() != BraceClose && p.kind() != Semicolon && p.pos < p.tree.tokens.Len() && !p.atDefinition() {
				p.next()
			}
		}
	}
}

// pair reads `NAME VALUE;`.
func (p *parser) pair() (Pair, bool) {
	switch p.kind() {
	case String:
	case OpenString:
		p.openString(p.pos)
		p.next()
		return Pair{}, false
	default:
		if !p.bad {
			p.tree.problems.Report(MissingValue, p.tree.Span(min(p.pos, p.tree.tokens.Len()-1)), "a tunable constant has a name in quotes here").
				Helped("for instance `tunable_constant \"maxEval\" 3;`")
		}
		p.bad = true
		if p.kind() == Word && !p.atDefinition() {
			p.next()
		}
		return Pair{}, false
	}
	pair := Pair{Name: p.next(), Value: -1}
	if values := p.values(); len(values) > 0 {
		pair.Value = values[0]
	} else if !p.bad {
		p.bad = true
		p.tree.problems.Report(MissingValue, p.tree.Span(pair.Name), "the tunable constant `%s` has no value", short(p.tree.Text(pair.Name))).
			Helped("write a number after it, and `;`")
	}
	if p.kind() == Semicolon {
		p.next()
	} else if !p.bad {
		p.bad = true
		p.tree.problems.Report(MissingSemicolon, p.tree.Span(p.lastInk()), "the setting does not end in `;`").
			Labelled("after this").Helped("write `;` here")
	}
	return pair, true
}

// list reads `NAME { STRING … }`.
func (p *parser) list(d *Def) {
	if p.kind() == String || p.kind() == Word && !p.atDefinition() {
		d.Name = p.next()
	} else if !p.bad {
		p.bad = true
		p.tree.problems.Report(MissingValue, p.tree.Span(d.Keyword), "the list has no name").Helped("write it in quotes: `list \"Practice\" { … }`")
	}
	if !p.open() {
		return
	}
	for {
		switch p.kind() {
		case String, Number, Word:
			if p.atDefinition() && p.looksLikeDefinition() {
				p.close()
				return
			}
			d.Items = append(d.Items, p.next())
		case OpenString:
			p.openString(p.pos)
			d.Items = append(d.Items, p.next())
		case OddNumber:
			p.oddNumber()
			p.next()
		case Other:
			p.oddCharacter()
		case Semicolon:
			p.extraSemicolon()
		default:
			p.close()
			p.afterBrace()
			return
		}
	}
}

// opaque keeps a definition that begins with another word: up to the end of its
// braces, or to a semicolon outside of them.
func (p *parser) opaque(d *Def) {
	d.Opaque = true
	depth := 0
	for p.pos < p.tree.tokens.Len() {
		if depth == 0 && p.atDefinition() {
			return
		}
		switch p.kind() {
		case BraceOpen:
			depth++
		case BraceClose:
			if depth--; depth <= 0 {
				p.next()
				p.afterBrace()
				return
			}
		case Semicolon:
			if depth == 0 {
				p.next()
				return
			}
		}
		p.next()
	}
}
