package expr

import (
	"strings"

	"github.com/pentode-dev/pentode/core/problem"
)

// refMode says where a reference stands.
type refMode uint8

const (
	inOperation refMode = iota
	inString            // of the documented dialect: a blank ends the reference
	bare                // without `$` and braces, up to the end of the text
)

// reference reads a reference and appends its load to c.
func (p *parser) reference(c *code, mode refMode) *Error {
	start := p.pos
	braced := mode == bare
	if mode != bare {
		p.pos++
		if p.peek() == '{' {
			p.pos++
			braced = true
		}
	}
	gap := func() {
		if braced || mode == inOperation || p.dialect == Upstream {
			p.blanks()
		}
	}
	if braced {
		p.blanks()
	}
	if err := p.enter(); err != nil {
		return err
	}
	slot := len(p.refs)
	p.refs = append(p.refs, reference{}) // before those in its subscripts
	var r reference
	r.Offset, r.NameOffset = start, p.pos
	name, err := p.name("a name")
	if err != nil {
		return err
	}
	r.Name = name
	end := p.pos // before blanks
	gap()
	for p.peek() == '[' || p.peek() == '.' {
		at := p.pos
		p.pos++
		st, err := p.step(&r, at)
		if err != nil {
			return err
		}
		end = p.pos
		st.span = p.from(at)
		r.steps = append(r.steps, st)
		r.Path[len(r.Path)-1].End = p.pos
		gap()
	}
	if p.peek() == ':' && (braced || p.dialect == Upstream) {
		p.formatSpec(&r, mode, braced)
		end = p.pos
	} else if p.peek() == ':' {
		p.lint(DialectsDiffer, p.here(), "", "upstream reads what follows `:` as a format spec even without braces")
	}
	if braced && mode != bare {
		if p.peek() != '}' {
			return p.here().fail(ValueError, "expected `}` to end the reference to `%s`, found %s", r.Name, p.found()).as("Expected '}', found %s", p.next())
		}
		p.pos++
		end = p.pos
	}
	r.End = end
	p.depth--
	p.refs[slot] = r
	c.ins = append(c.ins, instr{from: fromCell, plain: len(r.steps) == 0, ref: int32(slot), span: span{int32(start), int32(end)}})
	if mode == inString {
		p.pos = end // the blanks belong to the string
	}
	return nil
}

func (p *parser) name(what string) (string, *Error) {
	start := p.pos
	if !nameStart(p.peek()) {
		hint := ""
		if p.dialect == Documented && start > 0 && p.text[start-1] == '$' {
			hint = "; a `$` that is text is written `\\$`"
		} else if start > 0 && p.text[start-1] == '.' {
			hint = "; put the reference in braces, `${…}`, if the dot is text"
		}
		return "", p.here().fail(ValueError, "expected %s after `%s`, found %s%s", what, p.before(), p.found(), hint).
			as("Invalid first ID character: %s", p.next())
	}
	for nameByte(p.peek()) {
		p.pos++
	}
	return p.text[start:p.pos], nil
}

// before returns the character before the position, blanks left out.
func (p *parser) before() string {
	s := strings.TrimRight(p.text[:p.pos], " \t\n\v\f\r")
	if s == "" {
		return "%{"
	}
	if strings.HasSuffix(s, "${") {
		return "${"
	}
	return s[len(s)-1:]
}

// step reads a subscript or a member, whose first character has been read.
func (p *parser) step(r *reference, at int) (step, *Error) {
	p.blanks()
	if p.text[at] == '.' {
		name, err := p.name("a member's name")
		r.Path = append(r.Path, Step{Offset: at, Member: name})
		return step{member: name}, err
	}
	c, lints := new(code), len(p.lints)
	if err := p.operation(c, 1); err != nil {
		return step{}, err
	}
	if p.peek() != ']' {
		return step{}, p.here().fail(ValueError, "expected an operator or `]`, found %s", p.found()).as("Expected ']', found %s", p.next())
	}
	p.pos++
	c.measure()
	s := Step{Offset: at}
	if v, ok := c.literal(); ok {
		s.Index, s.Const = v.long()
		p.lints = p.lints[:lints] // as an index 1 and 1.0 are the same
	}
	r.Path = append(r.Path, s)
	return step{index: c}, nil
}

// formatSpec reads `:` and the spec, which ends at the first `}` or with the text.
func (p *parser) formatSpec(r *reference, mode refMode, braced bool) {
	start := p.pos
	n := strings.IndexByte(p.text[start:], '}')
	if n < 0 || mode == bare {
		n = len(p.text) - start
	}
	p.pos += n
	r.HasSpec, r.Spec = true, p.text[start+1:p.pos]
	r.spec = parseSpec(r.Spec, start+1)
	if !braced {
		p.lint(DialectsDiffer, p.from(start), "", "the documented dialect reads a format spec only in braces: `${"+r.Name+problem.Clip(p.text[start:p.pos], problem.Short)+"}`")
	}
	if e := r.spec.err; e != nil {
		p.lint(BadFormat, span{int32(e.Offset), int32(e.End)}, "", e.Msg)
	}
}
