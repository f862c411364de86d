package cxxname

import (
	"slices"
	"strings"
)

// name is a demangled name: its scopes, the outermost first and the function last.
type name struct {
	scopes []scope
	quals  string // the text after the last parameters, such as const or [clone .isra.0]
}

// scope is a namespace, a class, a function or a lambda.
type scope struct {
	id     string
	args   []string // template arguments
	params []string
	called bool // whether it has a parameter list
}

// parse reads a demangled name and reports whether the text is one.
func parse(s string) (name, bool) {
	p := parser{text: s}
	if !p.name() {
		return name{}, false
	}
	return p.made, true
}

type parser struct {
	text  string
	at    int
	made  name
	typed bool // a type comes before the name
}

// name reads types and the name that follows them.
func (p *parser) name() bool {
	for {
		var s scope
		if !p.scope(&s) {
			return false
		}
		p.made.scopes = append(p.made.scopes, s)
		quals := ""
		if s.called {
			quals = p.qualifiers()
		}
		switch {
		case p.at == len(p.text):
			p.made.quals = quals
			return s.called || !p.typed
		case p.take("::"):
		case quals == "" && p.blank(): // the text so far was a type
			p.made.scopes, p.typed = nil, true
		default:
			return false
		}
	}
}

// blank reads the text between a type and the next type or name.
func (p *parser) blank() bool {
	start := p.at
	for p.at < len(p.text) && strings.IndexByte(" *&", p.text[p.at]) >= 0 {
		p.at++
	}
	return p.at > start
}

// scope reads an identifier with template arguments and parameters.
func (p *parser) scope(s *scope) bool {
	rest := p.text[p.at:]
	switch {
	case p.take("(anonymous namespace)"), p.take("{anonymous}"), p.take("<unnamed>"):
		s.id = "(anonymous namespace)"
		return true
	case strings.HasPrefix(rest, "{"): // {lambda(int)#1}
		inner, ok := p.bracketed()
		if !ok {
			return false
		}
		word, number, _ := strings.Cut(inner, "(")
		if i := strings.LastIndexByte(number, '#'); i >= 0 {
			word += number[i:]
		}
		s.id = "{" + word + "}"
	case strings.HasPrefix(rest, "'"): // 'lambda0'(int)
		end := strings.IndexByte(rest[1:], '\'')
		if end < 0 {
			return false
		}
		s.id = "{" + rest[1:1+end] + "}"
		p.at += end + 2
	default:
		n := 0
		for n < len(rest) && (rest[n] >= 0x80 || strings.IndexByte(letters, rest[n]) >= 0) {
			n++
		}
		if n == 0 {
			return false
		}
		p.at += n
		if s.id = rest[:n]; s.id == "operator" && !p.operator(&s.id) {
			return false
		}
	}
	for p.at < len(p.text) && p.text[p.at] == '[' { // [abi:cxx11]
		if _, ok := p.bracketed(); !ok {
			return false
		}
	}
	if p.at < len(p.text) && p.text[p.at] == '<' {
		inner, ok := p.bracketed()
		if !ok {
			return false
		}
		s.args = split(inner)
	}
	if p.at < len(p.text) && p.text[p.at] == '(' {
		inner, ok := p.bracketed()
		if !ok {
			return false
		}
		s.params, s.called = split(inner), true
	}
	return true
}

const letters = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_~$.@"

// operators are the symbols after `operator`, the longer ones first.
var operators = [...]string{
	"()", "[]", "<=>", "<<=", ">>=", "->*", "<<", ">>", "<=", ">=", "==", "!=", "&&", "||", "++", "--", "+=", "-=", "*=", "/=", "%=", "^=", "&=", "|=", "->",
	"<", ">", "+", "-", "*", "/", "%", "^", "&", "|", "~", "!", "=", ",", `""`,
}

// operator reads what follows `operator`: a symbol, or the type of a conversion.
func (p *parser) operator(id *string) bool {
	for _, symbol := range operators {
		if p.take(symbol) {
			*id += symbol
			if strings.HasPrefix(p.text[p.at:], " <") { // template arguments after `operator<`
				p.at++
			}
			return true
		}
	}
	end := strings.IndexByte(p.text[p.at:], '(')
	if end <= 0 || p.text[p.at] != ' ' {
		return false
	}
	*id += p.text[p.at : p.at+end]
	p.at += end
	return true
}

// qualifiers reads what may follow the parameters.
func (p *parser) qualifiers() string {
	start := p.at
	for {
		switch {
		case p.take(" const"), p.take(" volatile"), p.take(" noexcept"), p.take(" &&"), p.take(" &"):
		case strings.HasPrefix(p.text[p.at:], " ["): // [clone .isra.0], [with T = int]
			p.at++
			if _, ok := p.bracketed(); !ok {
				p.at--
				return p.text[start:p.at]
			}
		default:
			return p.text[start:p.at]
		}
	}
}

func (p *parser) take(text string) bool {
	if !strings.HasPrefix(p.text[p.at:], text) {
		return false
	}
	p.at += len(text)
	return true
}

// bracketed reads a pair of brackets with its content, and returns the content.
func (p *parser) bracketed() (string, bool) {
	start := p.at
	var open []byte
	for ; p.at < len(p.text); p.at++ {
		switch c := p.text[p.at]; c {
		case '<', '(', '[', '{':
			open = append(open, c)
			continue
		case '>':
			if p.text[p.at-1] == '-' { // ->
				continue
			}
		case ')', ']', '}':
		default:
			continue
		}
		if pair := string([]byte{open[len(open)-1], p.text[p.at]}); !strings.Contains("<> () [] {}", pair) {
			return "", false
		}
		if open = open[:len(open)-1]; len(open) == 0 {
			p.at++
			return p.text[start+1 : p.at-1], true
		}
	}
	return "", false
}

// split splits a list at the commas outside of brackets.
func split(list string) []string {
	var parts []string
	depth, start := 0, 0
	for i := range len(list) {
		switch list[i] {
		case '<', '(', '[', '{':
			depth++
		case '>':
			if i == 0 || list[i-1] != '-' {
				depth--
			}
		case ')', ']', '}':
			depth--
		case ',':
			if depth == 0 {
				parts = append(parts, strings.TrimSpace(list[start:i]))
				start = i + 1
			}
		}
	}
	if last := strings.TrimSpace(list[start:]); last != "" {
		parts = append(parts, last)
	}
	return parts
}

// first is the index of the first scope of the base: a lambda or a call operator means little without the
// function or class it belongs to.
func (n *name) first() int {
	i := len(n.scopes) - 1
	for i > 0 && (n.scopes[i].id == "operator()" || n.scopes[i].isLambda()) {
		i--
	}
	return i
}

func (s *scope) isLambda() bool { return s.id[0] == '{' || strings.HasPrefix(s.id, "$_") }

// base is the shortest form of the name.
func (n *name) base() string { return n.baseWith("") }

// baseWith is the base followed by template arguments.
func (n *name) baseWith(args string) string {
	if len(n.scopes) == 0 {
		return ""
	}
	from, at := n.first(), n.firstWithArgs()
	var b strings.Builder
	for i := from; i < len(n.scopes); i++ {
		s := &n.scopes[i]
		if s.id == "operator()" && i > from && n.scopes[i-1].isLambda() {
			continue
		}
		if i > from {
			b.WriteString("::")
		}
		b.WriteString(s.id)
		if i == at {
			b.WriteString(args)
		}
	}
	return b.String()
}

// firstWithArgs is the index of the first scope of the base that has template arguments, or -1.
func (n *name) firstWithArgs() int {
	if len(n.scopes) == 0 {
		return -1
	}
	for i := n.first(); i < len(n.scopes); i++ {
		if len(n.scopes[i].args) > 0 {
			return i
		}
	}
	return -1
}

// args returns the template arguments of the base.
func (n *name) args() []string {
	if i := n.firstWithArgs(); i >= 0 {
		return n.scopes[i].args
	}
	return nil
}

// outer returns the scopes around the base, the innermost first.
func (n *name) outer() []string {
	if len(n.scopes) == 0 {
		return nil
	}
	var list []string
	for _, s := range slices.Backward(n.scopes[:n.first()]) {
		text := s.id
		if len(s.args) > 0 {
			text += "<" + strings.Join(s.args, ", ") + ">"
		}
		list = append(list, text)
	}
	return list
}

// params returns the parameters of the function and the qualifiers after them.
func (n *name) params() []string {
	if len(n.scopes) == 0 {
		return nil
	}
	list := n.scopes[len(n.scopes)-1].params
	if quals := strings.TrimSpace(n.quals); quals != "" {
		list = append(list[:len(list):len(list)], quals)
	}
	return list
}
