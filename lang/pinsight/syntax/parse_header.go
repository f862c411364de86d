package syntax

import "strings"

// header reads `[ACTION Target] : Inheritance : PunitSets`.
func (p *parser) header(line Range) {
	s := Section{Line: line}
	open := p.pos
	stop := open + 1
	for stop < p.end && p.toks[stop].Kind != Close {
		stop++
	}
	s.Target = p.between(open+1, stop)
	if stop == p.end {
		s.Broken = true
		p.tree.Report(MissingBracket, p.tree.Tokens().Between(open, p.end), "the section header has no `]`").
			Labelled("opened here").
			Helped("write `]` after the target; until then the keys below it are not read")
		p.tree.Sections = append(p.tree.Sections, s)
		return
	}
	p.action(&s)
	s.Targets = p.refs(s.Target)
	p.pos = stop + 1
	p.tail(&s)
	p.tree.Sections = append(p.tree.Sections, s)
}

// action separates SET, RESET or REMOVE from the target. Any word that is followed by another word counts as an action; the checker reports
// unknown ones.
func (p *parser) action(s *Section) {
	text := p.tree.Of(s.Target)
	i := strings.IndexAny(text, " \t\r\v\f")
	if i < 0 || strings.ContainsAny(text[:i], ".(,:") {
		return
	}
	rest := strings.TrimLeft(text[i:], " \t\r\v\f")
	// In `Lexgion (0x10)` and `OpenMP .default`, the first word is a name and not an action.
	if strings.HasPrefix(rest, "(") || strings.HasPrefix(rest, ".") || strings.HasPrefix(rest, ",") {
		return
	}
	s.Action = Text{Start: s.Target.Start, End: s.Target.Start + int32(i)}
	s.Target.Start = s.Target.End - int32(len(rest))
}

// tail reads the text after the bracket.
func (p *parser) tail(s *Section) {
	for p.pos < p.end && p.toks[p.pos].Kind == Blank {
		p.pos++
	}
	if p.pos == p.end {
		return
	}
	if p.toks[p.pos].Kind != Colon {
		p.tree.Report(TextAfterHeader, p.tree.Tokens().Between(p.pos, p.end), "this text after the `]` has no meaning").
			Helped("inheritance and units begin with a `:`, a comment with a `#`")
		return
	}
	parts := []*[]Ref{&s.Inherit, &s.Units}
	for p.pos < p.end && p.toks[p.pos].Kind == Colon {
		first := p.pos + 1
		depth := 0
		p.pos = first
		for p.pos < p.end && (p.toks[p.pos].Kind != Colon || depth > 0) {
			switch p.toks[p.pos].Kind {
			case ParenOpen:
				depth++
			case ParenClose:
				depth = max(0, depth-1)
			}
			p.pos++
		}
		if s.Colons == len(parts) {
			p.tree.Report(TextAfterHeader, p.tree.Tokens().Between(first-1, p.end), "a section header has at most two parts after the `]`").
				Helped("the first names the defaults to inherit from, the second the units")
			return
		}
		*parts[s.Colons] = p.refs(p.between(first, p.pos))
		s.Colons++
	}
}

// refs splits a text at the commas outside parentheses.
func (p *parser) refs(x Text) []Ref {
	if x.Empty() {
		return nil
	}
	if cap(p.slab)-len(p.slab) < 8 {
		p.slab = make([]Ref, 0, 512)
	}
	refs := p.slab[len(p.slab):]
	depth := 0
	start := x.Start
	for i := x.Start; i <= x.End; i++ {
		if i < x.End {
			switch p.text[i] {
			case '(':
				depth++
			case ')':
				depth = max(0, depth-1)
			}
			if p.text[i] != ',' || depth > 0 {
				continue
			}
		}
		if item := (Text{Start: start, End: i}).Trim(p.text, blank); !item.Empty() {
			refs = append(refs, p.ref(item))
		}
		start = i + 1
	}
	if len(refs) <= cap(p.slab)-len(p.slab) { // otherwise append has moved the refs to a new array
		p.slab = p.slab[:len(p.slab)+len(refs)]
	}
	return refs[:len(refs):len(refs)]
}

// ref reads one name with the parts after it.
func (p *parser) ref(x Text) Ref {
	r := Ref{Text: x}
	at := x.Start
	r.Name, at = p.name(at, x.End)
	r.Args, r.HasArgs, at = p.parens(at, x.End)
	if at < x.End && p.text[at] == '.' {
		r.Member, at = p.name(at+1, x.End)
		r.Odd = r.Member.Empty()
		r.Set, r.HasSet, at = p.parens(at, x.End)
	}
	r.Odd = r.Odd || at != x.End || r.Name.Empty()
	return r
}

// name reads up to a dot or a parenthesis.
func (p *parser) name(at, end int32) (Text, int32) {
	start := at
	for at < end && p.text[at] != '.' && p.text[at] != '(' && p.text[at] != ')' {
		at++
	}
	return Text{Start: start, End: at}.Trim(p.text, blank), at
}

// parens reads `( … )` up to the matching parenthesis.
func (p *parser) parens(at, end int32) (Text, bool, int32) {
	if at == end || p.text[at] != '(' {
		return Text{Start: at, End: at}, false, at
	}
	depth := 0
	for i := at; i < end; i++ {
		switch p.text[i] {
		case '(':
			depth++
		case ')':
			if depth--; depth == 0 {
				return Text{Start: at + 1, End: i}.Trim(p.text, blank), true, i + 1
			}
		}
	}
	return Text{Start: at, End: at}, false, at
}
