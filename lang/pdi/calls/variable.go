package calls

import (
	"slices"
	"strings"
)

// numbers maps the C types whose size is the same on all supported machines.
var numbers = map[string]Element{
	"char": {Size: 1}, "bool": {Size: 1}, "_Bool": {Size: 1}, "short": {Size: 2}, "int": {Size: 4}, "unsigned": {Size: 4}, "signed": {Size: 4}, "long": {Size: 8},
	"int8_t": {Size: 1}, "int16_t": {Size: 2}, "int32_t": {Size: 4}, "int64_t": {Size: 8}, "uint8_t": {Size: 1}, "uint16_t": {Size: 2}, "uint32_t": {Size: 4}, "uint64_t": {Size: 8},
	"size_t": {Size: 8}, "ssize_t": {Size: 8}, "ptrdiff_t": {Size: 8}, "float": {Real: true, Size: 4}, "double": {Real: true, Size: 8},
}

// variable records a declaration. If a name is declared twice with different types, its type is unknown.
func (s *File) variable(function int32, name string, e *Element, pointers int) {
	key := scoped{function, name}
	have := s.variables[key]
	switch {
	case have == nil:
		s.variables[key] = &variable{e, pointers, false}
	case *have.element != *e || have.pointers != pointers:
		have.other = true
	}
}

// declared lists the C and C++ variables that are numbers, arrays of numbers or pointers to numbers.
func (s *File) declared() {
	for i := 0; i < len(s.toks); i++ {
		t := s.toks[i]
		if t.kind != word || i > 0 && (s.toks[i-1].is(".") || s.toks[i-1].is("->")) {
			continue
		}
		if (t.value == "vector" || t.value == "array" || t.value == "valarray") && i+2 < len(s.toks) && s.toks[i+1].is("<") {
			s.container(i)
			continue
		}
		e, next := s.number(i)
		if e == nil {
			continue
		}
		if i == 0 || !s.toks[i-1].is("<") {
			s.declarators(e, next)
		}
		i = next - 1
	}
}

// number reads a number type at token i, and returns the token after it.
func (s *File) number(i int) (*Element, int) {
	var words []string
	for ; i < len(s.toks) && s.toks[i].kind == word; i++ {
		w := s.toks[i].value
		if _, ok := numbers[w]; !ok {
			if w == "const" || w == "volatile" {
				continue
			}
			break
		}
		words = append(words, w)
	}
	if len(words) == 0 {
		return nil, i
	}
	e := Element{Name: strings.Join(words, " ")}
	for _, w := range words {
		n := numbers[w]
		if (w == "int" || w == "unsigned" || w == "signed") && e.Size > 0 {
			continue
		}
		e.Real, e.Size = n.Real, n.Size
	}
	if slices.Contains(words, "double") && slices.Contains(words, "long") {
		e.Size = 16
	}
	return &e, i
}

// declarators reads the names after a type: `*a, b[3] = {…}, (*c)[4]`.
func (s *File) declarators(e *Element, i int) {
	for i < len(s.toks) {
		pointers, inner := 0, false
		for ; i < len(s.toks); i++ {
			t := s.toks[i]
			if t.is("*") {
				pointers++
			} else if t.is("(") && i+1 < len(s.toks) && s.toks[i+1].is("*") {
				inner = true
			} else if !t.is("const") && !t.is("restrict") && !t.is("__restrict__") && !t.is("&") {
				break
			}
		}
		if i+1 >= len(s.toks) || s.toks[i].kind != word {
			return
		}
		name := s.toks[i]
		i++
		if inner {
			if !s.toks[i].is(")") {
				return
			}
			i++
		}
		if i < len(s.toks) && s.toks[i].is("[") {
			pointers = max(pointers, 1) // one pointer level for an array of any rank: its memory begins with its elements
			for i < len(s.toks) && s.toks[i].is("[") && s.match[i] > 0 {
				i = int(s.match[i]) + 1
			}
		}
		if i >= len(s.toks) || !s.toks[i].is("=") && !s.toks[i].is(",") && !s.toks[i].is(";") && !s.toks[i].is(")") && !s.toks[i].is("{") && !s.toks[i].is("(") && !s.toks[i].is(":") {
			return
		}
		if s.toks[i].is("(") && pointers == 0 && s.functionFollows(i) {
			return
		}
		s.variable(name.function, name.value, e, pointers)
		for n := 0; i < len(s.toks) && n < maxExpression && !s.toks[i].is(",") && !s.toks[i].is(";") && !s.toks[i].is(")"); n++ {
			if close := int(s.match[i]); close > i {
				i = close
			}
			i++
		}
		if i >= len(s.toks) || !s.toks[i].is(",") {
			return
		}
		i++
		if other, _ := s.number(i); other != nil {
			return // the next parameter of a function
		}
	}
}

// functionFollows reports whether a bracket after a name opens the parameters of a function, not the initial value
// of a variable.
func (s *File) functionFollows(open int) bool {
	if open+1 >= len(s.toks) {
		return false
	}
	e, _ := s.number(open + 1)
	return e != nil || s.toks[open+1].is(")") || s.toks[open+1].is("void")
}

// container reads `std::vector<double> name`.
func (s *File) container(i int) {
	e, next := s.number(i + 2)
	if e == nil {
		return
	}
	for n := 0; next < len(s.toks) && n < 20 && !s.toks[next].is(">"); n++ {
		if s.toks[next].is("<") || s.toks[next].is("*") {
			return
		}
		next++
	}
	for next++; next < len(s.toks) && (s.toks[next].is("&") || s.toks[next].is("const")); {
		next++
	}
	if next < len(s.toks) && s.toks[next].kind == word {
		s.variable(s.toks[next].function, s.toks[next].value, e, inContainer)
	}
}

// inContainer stands for the number of pointers of a container, whose memory is only reached through `data()`.
const inContainer = -1

// element returns the number type that an argument points to, or nil if it is unknown.
func (s *File) element(arg []token, function int32) *Element {
	for len(arg) > 2 && arg[0].is("(") && enclosed(arg) {
		arg = arg[1 : len(arg)-1]
	}
	if len(arg) > 2 && arg[0].is("(") { // (void *)x
		for i, t := range arg {
			if t.is(")") {
				if i < 2 || !arg[i-1].is("*") {
					return nil
				}
				arg = arg[i+1:]
				break
			}
		}
	}
	pointers := 1
	if len(arg) > 1 && arg[0].is("&") {
		pointers, arg = 0, arg[1:]
		if n := len(arg); n > 3 && arg[1].is("[") && arg[n-1].is("]") { // &x[0]
			pointers, arg = 1, arg[:1]
		}
	}
	if n := len(arg); n == 5 && arg[1].is(".") && arg[2].is("data") {
		pointers, arg = inContainer, arg[:1]
	}
	if len(arg) != 1 || arg[0].kind != word {
		return nil
	}
	v := s.variables[scoped{function, arg[0].value}]
	if v == nil {
		v = s.variables[scoped{0, arg[0].value}]
	}
	switch {
	case v == nil || v.other:
		return nil
	case s.language == fortran, v.pointers == pointers:
		return v.element
	}
	return nil
}

// kinds maps the names of Fortran kinds to their sizes, as far as they are known without their module.
var kinds = map[string]int64{
	"1": 1, "2": 2, "4": 4, "8": 8, "16": 16, "c_int": 4, "c_long": 8, "c_float": 4, "c_double": 8, "c_size_t": 8, "c_short": 2, "c_int8_t": 1, "c_int16_t": 2, "c_int32_t": 4, "c_int64_t": 8,
	"int8": 1, "int16": 2, "int32": 4, "int64": 8, "real32": 4, "real64": 8,
}

// declaredFortran lists the Fortran variables that are numbers.
func (s *File) declaredFortran() {
	for i := 0; i < len(s.toks); i++ {
		if i > 0 && s.toks[i-1].kind != stop {
			continue
		}
		e, next := s.numberFortran(i)
		if e == nil {
			continue
		}
		if names := s.afterColons(next); names > 0 {
			next = names
		} else if next >= len(s.toks) || s.toks[next].kind != word || s.toks[next].is("function") {
			continue
		}
		for next < len(s.toks) && s.toks[next].kind == word {
			name := s.toks[next]
			s.variable(name.function, name.value, e, 0)
			for next++; next < len(s.toks) && s.toks[next].kind != stop && !s.toks[next].is(","); next++ {
				if close := int(s.match[next]); close > next {
					next = close
				}
			}
			if next >= len(s.toks) || s.toks[next].kind == stop {
				break
			}
			next++
		}
	}
}

// afterColons returns the token after the `::` of a statement, or 0 if it has none.
func (s *File) afterColons(i int) int {
	for ; i < len(s.toks) && s.toks[i].kind != stop; i++ {
		if s.toks[i].is("::") {
			return i + 1
		}
	}
	return 0
}

// numberFortran reads a number type such as `integer` or `real(8)`.
func (s *File) numberFortran(i int) (*Element, int) {
	first := s.toks[i]
	e := &Element{Name: first.value, Size: 4}
	next := i + 1
	switch {
	case first.is("integer") || first.is("logical"):
	case first.is("real"):
		e.Real = true
	case first.is("double") && next < len(s.toks) && s.toks[next].is("precision"):
		return &Element{Name: "double precision", Real: true, Size: 8}, next + 1
	default:
		return nil, i
	}
	if next < len(s.toks) && s.toks[next].is("*") && next+1 < len(s.toks) { // real*8
		size, ok := kinds[s.toks[next+1].value]
		if !ok {
			return nil, i
		}
		e.Size, e.Name = size, e.Name+"*"+s.toks[next+1].value
		return e, next + 2
	}
	if next < len(s.toks) && s.toks[next].is("(") {
		close := int(s.match[next])
		if close < 0 {
			return nil, i
		}
		size, ok := kinds[s.toks[close-1].value]
		if !ok || close-next > 4 {
			return nil, i
		}
		e.Size, e.Name = size, e.Name+"("+s.toks[close-1].value+")"
		return e, close + 1
	}
	return e, next
}
