package expr

import (
	"strings"

	"github.com/pentode-dev/pentode/core/problem"
)

// The grammar, shared by both dialects:
//
//	EXPRESSION = OPERATION, if it spans the whole text, else STRING
//	OPERATION  = TERM { OPERATOR TERM }     * / %  + -  < >  =  &  |   tightest first
//	TERM       = NUMBER | REFERENCE | "(" OPERATION ")"
//	STRING     = { character | escape | REFERENCE | "$(" OPERATION ")" }
//	REFERENCE  = "$" PATH | "${" PATH [ ":" spec ] "}"
//	PATH       = ID { "[" OPERATION "]" | "." ID }
//
// Blanks are allowed between the tokens of an operation.

// maxDepth limits the nesting of parentheses and subscripts.
const maxDepth = 200

// maxLength limits the cost of one expression.
const maxLength = 1 << 20

// Compile reads text as an expression.
func Compile(text string, d Dialect) (*Program, error) {
	if len(text) > maxLength {
		return nil, span{0, int32(len(text))}.fail(ValueError, "an expression of %d bytes is too long: the limit is %d", len(text), maxLength)
	}
	p := parser{text: text, dialect: d, lastDot: strings.LastIndexByte(text, '.')}
	prog := &Program{text: text, dialect: d}
	p.blanks()
	err := p.operation(&prog.code, 1)
	if err == nil {
		p.blanks()
	}
	if err == nil && p.pos == len(text) {
		prog.form = prog.code.form()
		prog.code.measure()
	} else if p.tooDeep {
		return nil, err
	} else {
		p = parser{text: text, dialect: d, lastDot: p.lastDot}
		prog.code, prog.form = code{}, Text
		if prog.parts, err = p.str(); err != nil {
			return nil, err
		}

		p.lintOperators()
		p.lintText(prog)
	}
	prog.refs, prog.lints = p.refs, p.lints
	return prog, nil
}

// CompileReference reads text as a reference without its `$` and braces, as in a logging
// pattern between `%{` and `}`.
func CompileReference(text string, d Dialect) (*Program, error) {
	p := parser{text: text, dialect: d, lastDot: strings.LastIndexByte(text, '.')}
	prog := &Program{text: text, dialect: d, form: Reference}
	if err := p.reference(&prog.code, bare); err != nil {
		return nil, err
	}
	if p.pos < len(text) {
		return nil, p.here().fail(ValueError, "expected a subscript, a member or `:` after `%s`, found `%s`",
			problem.Clip(text[:p.pos], problem.Short), problem.Clip(text[p.pos:], problem.Short))
	}
	prog.code.measure()
	prog.refs, prog.lints = p.refs, p.lints
	return prog, nil
}

func (c *code) form() Form {
	v, ok := c.literal()
	switch {
	case ok && v.kind.Float():
		return FloatLiteral
	case ok:
		return IntLiteral
	case c.single() >= 0:
		return Reference
	}
	return Operation
}

type parser struct {
	text    string
	pos     int
	dialect Dialect
	lastDot int // the position of the last dot in the whole text
	depth   int
	tooDeep bool
	refs    []reference
	lints   []Lint
}

func blank(c byte) bool     { return c == ' ' || c-'\t' < 5 }
func nameStart(c byte) bool { return (c|0x20)-'a' < 26 || c == '_' }
func nameByte(c byte) bool  { return nameStart(c) || c-'0' < 10 }

// peek returns the next byte, or 0 at the end.
func (p *parser) peek() byte {
	if p.pos < len(p.text) {
		return p.text[p.pos]
	}
	return 0
}

func (p *parser) blanks() {
	for p.pos < len(p.text) && blank(p.text[p.pos]) {
		p.pos++
	}
}

func (p *parser) from(start int) span { return span{int32(start), int32(p.pos)} }

// here returns the span of the next character.
func (p *parser) here() span {
	end := p.pos
	for end < len(p.text) && (end == p.pos || p.text[end]&0xc0 == 0x80) {
		end++
	}
	return span{int32(p.pos), int32(end)}
}

// next returns what the original program shows in messages as the current position: one byte,
// or nothing at the end of the text.
func (p *parser) next() string { return p.text[p.pos:min(p.pos+1, len(p.text))] }

// found describes the text at the current position.
func (p *parser) found() string {
	if p.pos >= len(p.text) {
		return "the end of the text"
	}
	at := p.here()
	return "`" + p.text[at.off:at.end] + "`"
}

func (p *parser) enter() *Error {
	if p.depth++; p.depth > maxDepth {
		p.tooDeep = true
		return p.here().fail(ValueError, "nested more than %d levels deep", maxDepth)
	}
	return nil
}

// operation appends the code of an operation whose operators have at least the given level.
func (p *parser) operation(c *code, level int) *Error {
	start := p.pos
	if err := p.term(c); err != nil {
		return err
	}
	for {
		op, l := operator(p.peek())
		if l < level || l == 0 {
			return nil
		}
		p.pos++
		p.blanks()
		right := len(c.ins)
		if err := p.operation(c, l+1); err != nil {
			return err
		}
		end := p.pos
		for blank(p.text[end-1]) {
			end--
		}
		c.combine(op, right, span{int32(start), int32(end)})
	}
}

func (p *parser) term(c *code) *Error {
	var err *Error
	switch p.peek() {
	case '(':
		err = p.paren(c)
	case '$':
		err = p.reference(c, inOperation)
	default:
		err = p.number(c)
	}
	if err == nil {
		p.blanks()
	}
	return err
}

// paren reads a parenthesized operation.
func (p *parser) paren(c *code) *Error {
	if err := p.enter(); err != nil {
		return err
	}
	p.pos++
	p.blanks()
	if err := p.operation(c, 1); err != nil {
		return err
	}
	if p.peek() != ')' {
		e := p.here().fail(ValueError, "expected an operator or `)`, found %s", p.found()).as("Expected ')', found '%s", p.next())
		if p.pos < len(p.text) {
			e.Upstream += "'"
		}
		return e
	}
	p.pos++
	p.depth--
	return nil
}

func (p *parser) number(c *code) *Error {
	start, rest := p.pos, p.text[p.pos:]
	i, intLen, fits := scanInt(rest)
	f, floatLen, marked := scanFloat(rest, p.dialect == Upstream)
	asFloat := marked // in the documented dialect, a literal is a float if it has a dot or an exponent
	if p.dialect == Upstream {
		asFloat = p.lastDot >= p.pos // in the original program, a number is a float if a dot follows anywhere in the text
	}
	switch {
	case asFloat && floatLen > 0:
		p.pos += floatLen
		c.ins = append(c.ins, instr{val: Float(f), from: fromSelf, span: p.from(start)})
	case asFloat || intLen == 0:
		what := "integer"
		if asFloat {
			what = "double"
		}
		return p.here().fail(ValueError, "expected a number, a reference or `(`, found %s", p.found()).as("Expected %s, found `%s'", what, rest)
	case !fits:
		p.pos += intLen
		return p.from(start).fail(ValueError, "`%s` does not fit a 64-bit integer", problem.Clip(p.text[start:p.pos], problem.Short)).
			as("Value too large for PDI integers: %s", p.text[p.pos:])
	default:
		p.pos += intLen
		c.ins = append(c.ins, instr{val: Int(i), from: fromSelf, span: p.from(start)})
	}
	p.lintNumber(start, rest, intLen)
	return nil
}

// refMode says where a reference is written.
type refMode uint8

const (
	inOperation refMode = iota
	inString            // in a string of the documented dialect: a blank ends the reference
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
	p.refs = append(p.refs, reference{}) // reserve the index before subscripts add references of their own
	var r reference
	r.Offset, r.NameOffset = start, p.pos
	name, err := p.name("a name")
	if err != nil {
		return err
	}
	r.Name = name
	end := p.pos // the end of the reference, if only blanks follow
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
		p.pos = end // blanks after the reference belong to the string
	}
	return nil
}

func (p *parser) name(what string) (string, *Error) {
	start := p.pos
	if !nameStart(p.peek()) {
		hint := ""
		if p.dialect == Documented && start > 0 && p.text[start-1] == '$' {
			hint = "; write `\\$` for a literal `$`"
		} else if start > 0 && p.text[start-1] == '.' {
			hint = "; put the reference in braces, `${…}`, if the dot is literal text"
		}
		return "", p.here().fail(ValueError, "expected %s after `%s`, found %s%s", what, p.before(), p.found(), hint).
			as("Invalid first ID character: %s", p.next())
	}
	for nameByte(p.peek()) {
		p.pos++
	}
	return p.text[start:p.pos], nil
}

// before returns the last character before the position that is not a blank.
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
		p.lints = p.lints[:lints] // drop lints of the subscript: as an index, 1 and 1.0 mean the same
	}
	r.Path = append(r.Path, s)
	return step{index: c}, nil
}

// formatSpec reads `:` and the spec, which ends at the first `}` or at the end of the text.
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

// str reads the whole text as a string.
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

// blanksInString skips the blanks that upstream drops after a reference.
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

// escape reads a backslash escape. Upstream turns a backslash and any character after it into
// one backslash.
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
	return 0, p.from(start).fail(ValueError, "a backslash is allowed only before `\\` and `$`: write `\\\\` for a literal backslash")
}
