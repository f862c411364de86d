package debuginfo

import (
	"bytes"
	"debug/elf"
	"fmt"
	"slices"
	"strings"
)

// lookup makes the tables once: a configuration asks for many names.
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

// candidates are the functions that may answer to a name.
func (t *answers) candidates(w *wanted) []int32 {
	list := slices.Concat(t.linkage[w.text], t.last[partKey(w.parts[len(w.parts)-1])])
	slices.Sort(list)
	return slices.Compact(list)
}

// partKey is the same for all ways to write a part of a name.
func partKey(part string) string { return plainPart(tight(part)) }

// code returns the code of which a function that answers to a name is the innermost.
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

// Code returns the code that belongs to the functions of a name: that of which
// such a function is the innermost, wherever it was inlined. A name may leave out
// scopes around the function, and arguments of templates.
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
	}) // a damaged file names nothing
	return list
}

// wanted is a name that functions are asked for.
type wanted struct {
	text  string
	parts []string // from the outermost scope on
	last  string   // of the last one, without the arguments of a template
}

func newWanted(name string) wanted {
	w := wanted{text: name, parts: nameParts(name)}
	w.last = plainPart(w.parts[len(w.parts)-1])
	return w
}

// means reports whether a function answers to the name.
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

// Means reports whether a name stands for this function: the linker's name, or the
// function's own with as many of the scopes around it as are written, with
// the arguments of templates or without.
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
				i = len(name) // its signs are no brackets
			}
		}
	}
	return append(parts, name[start:])
}

// plainPart is a part of a name without the arguments of a template.
func plainPart(part string) string {
	if at := strings.IndexByte(part, '<'); at > 0 && !strings.HasPrefix(part, "operator") {
		return part[:at]
	}
	return part
}

// tight is a part of a name without blanks, which compilers set as they like.
func tight(part string) string { return strings.ReplaceAll(part, " ", "") }

// maxTexts is how many texts a program is searched for, maxNearest among how many
// functions a similar name is looked for.
const (
	maxTexts   = 64
	maxNearest = 20_000
)

// Mentions reports whether a text stands in the data of the program, as the name of
// a region of its own does. After many questions it no longer looks, and says so of any.
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

// Nearest returns the name of a function that a misspelt one may have been, as
// nearest chooses among names.
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

// Functions returns all functions by address.
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

// Function returns where the functions of a name lie; static functions of one
// name may be several, and one function may be split. Where they were inlined is
// what Code returns.
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
