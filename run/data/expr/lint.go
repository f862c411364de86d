package expr

import (
	"strings"

	"github.com/pentode-dev/pentode/core/problem"
)

// Kinds of lints.
const (
	NotAnOperator  problem.Kind = "not-an-operator" // looks like an operation, but is a text
	BadFormat      problem.Kind = "bad-format"      // a format spec that fits no value
	DialectsDiffer problem.Kind = "dialects-differ" // both dialects accept the text, but read it differently
)

// A Lint points at text that probably does not mean what the author intended.
type Lint struct {
	Code        problem.Kind
	Offset, End int
	Msg         string
	Use         string // the whole expression, corrected; empty if no correction is known
}

// maxLints limits the lints of one expression.
const maxLints = 20

func (p *parser) lint(code problem.Kind, at span, use, msg string) {
	if len(p.lints) < maxLints {
		p.lints = append(p.lints, Lint{code, int(at.off), int(at.end), msg, use})
	}
}

// lintNumber compares how the two dialects read the number at start.
func (p *parser) lintNumber(start int, rest string, intLen int) {
	_, documentedLen, marked := scanFloat(rest, false)
	marked = marked && documentedLen > 0
	documentedFloat, upFloat := marked, p.lastDot >= start
	switch {
	case documentedFloat == upFloat:
	case documentedFloat:
		p.lint(DialectsDiffer, span{int32(start), int32(start + documentedLen)}, "", "upstream reads a float only if it has a dot, so it reads this as text")
	case intLen > 0:
		p.lint(DialectsDiffer, span{int32(start), int32(start + intLen)}, "", "upstream reads this integer as a float because a dot follows later in the text")
	}
}

// lintText compares how the two dialects read a text.
func (p *parser) lintText(prog *Program) {
	all := span{0, int32(len(p.text))}
	if s, ok := prog.Literal(); ok && s == "off" {
		p.lint(DialectsDiffer, all, "Off", "`off` is not a boolean word in upstream's dialect")
		return
	}
	for _, l := range p.lints {
		if l.Code == DialectsDiffer {
			return // already reported
		}
	}
	other, name := Upstream, "upstream"
	if p.dialect == Upstream {
		other, name = Documented, "the documented dialect"
	}
	q := parser{text: p.text, dialect: other, lastDot: p.lastDot}
	q.blanks()
	if q.operation(new(code), 1) == nil && q.pos == len(q.text) {
		p.lint(DialectsDiffer, all, "", name+" reads this text as an operation")
	}
}

// lintOperators finds out whether a text was intended as an operation. It reads the text
// again as if some expected but missing operators existed. If the whole text is then an
// operation, it reports each such operator and suggests a working spelling.
func (p *parser) lintOperators() {
	const maxOperation = 1000 // longer texts are not operations
	if len(p.text) > maxOperation || !strings.ContainsAny(p.text, "$0123456789") {
		return
	}
	g := guess{parser: parser{text: p.text, dialect: p.dialect, lastDot: p.lastDot}}
	g.blanks()
	use, ok := g.operation(1)
	if !ok || g.pos < len(g.text) {
		return
	}
	for _, at := range g.found {
		sign := p.text[at.off:at.end]
		msg := "`" + sign + "` is not an operator, so the whole value is text; " + advice(sign)
		if g.lost {
			use = ""
		} else {
			msg += ": `" + use + "`"
		}
		p.lint(NotAnOperator, at, use, msg)
	}
}

func advice(sign string) string {
	switch sign {
	case "**", "^", "~":
		return "use `* / % + - < > = & |`"
	case "-", "+":
		return "a sign is allowed only before a digit; subtract from 0 instead"
	}
	return "write"
}

// A guess parses a text as an operation in which common operators that this language
// lacks are also allowed. Its functions return the text rewritten with existing
// operators.
type guess struct {
	parser
	found []span
	lost  bool // a part cannot be rewritten with existing operators
}

// operator returns the operator at the current position, how tightly it binds, and
// whether it exists.
func (g *guess) operator() (sign string, level int, exists bool) {
	rest := g.text[g.pos:]
	for _, o := range [...]struct {
		sign  string
		level int
	}{{"<=", 4}, {">=", 4}, {"!=", 3}, {"==", 3}, {"&&", 2}, {"||", 1}, {"**", 6}, {"^", 6}} {
		if strings.HasPrefix(rest, o.sign) {
			return o.sign, o.level, false
		}
	}
	for word, level := range map[string]int{"and": 2, "or": 1} {
		if after, ok := strings.CutPrefix(rest, word); ok && after != "" && strings.IndexByte(" \t($", after[0]) >= 0 {
			return word, level, false
		}
	}
	if _, l := operator(g.peek()); l > 0 {
		return rest[:1], l, true
	}
	return "", 0, false
}

func (g *guess) operation(level int) (string, bool) {
	x, ok := g.term()
	for ok {
		sign, l, exists := g.operator()
		if l < level || l == 0 {
			break
		}
		start := g.pos
		g.pos += len(sign)
		if !exists {
			g.found = append(g.found, g.from(start))
		}
		g.blanks()
		var y string
		if y, ok = g.operation(l + 1); ok {
			x = g.rewrite(sign, x, y)
		}
	}
	return x, ok
}

// rewrite returns `x sign y`, written with operators that exist.
func (g *guess) rewrite(sign, x, y string) string {
	const maxOperation = 2000 // operands may be written twice
	if len(x)+len(y) > maxOperation || sign == "**" || sign == "^" {
		g.lost = true
		return ""
	}
	switch sign {
	case "<=":
		return "(" + x + " < " + y + " | " + x + " = " + y + ")"
	case ">=":
		return "(" + x + " > " + y + " | " + x + " = " + y + ")"
	case "!=":
		return "((" + x + " = " + y + ") = 0)"
	case "==", "&&", "||":
		sign = sign[:1]
	case "and":
		sign = "&"
	case "or":
		sign = "|"
	}
	return x + " " + sign + " " + y
}

func (g *guess) term() (string, bool) {
	start := g.pos
	var c code
	switch g.peek() {
	case '(':
		if g.enter() != nil {
			return "", false
		}
		g.pos++
		g.blanks()
		x, ok := g.operation(1)
		if !ok || g.peek() != ')' {
			return "", false
		}
		g.pos++
		g.depth--
		g.blanks()
		return "(" + x + ")", true
	case '$':
		if g.reference(&c, inOperation) != nil {
			return "", false
		}
		g.blanks()
		return g.text[c.ins[0].off:c.ins[0].end], true
	}
	if g.number(&c) == nil {
		x := g.text[start:g.pos]
		g.blanks()
		return x, true
	}
	g.pos = start
	return g.prefix()
}

// prefix reads a unary operator, which PDI does not have.
func (g *guess) prefix() (string, bool) {
	sign := g.peek()
	if sign != '-' && sign != '+' && sign != '!' && sign != '~' || g.enter() != nil {
		return "", false
	}
	start := g.pos
	g.pos++
	g.found = append(g.found, g.from(start))
	g.blanks()
	x, ok := g.term()
	g.depth--
	switch sign {
	case '-':
		x = "(0 - " + x + ")"
	case '!':
		x = "(" + x + " = 0)"
	case '~':
		g.lost = true
	}
	return x, ok
}
