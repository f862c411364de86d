package debuginfo

import (
	"cmp"
	"debug/elf"
	"errors"
	"fmt"
	"slices"
	"sort"
)

// Function is a piece of code with a name.
type Function struct {
	Name      string
	Unit      string // the source file it was compiled from, empty if unknown
	Low, High uint64 // its addresses, High excluded
	alias     string // the linker's name where it differs
	entry     uint32 // what describes it; the parts of a split function share one
	piece     int32  // while the index is built: its code in index.pieces
}

// Range is a range of addresses, High excluded.
type Range struct{ Low, High uint64 }

// index is what one walk over the file's tables finds.
type index struct {
	file     *File
	names    []named
	segments []segment  // by address: the innermost functions
	answers  *answers   // which functions answer to a name, once asked for
	funcs    []Function // by address: whole functions
	units    []*unit
	spans    []span            // by address
	slots    map[uint64]string // functions of shared libraries by the slots that hold their addresses

	partial bool // units lie in files that were not found

	pieces []code // while the index is built
	known  map[named]int32
	text   int              // bytes of names kept
	byName map[string][]int // functions by both names, once asked for
}

// unit is one compiled source file.
type unit struct {
	name, folder string
	table        int64 // place of its line table, or -1
	rows         []row
	read         bool

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
	if x := f.recall(); x != nil {
		x.slots = slots(f.elf)
		f.index = x
		return x, nil
	}
	x := &index{file: f, known: make(map[named]int32)}
	if err := x.walk(); err != nil {
		return nil, err
	}
	x.symbols(f.elf)
	x.segments = flatten(x.pieces)
	x.pieces, x.known = nil, nil
	x.slots = slots(f.elf)
	slices.SortStableFunc(x.funcs, func(a, b Function) int {
		return cmp.Or(cmp.Compare(a.Low, b.Low), cmp.Compare(b.High, a.High))
	})
	slices.SortStableFunc(x.spans, func(a, b span) int { return cmp.Compare(a.Low, b.Low) })
	f.index = x
	x.adopt()
	if !x.partial {
		f.keep(x)
	}
	return x, nil
}

// walk takes what the debug information says of functions, if there is some.
func (x *index) walk() error {
	t := x.file.read("info", "abbrev", "str", "line_str", "str_offsets", "addr", "ranges", "rnglists")
	if t == nil {
		return nil
	}
	s := &scan{tables: t, budget: maxRanges, abbrevs: map[abbrevKey]*abbrevs{}}
	if err := s.walk(); err != nil {
		return x.file.unreadable(err)
	}
	units := make([]*unit, len(s.units))
	for i := range s.units {
		u := &s.units[i]
		units[i] = &unit{name: u.name, folder: u.folder, table: u.line}
		for _, r := range u.ranges {
			x.spans = append(x.spans, span{r, units[i]})
		}
	}
	x.units = units
	if err := x.take(s, func(p *piece) int32 { return p.unit }); err != nil {
		return x.file.unreadable(err)
	}
	if err := x.splitUnits(s, units); err != nil {
		return x.file.unreadable(err)
	}
	return nil
}

// unreadable says why the debug information cannot be read.
func (f *File) unreadable(err error) error {
	if errors.Is(err, errTooMuch) {
		return f.tooMuch("functions")
	}
	return fmt.Errorf("the debug information of `%s` is damaged", f.name())
}

// take adds the code that a scan has found; unit is the unit of a piece in index.units.
func (x *index) take(s *scan, unit func(*piece) int32) error {
	type function struct {
		number int32
		part   bool // of another one
	}
	known := make(map[uint32]function, len(s.decls)/4) // by their entries
	for i := range s.pieces {
		p := &s.pieces[i]
		of, ok := known[p.decl]
		if !ok {
			of.number = none
			if name, linkage := s.function(p.decl); name != "" || linkage != "" {
				n := named{name, linkage}
				of = function{x.number(n), n.outlined()}
			}
			known[p.decl] = of
		}
		fn := of.number
		if !p.whole && (fn == none || of.part) {
			continue // it belongs to what is around it
		}
		x.pieces = append(x.pieces, code{p.Range, p.depth, fn, unit(p), p.call})
		if p.whole {
			f := Function{Unit: x.units[unit(p)].name, Low: p.Low, High: p.High, entry: p.decl, piece: int32(len(x.pieces) - 1)}
			if fn != none {
				f.Name, f.alias = x.names[fn].name, x.names[fn].linkage
			}
			x.funcs = append(x.funcs, f)
		}
		if x.text > maxNameText {
			return errTooMuch
		}
	}
	return nil
}

// number is the number of a function, which has one for each pair of names.
func (x *index) number(n named) int32 {
	fn, ok := x.known[n]
	if !ok {
		fn = int32(len(x.names))
		x.known[n] = fn
		x.names = append(x.names, n)
		x.text += len(n.name) + len(n.linkage)
	}
	return fn
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
			if fn := &x.funcs[i]; fn.Name == "" {
				fn.Name = s.name
				x.pieces[fn.piece].fn = x.number(named{s.name, s.name})
			} else if fn.alias == "" {
				fn.alias = s.name
			}
			continue
		}
		if high < low {
			high = low
		}
		known[low] = len(x.funcs)
		x.funcs = append(x.funcs, Function{Name: s.name, Low: low, High: high, piece: none})
	}
	x.close(e)
	for i := range x.funcs {
		if fn := &x.funcs[i]; fn.piece == none {
			x.pieces = append(x.pieces, code{Range: Range{fn.Low, fn.High}, fn: x.number(named{fn.Name, fn.Name})})
		}
	}
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
	for _, i := range x.called(fn.Name) {
		if x.funcs[i].entry == fn.entry {
			parts = append(parts, &x.funcs[i])
		}
	}
	return parts
}

// called returns the functions that have exactly a name.
func (x *index) called(name string) []int {
	if x.byName == nil {
		x.byName = make(map[string][]int, len(x.funcs))
		for i, fn := range x.funcs {
			x.byName[fn.Name] = append(x.byName[fn.Name], i)
			if fn.alias != "" && fn.alias != fn.Name {
				x.byName[fn.alias] = append(x.byName[fn.alias], i)
			}
		}
	}
	return x.byName[name]
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
