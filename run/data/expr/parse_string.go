package expr

import "strings"

// str reads all of the text as a string.
func (p *parser) str() ([]part, *Error) {
	var parts []part
	var lit []byte // text read since the last part
	flush := func() {
		if len(lit) > 0 {
			parts = append(parts, part{text: string(lit)})
			lit = lit[:0]
		}
	}
	for p.pos < len(p.text) {
		n := strings.IndexAny(p.text[p.pos:], `\$`)
		if n < 0 {
			n = len(p.text) - p.pos
		}
		lit = append(lit, p.text[p.pos:p.pos+n]...)
		p.pos += n
		switch {
		case p.pos == len(p.text):
		case p.peek() == '\\':
			c, err := p.escape()
			if err != nil {
				return nil, err
			}
			lit = append(lit, c)
		default:
			flush()
			var c code
			var err *Error
			if strings.HasPrefix(p.text[p.pos:], "$(") {
				p.pos++
				err = p.paren(&c)
			} else {
				err = p.reference(&c, inString)
			}
			if err != nil {
				return nil, err
			}
			c.measure()
			parts = append(parts, part{code: c})
			p.blanksInString()
		}
	}
	flush()
	return parts, nil
}

// blanksInString passes over what upstream swallows after a reference.
func (p *parser) blanksInString() {
	start := p.pos
	p.blanks()
	if p.pos > start {
		p.lint(DialectsDiffer, p.from(start), "", "upstream drops the blanks after a reference")
	}
	if p.dialect == Documented {
		p.pos = start
	}
}

// escape reads a backslash. Upstream makes one backslash of it and of
// whatever character follows.
func (p *parser) escape() (byte, *Error) {
	start := p.pos
	var next byte
	if p.pos++; p.pos < len(p.text) {
		next = p.text[p.pos]
		p.pos++
	}
	if p.dialect == Upstream {
		if next != '\\' {
			p.lint(DialectsDiffer, p.from(start), "", "upstream reads `"+p.text[start:p.pos]+"` as one backslash")
		}
		return '\\', nil
	}
	switch next {
	case '\\':
		return next, nil
	case '$':
		p.lint(DialectsDiffer, p.from(start), "", "upstream reads `\\$` as one backslash")
		return next, nil
	}
	return 0, p.from(start).fail(ValueError, "a backslash stands only before `\\` and `$`: write `\\\\` for a backslash")
}
