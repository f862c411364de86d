package debuginfo

import (
	"cmp"
	"debug/elf"
	"path/filepath"
	"slices"
	"sort"
)

// contents returns the index, which is built when it is first needed.
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

// walk adds the functions in the debug information, if there is some.
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

// take adds the code that a scan has found. unit returns the index of a piece's unit in
// index.units.
func (x *index) take(s *scan, unit func(*piece) int32) error {
	type function struct {
		number int32
		part   bool // it is a part of another function, such as `f._omp_fn.0`
	}
	known := make(map[uint32]function, len(s.decls)/4) // functions by the offset of their entry
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
			continue // it belongs to the enclosing function
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

// number returns the index of the function with these names and adds the function if it
// is new.
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

// symbols adds the functions of the symbol tables. If the debug information has a
// function at the address already, the symbol is another name for it.
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

// close sets the ends of functions without a size, such as assembly functions. They end
// where the next function begins or where their section ends.
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

// flatten makes segments from nested pieces.
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

// splitUnits adds the functions of units whose debug information is in another file. If
// that file is missing, the symbol table still names the functions.
func (x *index) splitUnits(s *scan, units []*unit) error {
	var packed *packedUnits
	for i := range s.units {
		skeleton := &s.units[i]
		if skeleton.dwoName == "" {
			continue
		}
		if packed == nil {
			packed = readPacked(x.file.Path + ".dwp")
		}
		t := packed.unit(skeleton.dwoID)
		if t == nil {
			t = readSplit(x.splitPath(skeleton))
		}
		if t == nil {
			x.partial = true
			continue
		}
		t.addr, t.ranges, t.lineStr = s.addr, s.ranges, s.lineStr
		split := &scan{tables: t, budget: s.budget, abbrevs: map[abbrevKey]*abbrevs{}, skeleton: skeleton}
		if err := split.walk(); err != nil {
			return err
		}
		s.budget = split.budget
		if len(split.units) > 0 {
			units[i].name = split.units[0].name
		}
		if err := x.take(split, func(*piece) int32 { return int32(i) }); err != nil {
			return err
		}
	}
	return nil
}

// splitPath returns the path of a unit's file: where the compiler wrote it, else in the
// program's folder.
func (x *index) splitPath(u *scanUnit) string {
	path := joined(u.folder, u.dwoName)
	if regular(path) != nil {
		path = filepath.Join(filepath.Dir(x.file.Path), filepath.Base(u.dwoName))
	}
	return path
}
