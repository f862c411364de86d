package debuginfo

import (
	"cmp"
	"debug/dwarf"
	"debug/elf"
	"fmt"
	"slices"
	"sort"
	"strings"
)

// Function is a piece of code with a name.
type Function struct {
	Name      string
	Unit      string       // the source file it was compiled from, empty if unknown
	Low, High uint64       // its addresses, High excluded
	alias     string       // the linker's name where it differs
	entry     dwarf.Offset // what describes it; the parts of a split function share one
}

// Range is a range of addresses, High excluded.
type Range struct{ Low, High uint64 }

// index is what one walk over the file's tables finds.
type index struct {
	file    *File
	names   int        // bytes of names kept
	funcs   []Function // by address
	byName  map[string][]int
	units   []*unit
	spans   []span // by address
	structs map[string][]dwarf.Offset
	slots   map[uint64]string // functions of shared libraries by the slots that hold their addresses
}

// unit is one compiled source file.
type unit struct {
	entry *dwarf.Entry
	name  string
	rows  []row
	read  bool

	entered bool // while reading: the current run of one line has an entry
}

// span is an address range with its unit.
type span struct {
	Range
	unit *unit
}

// maxName bounds the names that are kept.
const maxName = 4096

// contents builds the index when it is first needed.
func (f *File) contents() (*index, error) {
	if f.index != nil {
		return f.index, nil
	}
	x := &index{file: f, byName: make(map[string][]int), structs: make(map[string][]dwarf.Offset)}
	if f.data != nil {
		if err := x.walk(f.data); err != nil {
			return nil, err
		}
	}
	x.symbols(f.elf)
	x.slots = slots(f.elf)
	slices.SortStableFunc(x.funcs, func(a, b Function) int {
		return cmp.Or(cmp.Compare(a.Low, b.Low), cmp.Compare(b.High, a.High))
	})
	for i, fn := range x.funcs {
		x.byName[fn.Name] = append(x.byName[fn.Name], i)
		if fn.alias != "" && fn.alias != fn.Name {
			x.byName[fn.alias] = append(x.byName[fn.alias], i)
		}
	}
	slices.SortStableFunc(x.spans, func(a, b span) int { return cmp.Compare(a.Low, b.Low) })
	f.index = x
	return x, nil
}

// walk visits every entry of the debug information once.
func (x *index) walk(data *dwarf.Data) error {
	r := data.Reader()
	var current *unit
	names := make(map[dwarf.Offset]string) // of functions that others refer to
	type pending struct {
		at   int
		from dwarf.Offset
	}
	var unnamed []pending
	for {
		e, err := r.Next()
		if err != nil {
			return fmt.Errorf("the debug information of `%s` is damaged", x.file.name())
		}
		if e == nil {
			break
		}
		if len(x.funcs)+len(x.spans) > maxRanges || x.names > maxNameText {
			return x.file.tooMuch("functions and types")
		}
		switch e.Tag {
		case dwarf.TagCompileUnit, dwarf.TagSkeletonUnit:
			current = &unit{entry: e, name: text(e, dwarf.AttrName)}
			x.units = append(x.units, current)
			ranges, err := data.Ranges(e)
			if err != nil {
				continue
			}
			for _, p := range ranges {
				x.spans = append(x.spans, span{Range{p[0], p[1]}, current})
			}
		case dwarf.TagSubprogram:
			name, alias := text(e, dwarf.AttrName), text(e, dwarf.AttrLinkageName)
			x.names += len(name) + len(alias)
			names[e.Offset] = name
			ranges, err := data.Ranges(e)
			if err != nil || current == nil {
				continue
			}
			for _, p := range ranges {
				if p[0] >= p[1] || p[0] == 0 {
					continue
				}
				if name == "" {
					unnamed = append(unnamed, pending{len(x.funcs), origin(e)})
				}
				x.funcs = append(x.funcs, Function{Name: name, Unit: current.name, Low: p[0], High: p[1], alias: alias, entry: e.Offset})
			}
		case dwarf.TagStructType, dwarf.TagClassType, dwarf.TagUnionType, dwarf.TagTypedef:
			if declared, _ := e.Val(dwarf.AttrDeclaration).(bool); declared {
				continue
			}
			if name := text(e, dwarf.AttrName); name != "" && name[0] != '.' { // a dot: the compiler's own
				x.names += len(name)
				x.structs[name] = append(x.structs[name], e.Offset)
			}
		}
	}
	for _, p := range unnamed {
		name, ok := names[p.from]
		if name == "" && ok { // a definition of an inlined member: one step more
			r.Seek(p.from)
			if e, err := r.Next(); err == nil && e != nil {
				name = names[origin(e)]
			}
		}
		x.funcs[p.at].Name = name
	}
	return nil
}

// origin is the entry that has a function's name.
func origin(e *dwarf.Entry) dwarf.Offset {
	for _, attr := range []dwarf.Attr{dwarf.AttrAbstractOrigin, dwarf.AttrSpecification} {
		if off, ok := e.Val(attr).(dwarf.Offset); ok {
			return off
		}
	}
	return 0
}

func text(e *dwarf.Entry, attr dwarf.Attr) string {
	s, _ := e.Val(attr).(string)
	if len(s) > maxName {
		s = s[:maxName]
	}
	return strings.Clone(s)
}

// symbols adds the functions of the symbol tables. Where debug information
// knows the address already, the symbol is another name for it.
func (x *index) symbols(e *elf.File) {
	known := make(map[uint64]int, len(x.funcs))
	for i, fn := range x.funcs {
		known[fn.Low] = i
	}
	for _, s := range functionSymbols(e) {
		low, high := s.low, s.low+s.size
		if i, ok := known[low]; ok {
			if x.funcs[i].Name == "" {
				x.funcs[i].Name = s.name
			} else if x.funcs[i].alias == "" {
				x.funcs[i].alias = s.name
			}
			continue
		}
		if high < low {
			high = low
		}
		known[low] = len(x.funcs)
		x.funcs = append(x.funcs, Function{Name: s.name, Low: low, High: high})
	}
	x.close(e)
}

// close ends the functions whose size is not known, such as those written in
// assembly, where the next one begins or their section ends.
func (x *index) close(e *elf.File) {
	starts := make([]uint64, 0, len(x.funcs))
	for _, fn := range x.funcs {
		starts = append(starts, fn.Low)
	}
	slices.Sort(starts)
	for i := range x.funcs {
		fn := &x.funcs[i]
		if fn.High > fn.Low {
			continue
		}
		for _, s := range e.Sections {
			if s.Flags&elf.SHF_EXECINSTR != 0 && s.Addr <= fn.Low && fn.Low-s.Addr < s.Size {
				fn.High = s.Addr + s.Size
			}
		}
		next := sort.Search(len(starts), func(i int) bool { return starts[i] > fn.Low })
		if next < len(starts) {
			fn.High = min(fn.High, starts[next])
		}
	}
}

// function returns the function at an address, the innermost where they nest.
func (x *index) function(addr uint64) *Function {
	i := sort.Search(len(x.funcs), func(i int) bool { return x.funcs[i].Low > addr })
	const nesting = 64 // how many that begin earlier may still hold the address
	for n := 0; i > 0 && n < nesting; n++ {
		i--
		if addr < x.funcs[i].High {
			return &x.funcs[i]
		}
	}
	return nil
}

// begins reports whether a function begins at an address.
func (x *index) begins(addr uint64) bool {
	fn := x.function(addr)
	return fn != nil && fn.Low == addr
}

// parts returns the function that fn is a part of: itself alone, or everything
// that one entry describes, such as `f` and `f.cold`.
func (x *index) parts(fn *Function) []*Function {
	if fn.entry == 0 {
		return []*Function{fn}
	}
	var parts []*Function
	for _, i := range x.byName[fn.Name] {
		if x.funcs[i].entry == fn.entry {
			parts = append(parts, &x.funcs[i])
		}
	}
	return parts
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
// name may be several, and one function may be split.
func (f *File) Function(name string) ([]Range, bool) {
	ranges, err := guarded(f, func() ([]Range, error) {
		x, err := f.contents()
		if err != nil {
			return nil, err
		}
		var ranges []Range
		for _, i := range x.byName[name] {
			ranges = append(ranges, Range{x.funcs[i].Low + f.Base, x.funcs[i].High + f.Base})
		}
		return ranges, nil
	})
	return ranges, err == nil && len(ranges) > 0
}
