package debuginfo

import (
	"bytes"
	"cmp"
	"debug/elf"
	"slices"
	"sort"
	"strings"
)

// named is a function by its name with the scopes around it, `Solver<double>::step`,
// and by the linker's name for it.
type named struct{ name, linkage string }

// segment is code from an address to the next segment's, with the innermost
// function that it belongs to; none is code of no function.
type segment struct {
	low uint64
	fn  int32 // in index.names, or none
}

const none = int32(-1)

// code is a piece of code with its function.
type code struct {
	Range
	depth uint16 // of two with one range, the deeper is the inner one
	fn    int32
	unit  int32  // in index.units
	call  callAt // of code that was inlined: the call that it stands for
}

// outwards compares pieces that nest: the outer one is the smaller.
func outwards(a, b code) int {
	return cmp.Or(cmp.Compare(a.Low, b.Low), cmp.Compare(b.High, a.High), cmp.Compare(a.depth, b.depth))
}

// flatten makes segments of pieces that nest.
func flatten(pieces []code) []segment {
	slices.SortStableFunc(pieces, outwards)
	segments := make([]segment, 0, len(pieces)+len(pieces)/2)
	begin := func(at uint64, fn int32) {
		if n := len(segments); n > 0 && segments[n-1].low == at {
			segments[n-1].fn = fn
		} else {
			segments = append(segments, segment{at, fn})
		}
	}
	var around []code
	leave := func(until uint64) {
		for n := len(around) - 1; n >= 0 && around[n].High <= until; n-- {
			end, outer := around[n].High, none
			around = around[:n]
			if n > 0 {
				outer = around[n-1].fn
			}
			begin(end, outer)
		}
	}
	for _, p := range pieces {
		leave(p.Low)
		if n := len(around); n > 0 {
			p.High = min(p.High, around[n-1].High)
		}
		begin(p.Low, p.fn)
		around = append(around, p)
	}
	leave(^uint64(0))
	return slices.CompactFunc(segments, func(a, b segment) bool { return a.fn == b.fn })
}

// at returns the number of the innermost function at an address, or none.
func (x *index) at(addr uint64) int32 {
	i := sort.Search(len(x.segments), func(i int) bool { return x.segments[i].low > addr })
	if i == 0 {
		return none
	}
	return x.segments[i-1].fn
}

// answers finds functions by name, and their segments.
type answers struct {
	linkage  map[string][]int32
	last     map[string][]int32 // by the key of the last part
	segments [][]int32          // by function
}

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
