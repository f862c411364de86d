package expr

import "github.com/pentode-dev/pentode/core/problem"

// Kinds of lints.
const (
	NotAnOperator  problem.Kind = "not-an-operator" // looks like an operation, but is a text
	BadFormat      problem.Kind = "bad-format"      // a format spec that fits no value
	DialectsDiffer problem.Kind = "dialects-differ" // the two dialects read it differently
)

// A Lint points at something the author probably intended otherwise.
type Lint struct {
	Code        problem.Kind
	Offset, End int
	Msg         string
	Use         string // the whole expression in a spelling that works, if there is one
}

// maxLints bounds what one expression reports.
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
		p.lint(DialectsDiffer, span{int32(start), int32(start + documentedLen)}, "", "upstream reads a float only where a dot follows, so this is a text to it")
	case intLen > 0:
		p.lint(DialectsDiffer, span{int32(start), int32(start + intLen)}, "", "upstream reads this integer as a float because a dot follows later in the text")
	}
}

// lintText compares a text with what the other dialect makes of it.
func (p *parser) lintText(prog *Program) {
	all := span{0, int32(len(p.text))}
	if s, ok := prog.Literal(); ok && s == "off" {
		p.lint(DialectsDiffer, all, "Off", "`off` is not a boolean word to upstream")
		return
	}
	for _, l := range p.lints {
		if l.Code == DialectsDiffer {
			return // reported already
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
