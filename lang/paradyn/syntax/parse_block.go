package syntax

import "github.com/pentode-dev/pentode/core/diag"

// definitionBlocks reads `[NAME] { … }`, and groups of blocks.
func (p *parser) definitionBlocks(d *Def) {
	if k := p.kind(); k == String || k == Word && !p.begins(p.pos) && p.tree.Kind(p.ink(p.pos+1)) != String {
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
	if !p.ends() {
		p.recover(1)
	}
}

// ends reports whether the definition ends here: at the end of the text, or where the next
// definition begins.
func (p *parser) ends() bool { return !p.more() || p.begins(p.pos) }

// brace expects a `{`.
func (p *parser) brace() bool {
	if p.kind() == BraceOpen {
		p.next()
		return true
	}
	if p.kind() == Other {
		p.odd(p.pos)
	} else {
		p.missing("there is no `{` here")
	}
	p.recover(0)
	return false
}

// missing reports that a brace is missing after the last token. It does not if an open string may
// contain the brace.
func (p *parser) missing(message string) *diag.Diagnostic {
	var d *diag.Diagnostic
	if !p.open {
		d = p.report(MissingBrace, p.tree.TokenSpan(p.last), "%s", message).Labelled("after this")
	}
	p.bad = true
	return d
}

// unclosed reports a definition without its closing brace. In a sequence of empty ones, only the
// first is reported, with the number of the others.
func (p *parser) unclosed(empty bool) {
	p.missingBraces++
	if empty && p.empty != nil {
		p.moreEmpty++
		p.bad = true
		return
	}
	p.endEmpty()
	if d := p.missing("the definition is not closed with `}`"); empty {
		p.empty = d
	}
}

// endEmpty ends a sequence of empty definitions and notes how many there were.
func (p *parser) endEmpty() {
	if p.empty != nil && p.moreEmpty > 0 {
		p.empty.Note("%d more definitions after it are not closed either", p.moreEmpty)
	}
	p.empty, p.moreEmpty = nil, 0
}

// afterBrace reports a semicolon after a closing brace. The definition before it is still valid.
func (p *parser) afterBrace() {
	if p.kind() == Semicolon && p.tree.Kind(p.last) == BraceClose {
		p.extraSemicolons()
	}
}

// recover moves to the next place where a definition can begin, past the braces in between. If
// fields follow, it stops there: they belong to the enclosing block, so only a closing brace was
// missing.
func (p *parser) recover(depth int) {
	for base := depth; p.more() && (depth > base || !p.begins(p.pos)); {
		switch p.tree.Kind(p.next()) {
		case BraceOpen:
			depth++
		case BraceClose:
			// A list among the fields of a block ends in `;`.
			if depth--; depth < 0 || depth == 0 && (base > 0 || p.kind() != Semicolon) {
				return
			}
		case Semicolon:
			if depth <= 0 && !p.fieldFollows() {
				return
			}
		}
	}
	p.missingBraces += max(0, depth)
}

// fieldFollows reports whether a field in a known form follows, or the brace after the last field.
func (p *parser) fieldFollows() bool {
	if p.kind() != Word || p.begins(p.pos) {
		return p.kind() == BraceClose
	}
	value := p.ink(p.pos + 1)
	switch p.tree.Kind(value) {
	case String, BraceOpen:
		return true
	case Word:
		return p.tree.Kind(p.ink(value+1)) == Semicolon
	}
	return false
}

// block reads fields up to the closing brace; first is the opening brace.
func (p *parser) block(first int) Block {
	b := Block{}
	start := len(p.fields)
	for done := false; !done; {
		switch k := p.kind(); {
		case p.ends():
			if n := len(p.fields); n > start && p.fields[n-1].Unclosed {
				p.missingBraces += 2 // the brace of the enclosing definition is missing too, but one report is enough
			} else {
				p.unclosed(n == start && !p.bad)
			}
			b.Broken, done = true, true
		case k == BraceClose:
			p.endEmpty()
			p.next()
			done = true
		case k == Word:
			p.endEmpty()
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
	b.Tokens = Range{First: int32(first), End: int32(p.last + 1)}
	return b
}

// field reads `KEY VALUE;` or `KEY { VALUE … };`.
func (p *parser) field() Field {
	p.bad = false
	f := Field{Key: p.next()}
	if p.kind() == BraceOpen {
		f.List = true
		p.next()
		p.instead = " "
		f.Values = p.values(true, false)
		p.instead = ";"
		switch p.kind() {
		case BraceClose:
			p.next()
		case BraceOpen:
			p.missing("a list has no inner braces")
			p.recover(1)
		default:
			p.missing("the list is not closed with `}`")
			f.Unclosed = p.ends()
		}
	} else {
		f.Values = p.values(false, false)
	}
	if len(f.Values) == 0 && !f.List && !p.bad {
		p.bad = true
		p.report(MissingValue, p.tree.TokenSpan(f.Key), "`%s` has no value", p.tree.Text(f.Key)).
			Helped("write it in quotes and end the field with `;`")
	}
	p.semicolon("the field")
	f.Broken = p.bad
	return f
}

// semicolon expects the `;` that ends a field or a setting.
func (p *parser) semicolon(what string) {
	switch {
	case p.kind() == Semicolon:
		p.next()
	case p.tree.Kind(p.last) == OpenString: // the open string contains the semicolon
	case !p.bad:
		p.bad = true
		d := p.report(MissingSemicolon, p.tree.TokenSpan(p.last), "%s does not end in `;`", what).Labelled("after this").Helped("write `;` here")
		after := d.Span
		after.Start = after.End
		d.Fix(true, "write `;`", insert(after, ";"))
	}
}

// values reads strings, numbers and single words. Outside braces, only the first word is a value,
// because a later one is the key of the next field. In braces, any number of words are values.
// Other text is reported as a wrong number if numbers is set, else as a string without quotes.
func (p *parser) values(braces, numbers bool) []int {
	start := len(p.indices)
	for done := false; !done; {
		k := p.kind()
		key := k == Word && (p.begins(p.pos) || !braces && len(p.indices) > start && !p.anotherWord())
		if at := p.pos; !numbers && !key && touches(k) && p.unquoted() {
			p.indices = append(p.indices, at)
			continue
		}
		switch k {
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
			if done = key; !done {
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

// anotherWord reports whether the word here is a second value, as in `pvm cm5;`, and not a key.
func (p *parser) anotherWord() bool {
	return p.tree.Kind(p.last) == Word && p.tree.Kind(p.ink(p.pos+1)) == Semicolon
}

// separates reports whether the semicolons here separate values, so that another value or the end
// of the list follows.
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
	p.report(OddNumberCode, p.tree.TokenSpan(p.pos), "`%s` is not a number of this language", p.tree.Text(p.pos)).
		Helped("numbers are digits, perhaps with a dot and digits; they have no sign and no exponent")
}

// oddCharacter reports the first character of a sequence without meaning.
func (p *parser) oddCharacter() {
	if !p.bad {
		p.odd(p.pos)
	}
	p.bad = true
	p.next()
}

// oddField moves past text that is not a field.
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
		p.recover(0)
		return
	default:
		if !p.bad {
			p.report(Stray, p.tree.TokenSpan(p.pos), "`%s` belongs to no field", p.tree.Text(p.pos)).
				Helped("a field is a keyword, its value and `;`")
		}
		p.bad = true
	}
	p.next()
	if p.kind() == Semicolon {
		p.next()
	}
}
