package query

import (
	"fmt"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/pentode-dev/pentode/core/problem"
)

// The limits of a query.
const (
	maxText  = 64 << 10
	maxDepth = 100
)

// Parse reads a condition. Its error is an *Error.
func Parse(condition string) (*Query, error) {
	if len(condition) > maxText {
		return nil, &Error{0, 0, fmt.Sprintf("the query has %d bytes; the limit is %d", len(condition), maxText), ""}
	}
	p := &parser{lexer: lexer{text: condition}}
	root, err := p.all()
	if err != nil {
		return nil, err
	}
	return &Query{root}, nil
}

type parser struct {
	lexer
	token
	depth int
}

// all parses the whole text.
func (p *parser) all() (node, *Error) {
	if err := p.advance(); err != nil {
		return nil, err
	}
	if p.kind == end {
		return nil, p.wrong("the query is empty", "a query is a column, a sign and a value, such as `dur > 1ms`")
	}
	root, err := p.condition()
	if err != nil {
		return nil, err
	}
	switch {
	case p.kind == end:
		return root, nil
	case p.is(sign, ")"):
		return nil, p.wrong("this bracket was not opened", "remove it")
	}
	return nil, p.wrong(fmt.Sprintf("%s cannot follow a test", p.shown()), p.advise([]string{"and", "or"}, "join two tests with `and` or `or`"))
}

func (p *parser) advance() (err *Error) {
	p.token, err = p.next()
	return err
}

func (p *parser) is(k tokenKind, text string) bool { return p.kind == k && p.token.text == text }

func (p *parser) wrong(message, help string) *Error {
	return &Error{p.start, p.token.end, message, help}
}

// advise suggests the most similar name to the token, or other help.
func (p *parser) advise(names []string, otherwise string) string {
	if p.kind != word {
		return otherwise
	}
	return problem.Advise(p.token.text, names, otherwise)
}

// shown returns the token as messages show it.
func (p *parser) shown() string {
	if p.kind == end {
		return "the end of the query"
	}
	return "`" + problem.Clip(p.lexer.text[p.start:p.token.end], problem.Short) + "`"
}

func (p *parser) condition() (node, *Error) { return p.joined("or", p.and) }
func (p *parser) and() (node, *Error)       { return p.joined("and", p.not) }

// joined parses parts joined by a word.
func (p *parser) joined(by string, part func() (node, *Error)) (node, *Error) {
	first, err := part()
	if err != nil {
		return nil, err
	}
	list := []node{first}
	for p.is(word, by) {
		if err := p.advance(); err != nil {
			return nil, err
		}
		next, err := part()
		if err != nil {
			return nil, err
		}
		list = append(list, next)
	}
	if len(list) == 1 {
		return first, nil
	}
	return join{by == "and", list}, nil
}

func (p *parser) not() (node, *Error) {
	negated, bracket := p.is(word, "not"), p.is(sign, "(")
	if !negated && !bracket {
		return p.test()
	}
	if p.depth++; p.depth > maxDepth {
		return nil, p.wrong(fmt.Sprintf("brackets and `not` are nested more than %d deep", maxDepth), "")
	}
	defer func() { p.depth-- }()
	opened := p.token
	if err := p.advance(); err != nil {
		return nil, err
	}
	if negated {
		inner, err := p.not()
		return negation{inner}, err
	}
	inner, err := p.condition()
	if err != nil {
		return nil, err
	}
	if !p.is(sign, ")") {
		if p.kind == end {
			return nil, &Error{opened.start, opened.end, "this bracket is not closed", "write `)` after the condition"}
		}
		return nil, p.wrong(fmt.Sprintf("%s cannot follow a test", p.shown()), p.advise([]string{"and", "or"}, "join two tests with `and` or `or`, or close the bracket"))
	}
	return inner, p.advance()
}

// test parses a column, a sign and a value.
func (p *parser) test() (node, *Error) {
	if p.kind != word {
		return nil, p.wrong(fmt.Sprintf("a column is expected here, not %s", p.shown()), "the columns are "+strings.Join(names(), ", "))
	}
	c := find(p.token.text)
	if c == nil {
		return nil, p.wrong(fmt.Sprintf("there is no column %s", p.shown()), p.advise(append(names(), "not"), "the columns are "+strings.Join(names(), ", ")))
	}
	if err := p.advance(); err != nil {
		return nil, err
	}
	possible := []string{"=", "!=", "<", "<=", ">", ">=", "in"}
	if c.is == text {
		possible = []string{"=", "!=", "~", "!~", "in"}
	}
	op := p.token
	if known := op.kind == sign || p.is(word, "in"); !known || !slices.Contains(possible, op.text) {
		message := fmt.Sprintf("`%s` is %s, which %s cannot compare", c.name, c.is, p.shown())
		if !known {
			message = fmt.Sprintf("a sign is expected after `%s`, not %s", c.name, p.shown())
		}
		return nil, p.wrong(message, fmt.Sprintf("its signs are %s", strings.Join(possible, " ")))
	}
	if err := p.advance(); err != nil {
		return nil, err
	}
	switch {
	case op.text == "in":
		return p.list(c)
	case c.is != text:
		n, err := p.value(c)
		if err != nil {
			return nil, err
		}
		return numberTest{c, []interval{between(op.text, n)}, op.text == "!="}, nil
	case op.text == "~" || op.text == "!~":
		return p.pattern(c, op.text == "!~")
	}
	s, err := p.string(c)
	if err != nil {
		return nil, err
	}
	return textTest{c, []string{s}, op.text == "!="}, nil
}

// list parses the values after `in`.
func (p *parser) list(c *column) (node, *Error) {
	var texts []string
	var ranges []interval
	for {
		if c.is == text {
			s, err := p.string(c)
			if err != nil {
				return nil, err
			}
			texts = append(texts, s)
		} else {
			low, err := p.rangeOf(c)
			if err != nil {
				return nil, err
			}
			ranges = append(ranges, low)
		}
		if !p.is(sign, ",") {
			break
		}
		if err := p.advance(); err != nil {
			return nil, err
		}
	}
	if c.is == text {
		return textTest{c, texts, false}, nil
	}
	return numberTest{c, ranges, false}, nil
}

// rangeOf parses `3` or `0-3`.
func (p *parser) rangeOf(c *column) (interval, *Error) {
	first := p.start
	low, err := p.value(c)
	if err != nil || !p.is(sign, "-") {
		return interval{low, low}, err
	}
	if err := p.advance(); err != nil {
		return interval{}, err
	}
	last := p.token.end
	high, err := p.value(c)
	if err == nil && high < low {
		return interval{}, &Error{first, last, "this range runs backwards", "write the smaller one first"}
	}
	return interval{low, high}, err
}

// value parses a number or a time, according to the column's type.
func (p *parser) value(c *column) (int64, *Error) {
	if p.kind != literal {
		return 0, p.wrong(fmt.Sprintf("`%s` is %s, but %s is not", c.name, c.is, p.shown()), c.is.example())
	}
	digits := p.token.text
	var n int64
	var err error
	if c.is == span {
		var d time.Duration
		d, err = time.ParseDuration(digits)
		if _, bare := strconv.ParseFloat(digits, 64); err != nil && bare == nil {
			return 0, p.wrong(fmt.Sprintf("%s has no unit", p.shown()), fmt.Sprintf("write `%sns`, `%sus`, `%sms` or `%ss`", digits, digits, digits, digits))
		}
		n = int64(d)
	} else {
		n, err = strconv.ParseInt(digits, 10, 64)
	}
	if err != nil {
		return 0, p.wrong(fmt.Sprintf("`%s` is %s, but %s is not", c.name, c.is, p.shown()), c.is.example())
	}
	return n, p.advance()
}

func (p *parser) string(c *column) (string, *Error) {
	if p.kind == quotedOf {
		s := p.token.text
		return s, p.advance()
	}
	help := text.example()
	if p.kind == word || p.kind == literal {
		help = fmt.Sprintf("write \"%s\"", problem.Clip(p.token.text, problem.Short))
	}
	return "", p.wrong(fmt.Sprintf("`%s` is a text, but %s is not", c.name, p.shown()), help)
}

// pattern parses a regular expression.
func (p *parser) pattern(c *column, negated bool) (node, *Error) {
	at := p.token
	s, err := p.string(c)
	if err != nil {
		return nil, err
	}
	re, wrong := regexp.Compile(s)
	if wrong != nil {
		return nil, &Error{at.start, at.end, fmt.Sprintf("`%s` is not a regular expression: %s", problem.Clip(s, problem.Short), strings.TrimPrefix(wrong.Error(), "error parsing regexp: ")), "write a backslash before a sign that is meant literally"}
	}
	return patternTest{c, re, negated}, nil
}
