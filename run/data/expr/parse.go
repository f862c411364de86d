package expr

import (
	"strings"

	"github.com/pentode-dev/pentode/core/problem"
)

// The grammar, shared by both dialects:
//
//	EXPRESSION = OPERATION, if that is all of the text, else STRING
//	OPERATION  = TERM { OPERATOR TERM }     * / %  + -  < >  =  &  |   tightest first
//	TERM       = NUMBER | REFERENCE | "(" OPERATION ")"
//	STRING     = { character | escape | REFERENCE | "$(" OPERATION ")" }
//	REFERENCE  = "$" PATH | "${" PATH [ ":" spec ] "}"
//	PATH       = ID { "[" OPERATION "]" | "." ID }
//
// Blanks are free between the tokens of an operation.

// maxDepth bounds the nesting of parentheses and subscripts.
const maxDepth = 200

// maxLength bounds what one expression can cost.
const maxLength = 1 << 20

// Compile reads text as an expression.
func Compile(text string, d Dialect) (*Program, error) {
	if len(text) > maxLength {
		return nil, span{0, int32(len(text))}.fail(ValueError, "an expression of %d bytes is longer than any that is read, %d", len(text), maxLength)
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

// CompileReference reads text as a reference without its `$` and braces, as
// it stands in a logging pattern between `%{` and `}`.
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
	lastDot int // of the whole text
	depth   int
	tooDeep bool
	refs    []reference
	lints   []Lint
}

func blank(c byte) bool     { return c == ' ' || c-'\t' < 5 }
func nameStart(c byte) bool { return (c|0x20)-'a' < 26 || c == '_' }
func nameByte(c byte) bool  { return nameStart(c) || c-'0' < 10 }

// peek returns the next byte, 0 at the end.
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

// here is the span of the next character.
func (p *parser) here() span {
	end := p.pos
	for end < len(p.text) && (end == p.pos || p.text[end]&0xc0 == 0x80) {
		end++
	}
	return span{int32(p.pos), int32(end)}
}

// next is what the original program shows of the current position: one byte, or nothing at the
// end, where its message is cut off.
func (p *parser) next() string { return p.text[p.pos:min(p.pos+1, len(p.text))] }

// found describes what stands at the current position.
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

// operation appends the code of an operation whose operators are at least at level.
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

// paren reads a parenthesis and leaves what follows it alone.
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
	asFloat := marked // the documented dialect looks at the literal alone
	if p.dialect == Upstream {
		asFloat = p.lastDot >= p.pos // upstream at everything up to the end
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
