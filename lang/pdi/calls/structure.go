package calls

import (
	"path"
	"slices"
	"strings"

	"github.com/pentode-dev/pentode/internal/leaf/lexer"
)

// maxDepth is how deeply blocks may nest.
const maxDepth = 500

// preprocess removes preprocessor lines and the code that they exclude, and records what they include and define.
func (s *File) preprocess(toks []token) []token {
	list := toks[:0]
	skipped := 0 // the depth inside code that is never compiled
	for _, t := range toks {
		if t.kind != directive {
			if skipped == 0 {
				list = append(list, t)
			}
			continue
		}
		name, rest := directiveOf(t.value)
		switch {
		case skipped > 0 && strings.HasPrefix(name, "if"):
			skipped++
		case skipped > 0 && name == "endif", skipped == 1 && (name == "else" || name == "elif"):
			skipped--
		case skipped > 0:
		case name == "if" && rest == "0":
			skipped = 1
		case name == "include":
			s.needs = append(s.needs, path.Base(strings.Trim(rest, `"<>`)))
			s.literals[path.Base(strings.Trim(rest, `"<>`))] = true
		case name == "define":
			s.macro(rest)
		}
	}
	return list
}

// directiveOf splits a preprocessor line into the directive and its argument.
func directiveOf(line string) (name, rest string) {
	line = strings.TrimSpace(strings.TrimPrefix(line, "#"))
	i := strings.IndexFunc(line, func(r rune) bool { return r > 0x7f || !lexer.WordByte(byte(r)) })
	if i < 0 {
		return line, ""
	}
	return line[:i], strings.TrimSpace(line[i:])
}

// macro records `#define NAME "text"`. Macros with arguments are not expanded: if one calls PDI, the source counts as opaque.
func (s *File) macro(rest string) {
	toks := lex(rest, c, false)
	if len(toks) < 2 || toks[0].kind != word {
		return
	}
	call := toks[1].is("(") && toks[1].start == toks[0].end
	if call || slices.ContainsFunc(toks, func(t token) bool { return s.calls(t) }) {
		s.opaque = s.opaque || slices.ContainsFunc(toks[1:], func(t token) bool { return s.calls(t) })
		return
	}
	body := toks[1:]
	if n := len(body); body[n-1].kind == stop {
		body = body[:n-1]
	}
	for _, t := range body {
		if t.kind == text {
			s.literals[t.value] = true
		}
	}
	if value := s.expression(body); len(value) > 0 {
		s.constant(scoped{0, toks[0].value}, value)
	}
}

// calls reports whether a word in a macro is the name of a PDI function.
func (s *File) calls(t token) bool {
	_, ok := procedures[t.value]
	return t.kind == word && (ok || t.value == eventClass || t.value == exposeFunction)
}

// block adds a block inside another one and returns its index.
func (s *File) block(around int32) int32 {
	s.blocks = append(s.blocks, around)
	return int32(len(s.blocks) - 1)
}

// encloses reports whether outer is the block inner or a block around it.
func (s *File) encloses(outer, inner int32) bool {
	for ; inner >= 0; inner = s.blocks[inner] {
		if inner == outer {
			return true
		}
	}
	return false
}

// braces finds the blocks and functions of C and C++.
func (s *File) braces() {
	stack := []int32{0}
	current, body, over := int32(0), -1, 0 // the current function, the position of its block in the stack, and the number of blocks that are nested too deeply
	for i := range s.toks {
		t := &s.toks[i]
		if t.is("}") {
			switch {
			case over > 0:
				over--
			case len(stack) > 1:
				stack = stack[:len(stack)-1]
				if len(stack) == body {
					current, body = 0, -1
				}
			}
		}
		t.block, t.function = stack[len(stack)-1], current
		if !t.is("{") {
			continue
		}
		if len(stack) >= maxDepth {
			over++
			continue
		}
		if current == 0 {
			if open, at := s.header(i); open >= 0 {
				s.functions = append(s.functions, function{name: s.toks[at].value, params: s.params(open)})
				current, body = int32(len(s.functions)-1), len(stack)
				for j := open; j < i; j++ {
					s.toks[j].function = current
				}
			}
		}
		stack = append(stack, s.block(stack[len(stack)-1]))
	}
}

// header returns the bracket that opens the parameters of the function whose body begins at a brace, and the function's name. It returns -1 if the
// brace begins something else.
func (s *File) header(brace int) (open, name int) {
	const maxTail = 24 // the largest number of tokens between parameters and body
	i := brace - 1
	for n := 0; i > 0 && n < maxTail && !s.toks[i].is(")"); n++ {
		if t := s.toks[i]; t.kind != word && !t.is("&") && !t.is("&&") && !t.is("->") && !t.is("::") && !t.is("<") && !t.is(">") && !t.is("*") {
			return -1, 0
		}
		i--
	}
	for i > 0 && s.toks[i].is(")") {
		open := int(s.match[i])
		if open < 1 || s.toks[open-1].kind != word || slices.Contains(notFunctions, s.toks[open-1].value) {
			return -1, 0
		}
		before := open - 2
		if before < 1 || !s.toks[before].is(",") && !s.toks[before].is(":") {
			return open, open - 1
		}
		i = before - 1 // skip a member initializer of a constructor
	}
	return -1, 0
}

var notFunctions = []string{"if", "for", "while", "switch", "catch", "return", "else", "do", "sizeof", "decltype", "alignas", "noexcept", "requires", "constexpr"}

// params returns the names of the parameters after a bracket.
func (s *File) params(open int) []string {
	var names []string
	for _, arg := range s.arguments(open) {
		name := ""
		for _, t := range arg {
			if t.is("=") || t.is("[") {
				break
			}
			if t.kind == word {
				name = t.value
			}
		}
		names = append(names, name)
	}
	return names
}

// indentation finds the blocks and functions of Python.
func (s *File) indentation() {
	type level struct {
		indent          int32
		block, function int32
	}
	stack := []level{{0, 0, 0}}
	fresh, opened := true, int32(-1) // the function whose body comes next; whether its body has begun
	for i := range s.toks {
		t := &s.toks[i]
		if fresh && t.kind != stop {
			for len(stack) > 1 && t.indent < stack[len(stack)-1].indent {
				stack = stack[:len(stack)-1]
			}
			if top := stack[len(stack)-1]; t.indent > top.indent && len(stack) < maxDepth {
				inner := level{t.indent, s.block(top.block), top.function}
				if opened >= 0 {
					inner.function = opened
				}
				stack = append(stack, inner)
			}
			opened = -1
			if t.is("def") && i+2 < len(s.toks) && s.toks[i+2].is("(") {
				s.functions = append(s.functions, function{name: s.toks[i+1].value, params: s.params(i + 2)})
				opened = int32(len(s.functions) - 1)
			}
			s.imports(i)
		}
		t.block, t.function = stack[len(stack)-1].block, stack[len(stack)-1].function
		fresh = t.kind == stop
	}
}

// imports records the modules that a Python statement imports.
func (s *File) imports(i int) {
	if !s.toks[i].is("import") && !s.toks[i].is("from") {
		return
	}
	for i++; i < len(s.toks) && s.toks[i].kind != stop; i++ {
		if t := s.toks[i]; t.kind == word {
			s.needs = append(s.needs, t.value)
		}
	}
}

// statements finds the blocks and functions of Fortran.
func (s *File) statements() {
	type level struct{ block, function int32 }
	stack := []level{{0, 0}}
	over := 0
	for i := 0; i < len(s.toks); {
		next := i
		for next < len(s.toks) && s.toks[next].kind != stop {
			next++
		}
		line := s.toks[i:next]
		opens, ends, inner := s.statement(line, i)
		if ends {
			if over > 0 {
				over--
			} else if len(stack) > 1 {
				stack = stack[:len(stack)-1]
			}
		}
		top := stack[len(stack)-1]
		if opens {
			if len(stack) >= maxDepth {
				over++
			} else {
				up := level{s.block(top.block), top.function}
				if inner >= 0 {
					up.function = inner
					top.function = inner // the parameters belong to the new function
				}
				stack = append(stack, up)
			}
		}
		for j := i; j < min(next+1, len(s.toks)); j++ {
			s.toks[j].block, s.toks[j].function = top.block, top.function
		}
		i = next + 1
	}
}

// statement reports whether a Fortran statement opens a block and whether it ends one. It returns the index of the function that it begins, or -1.
func (s *File) statement(line []token, at int) (opens, ends bool, inner int32) {
	inner = -1
	if len(line) > 2 && line[0].kind == word && line[1].is(":") {
		line, at = line[2:], at+2 // skip the label of a block
	}
	if len(line) == 0 || line[0].kind != word {
		return false, false, inner
	}
	last := line[len(line)-1]
	switch first := line[0].value; {
	case first == "end" || strings.HasPrefix(first, "end") && len(line) <= 2 && !last.is(")"):
		return false, !slices.Contains([]string{"endfile"}, first), inner
	case first == "else" || first == "elseif" || first == "elsewhere" || first == "case" || first == "contains":
		return first != "contains", first != "contains", inner
	case first == "use" && len(line) > 1:
		i := slices.IndexFunc(line, func(t token) bool { return t.is("::") }) + 1
		if i == 0 {
			i = 1
		}
		if i < len(line) {
			s.needs = append(s.needs, line[i].value)
		}
		return false, false, inner
	case first == "include" && len(line) > 1 && line[1].kind == text:
		s.needs = append(s.needs, path.Base(line[1].value))
		return false, false, inner
	case first == "module" && len(line) == 2 && line[1].kind == word:
		s.modules = append(s.modules, line[1].value)
		return true, false, inner
	case first == "if":
		return last.is("then"), false, inner
	case first == "where" || first == "forall":
		return len(line) > 2 && int(s.match[at+1]) == at+len(line)-1, false, inner
	case slices.Contains([]string{"do", "select", "associate", "block", "critical", "interface", "program", "submodule"}, first):
		return len(line) < 2 || !line[1].is("=") && !line[1].is("("), false, inner
	case first == "type":
		return len(line) > 1 && !line[1].is("("), false, inner
	}
	for i, t := range line {
		if t.kind != word || i+1 >= len(line) || line[i+1].kind != word {
			if t.is("(") || t.is("=") || t.is("::") {
				break
			}
			continue
		}
		if t.value == "subroutine" || t.value == "function" {
			f := function{name: line[i+1].value}
			if i+2 < len(line) && line[i+2].is("(") {
				f.params = s.params(at + i + 2)
			}
			s.functions = append(s.functions, f)
			return true, false, int32(len(s.functions) - 1)
		}
	}
	return false, false, inner
}
