package debuginfo

import (
	"bytes"
	"debug/elf"
	"fmt"
	"slices"
	"strings"
)

// lookup returns the name tables. It makes them only once, since a configuration
// looks up many names.
func (x *index) lookup() *answers {
	if x.answers != nil {
		return x.answers
	}
	t := &answers{map[string][]int32{}, map[string][]int32{}, make([][]int32, len(x.names))}
	for i, n := range x.names {
		parts := nameParts(n.name)
		key := partKey(parts[len(parts)-1])
		t.last[key] = append(t.last[key], int32(i))
		if n.linkage != "" {
			t.linkage[n.linkage] = append(t.linkage[n.linkage], int32(i))
		}
	}
	for i, s := range x.segments {
		if s.fn != none {
			t.segments[s.fn] = append(t.segments[s.fn], int32(i))
		}
	}
	x.answers = t
	return t
}

// candidates returns the functions that may match a name.
func (t *answers) candidates(w *wanted) []int32 {
	list := slices.Concat(t.linkage[w.text], t.last[partKey(w.parts[len(w.parts)-1])])
	slices.Sort(list)
	return slices.Compact(list)
}

// partKey returns the same key for all spellings of a part of a name.
func partKey(part string) string { return plainPart(tight(part)) }

// code returns the code whose innermost function matches a name.
func (x *index) code(name string) []Range {
	w, t := newWanted(name), x.lookup()
	var at []int32
	for _, i := range t.candidates(&w) {
		if w.means(x.names[i]) {
			at = append(at, t.segments[i]...)
		}
	}
	slices.Sort(at)
	var list []Range
	for _, i := range at {
		if int(i)+1 == len(x.segments) {
			continue
		}
		s, end := x.segments[i], x.segments[i+1].low
		if n := len(list); n > 0 && list[n-1].High == s.low {
			list[n-1].High = end
			continue
		}
		list = append(list, Range{s.low, end})
	}
	return list
}

// Code returns the code that belongs to functions of a name, including inlined
// copies, but without other functions inlined into it. The name may omit outer
// scopes and template arguments.
func (f *File) Code(name string) []Range {
	list, _ := guarded(f, func() ([]Range, error) {
		x, err := f.contents()
		if err != nil {
			return nil, err
		}
		list := x.code(name)
		for i := range list {
			list[i].Low += f.Base
			list[i].High += f.Base
		}
		return list, nil
	}) // ignore the error: a damaged file has no names
	return list
}

// wanted is a name to look up.
type wanted struct {
	text  string
	parts []string // beginning with the outermost scope
	last  string   // the last part, without template arguments
}

func newWanted(name string) wanted {
	w := wanted{text: name, parts: nameParts(name)}
	w.last = plainPart(w.parts[len(w.parts)-1])
	return w
}

// means reports whether a function matches the name.
func (w *wanted) means(n named) bool {
	if n.linkage == w.text || n.name == w.text {
		return true
	}
	if !strings.Contains(n.name, w.last) {
		return false
	}
	have := nameParts(n.name)
	if len(have) < len(w.parts) {
		return false
	}
	have = have[len(have)-len(w.parts):]
	for i, part := range w.parts {
		if part != have[i] && part != plainPart(have[i]) && tight(part) != tight(have[i]) {
			return false
		}
	}
	return true
}

// Means reports whether a name refers to this function. It may be the linker's
// name, or the function's own name with any number of its enclosing scopes, with or
// without template arguments.
func (f Frame) Means(name string) bool {
	w := newWanted(name)
	return name != "" && w.means(named{f.Function, f.Linkage})
}

// nameParts splits `a::b<c::d>::e` into `a`, `b<c::d>`, `e`.
func nameParts(name string) []string {
	var parts []string
	depth, start := 0, 0
	for i := 0; i < len(name); i++ {
		switch name[i] {
		case '<', '(':
			depth++
		case '>', ')':
			depth--
		case ':':
			if depth == 0 && i+1 < len(name) && name[i+1] == ':' {
				parts = append(parts, name[start:i])
				i++
				start = i + 1
			}
		case 'o':
			if i == start && strings.HasPrefix(name[i:], "operator") {
				i = len(name) // the signs of an operator are not brackets
			}
		}
	}
	return append(parts, name[start:])
}

// plainPart removes the template arguments from a part of a name.
func plainPart(part string) string {
	if at := strings.IndexByte(part, '<'); at > 0 && !strings.HasPrefix(part, "operator") {
		return part[:at]
	}
	return part
}

// tight removes the blanks from a part of a name, since compilers write them
// differently.
func tight(part string) string { return strings.ReplaceAll(part, " ", "") }

// maxTexts is how many texts a program is searched for. maxNearest is the largest
// number of functions that are searched for a similar name.
const (
	maxTexts   = 64
	maxNearest = 20_000
)

// Mentions reports whether a text occurs in the data of the program, as the name of
// a user-defined region does. After maxTexts questions it stops searching and
// returns true.
func (f *File) Mentions(text string) bool {
	found, err := guarded(f, func() (bool, error) {
		if f.texts++; f.texts > maxTexts {
			return true, nil
		}
		for _, s := range f.elf.Sections {
			if s.Type != elf.SHT_PROGBITS || s.Flags&elf.SHF_ALLOC == 0 || s.Flags&elf.SHF_EXECINSTR != 0 {
				continue
			}
			data, err := s.Data()
			if err == nil && bytes.Contains(data, append([]byte(text), 0)) {
				return true, nil
			}
		}
		return false, nil
	})
	return found || err != nil
}

// Nearest returns the function whose name was probably misspelt, chosen by nearest
// from the names.
func (f *File) Nearest(name string, nearest func(string, []string) (string, bool)) (string, bool) {
	names, err := guarded(f, func() ([]string, error) {
		x, err := f.contents()
		if err != nil || len(x.names) > maxNearest {
			return nil, err
		}
		names := make([]string, 0, len(x.names))
		for _, n := range x.names {
			names = append(names, n.name)
		}
		return names, nil
	})
	if err != nil || len(names) == 0 {
		return "", false
	}
	return nearest(name, names)
}

// Functions returns all functions, sorted by address.
func (f *File) Functions() ([]Function, error) {
	return guarded(f, func() ([]Function, error) {
		x, err := f.contents()
		if err != nil {
			return nil, err
		}
		if len(x.funcs) == 0 {
			return nil, fmt.Errorf("`%s` names no functions: it is stripped", f.name())
		}
		funcs := slices.Clone(x.funcs)
		for i := range funcs {
			funcs[i].Low += f.Base
			funcs[i].High += f.Base
		}
		return funcs, nil
	})
}

// Function returns the ranges of the functions with a name. There may be several
// static functions of one name, and one function may be split. Code also returns
// the places where they were inlined.
func (f *File) Function(name string) ([]Range, bool) {
	ranges, err := guarded(f, func() ([]Range, error) {
		x, err := f.contents()
		if err != nil {
			return nil, err
		}
		w := newWanted(name)
		var ranges []Range
		for i := range x.funcs {
			if fn := &x.funcs[i]; w.means(named{fn.Name, fn.alias}) {
				ranges = append(ranges, Range{fn.Low + f.Base, fn.High + f.Base})
			}
		}
		return ranges, nil
	})
	return ranges, err == nil && len(ranges) > 0
}
