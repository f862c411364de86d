package syntax

// definitionBlocks reads `[NAME] { … }`, also grouped.
func (p *parser) definitionBlocks(d *Def) {
	if k := p.kind(); k == String || k == Word && !p.begins(p.pos) {
		d.Name = p.next()
	}
	first := p.pos
	if !p.brace() {
		d.Broken = true
		return
	}
	start := len(p.blocks)
	if p.kind() != BraceOpen {
		p.blocks = append(p.blocks, p.block(first))
		d.Blocks = p.blocks[start:len(p.blocks):len(p.blocks)]
		p.afterBrace()
		return
	}
	d.Grouped = true
	for p.kind() == BraceOpen {
		p.bad, p.open = false, false
		p.blocks = append(p.blocks, p.block(p.next()))
		p.afterBrace()
	}
	d.Blocks = p.blocks[start:len(p.blocks):len(p.blocks)]
	if p.kind() == BraceClose {
		p.next()
		p.afterBrace()
		return
	}
	d.Broken = true
	p.missing("the group is not closed with `}`")
}

// brace wants a `{`.
func (p *parser) brace() bool {
	if p.kind() == BraceOpen {
		p.next()
		return true
	}
	p.missing("there is no `{` here")
	p.recover()
	return false
}

// missing reports a missing brace behind the last token that means something, unless
// an open string has swallowed it.
func (p *parser) missing(message string) {
	if !p.open {
		p.report(MissingBrace, p.tree.Span(p.last), "%s", message).Labelled("after this")
	}
	p.bad = true
}

// afterBrace reports a semicolon behind a closing brace; the definition is good all the same.
func (p *parser) afterBrace() {
	if p.kind() == Semicolon && p.tree.Kind(p.last) == BraceClose {
		p.extraSemicolons()
	}
}

// recover moves to the next place where a definition can begin.
func (p *parser) recover() {
	depth := 0
	for p.more() {
		if depth <= 0 && p.begins(p.pos) {
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

// block reads fields up to the closing brace; first is the opening one.
func (p *parser) block(first int) Block {
	b := Block{}
	start := len(p.fields)
	for done := false; !done; {
		switch k := p.kind(); {
		case !p.more() || p.begins(p.pos):
			p.missing("the definition is not closed with `}`")
			b.Broken, done = true, true
		case k == BraceClose:
			p.next()
			done = true
		case k == Word:
			p.fields = append(p.fields, p.field())
		case k == Semicolon:
			p.extraSemicolons()
		default:
			p.oddField()
			b.Broken = true
		}
	}
	b.Fields = p.fields[start:len(p.fields):len(p.fields)]
	for i := range b.Fields {
		b.Broken = b.Broken || b.Fields[i].Broken
	}
	b.Garbled = p.garbled
	b.Tokens = Range{first, p.last + 1}
	return b
}

// field reads `KEY VALUE;` or `KEY { VALUE … };`.
func (p *parser) field() Field {
	p.bad = false
	f := Field{Key: p.next()}
	if p.kind() == BraceOpen {
		f.List = true
		p.next()
		f.Values = p.values(true)
		if p.kind() == BraceClose {
			p.next()
		} else {
			p.missing("the list is not closed with `}`")
		}
	} else {
		f.Values = p.values(false)
	}
	if len(f.Values) == 0 && !f.List && !p.bad {
		p.bad = true
		p.report(MissingValue, p.tree.Span(f.Key), "`%s` has no value", short(p.tree.Text(f.Key))).
			Helped("write it in quotes and end the field with `;`")
	}
	p.semicolon("the field")
	f.Broken = p.bad
	return f
}

// semicolon wants the `;` that ends a field or a setting.
func (p *parser) semicolon(what string) {
	switch {
	case p.kind() == Semicolon:
		p.next()
	case p.tree.Kind(p.last) == OpenString: // it is in the string that was not closed
	case !p.bad:
		p.bad = true
		d := p.report(MissingSemicolon, p.tree.Span(p.last), "%s does not end in `;`", what).Labelled("after this").Helped("write `;` here")
		after := d.Span
		after.Start = after.End
		d.Fix(true, "write `;`", insert(after, ";"))
	}
}

// values reads strings and numbers, and single words: a word is a value only where none came
// before it, because another one is the next field's key. In braces any number of words are values.
func (p *parser) values(braces bool) []int {
	start := len(p.indices)
	for done := false; !done; {
		switch k := p.kind(); k {
		case String, Number:
			p.indices = append(p.indices, p.next())
		case OpenString:
			p.openString(p.pos)
			p.indices = append(p.indices, p.next())
			done = true
		case OddNumber:
			p.oddNumber()
			p.indices = append(p.indices, p.next())
		case Other:
			p.oddCharacter()
		case Word:
			if done = p.begins(p.pos) || !braces && len(p.indices) > start; !done {
				p.indices = append(p.indices, p.next())
			}
		case Semicolon:
			if done = !braces || !p.separates(); !done {
				p.extraSemicolons()
			}
		default:
			done = true
		}
	}
	return p.indices[start:len(p.indices):len(p.indices)]
}

// separates tells whether the semicolons here stand between values: what follows is
// another value or the end of the list.
func (p *parser) separates() bool {
	i := p.pos
	for p.tree.Kind(i) == Semicolon {
		i = p.ink(i + 1)
	}
	switch p.tree.Kind(i) {
	case String, Number, BraceClose:
		return true
	}
	return false
}

func (p *parser) oddNumber() {
	p.bad = true
	p.report(OddNumberCode, p.tree.Span(p.pos), "`%s` is not a number of this language", short(p.tree.Text(p.pos))).
		Helped("numbers are digits, perhaps with a dot and digits; they have no sign and no exponent")
}

// oddCharacter reports the first of a run of characters that mean nothing.
func (p *parser) oddCharacter() {
	if !p.bad {
		p.odd(p.pos)
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
		p.missing("a field is missing before the `{` that follows")
		p.recover()
		return
	default:
		if !p.bad {
			p.report(Stray, p.tree.Span(p.pos), "`%s` belongs to no field", short(p.tree.Text(p.pos))).
				Helped("a field is a keyword, its value and `;`")
		}
		p.bad = true
	}
	p.next()
}
