package debuginfo

import (
	"debug/elf"
	"fmt"
	"path"
	"slices"
)

// Retarget finds the address in a new build of a program that stands for an
// address in an old one: the same place in the same function, which is the innermost one
// where it is what a call returns to. The reason says how it was found, or why it cannot be.
func Retarget(old, rebuilt *File, addr uint64) (newAddr uint64, reason string, ok bool) {
	from, err := old.place(addr - old.Base)
	if err != nil {
		return 0, err.Error(), false
	}
	within := innermost(old, rebuilt, from)
	to, err := rebuilt.counterpart(from.part().Function, old.name())
	if err != nil && within == nil {
		return 0, err.Error(), false
	}
	m := &mapping{from, to, old, rebuilt}
	if err == nil && (within == nil || within.keeps(to)) {
		newAddr, reason, ok = m.byCode()
	}
	switch {
	case ok:
	case within != nil:
		newAddr, reason, ok = within.follow()
	default:
		newAddr, reason, ok = m.byLine()
	}
	if !ok {
		return 0, reason, false
	}
	return newAddr + rebuilt.Base, reason, true
}

// place is an address within its function, with what is known of the function.
type place struct {
	addr  uint64
	at    int // the part that holds it
	parts []part
	rows  []row // of all parts
}

// part is a piece of a function: an optimizing compiler puts what it thinks is
// seldom run, `f.cold`, far away from the rest of `f`.
type part struct {
	Function
	code []byte
}

func (p *place) part() *part { return &p.parts[p.at] }

// within returns the rows of one part.
func (p *place) within(q *part) []row {
	var rows []row
	for _, r := range p.rows {
		if r.low >= q.Low && r.low < q.High {
			rows = append(rows, r)
		}
	}
	return rows
}

func (f *File) place(addr uint64) (*place, error) {
	return guarded(f, func() (*place, error) {
		x, err := f.contents()
		if err != nil {
			return nil, err
		}
		fn := x.function(addr)
		if fn == nil {
			fn = x.function(addr - 1) // which may end in a call that never returns
		}
		if fn == nil || fn.Name == "" {
			return nil, fmt.Errorf("`0x%x` lies in no function of `%s`", addr+f.Base, f.name())
		}
		p, err := f.body(x, fn)
		if err != nil {
			return nil, err
		}
		p.addr = addr
		if addr >= fn.High && !f.returning(p, addr) {
			return nil, fmt.Errorf("`0x%x` lies in no function of `%s`", addr+f.Base, f.name())
		}
		return p, nil
	})
}

// counterpart finds the function of an older build, or the part of it.
func (f *File) counterpart(fn Function, oldName string) (*place, error) {
	return guarded(f, func() (*place, error) {
		x, err := f.contents()
		if err != nil {
			return nil, err
		}
		name := fn.Name
		if fn.alias != "" && len(x.called(fn.alias)) > 0 {
			name = fn.alias // the linker's name tells overloads and name spaces apart
		}
		var same []*Function
		for _, i := range x.called(name) {
			same = append(same, &x.funcs[i])
		}
		if len(same) == 0 {
			return nil, fmt.Errorf("function `%s` of `%s` does not exist in `%s`", fn.Name, oldName, f.name())
		}
		for _, equal := range []func(s *Function) bool{
			func(s *Function) bool { return s.alias == fn.alias },
			func(s *Function) bool { return s.Unit == fn.Unit },
			func(s *Function) bool { return path.Base(s.Unit) == path.Base(fn.Unit) },
		} {
			if narrowed := slices.DeleteFunc(slices.Clone(same), func(s *Function) bool { return !equal(s) }); len(narrowed) > 0 {
				same = narrowed
			}
		}
		for _, s := range same[1:] {
			if s.entry == 0 || s.entry != same[0].entry {
				return nil, fmt.Errorf("function `%s` exists %d times in `%s`", fn.Name, len(same), f.name())
			}
		}
		if a, b := fn.Unit, same[0].Unit; a != "" && b != "" && path.Base(a) != path.Base(b) {
			return nil, fmt.Errorf("function `%s` was compiled from `%s` and is now compiled from `%s`", fn.Name, a, b)
		}
		return f.body(x, same[0])
	})
}

// maxBody bounds the code of one function that is looked at.
const maxBody = 16 << 20

// body collects the bytes and line table rows of a function, all its parts.
func (f *File) body(x *index, fn *Function) (*place, error) {
	p := &place{}
	for i, q := range x.parts(fn) {
		if q == fn {
			p.at = i
		}
		p.parts = append(p.parts, part{*q, f.code(q)})
		rows, err := f.rowsOf(x, q)
		if err != nil {
			return nil, err
		}
		p.rows = append(p.rows, rows...)
	}
	return p, nil
}

// code returns a function's bytes, or nil where they cannot be read.
func (f *File) code(fn *Function) []byte {
	size := fn.High - fn.Low
	for _, s := range f.elf.Sections {
		if s.Flags&elf.SHF_EXECINSTR != 0 && s.Type != elf.SHT_NOBITS && fn.Low >= s.Addr && size <= maxBody && fn.Low-s.Addr <= s.Size && size <= s.Size-(fn.Low-s.Addr) {
			code := make([]byte, size)
			if _, err := s.ReadAt(code, int64(fn.Low-s.Addr)); err == nil {
				return code
			}
		}
	}
	return nil
}

// rowsOf returns the rows of the line table that lie in a function.
func (f *File) rowsOf(x *index, fn *Function) ([]row, error) {
	if f.from == nil {
		return nil, nil
	}
	for _, s := range x.spans {
		if s.Low > fn.Low || fn.Low >= s.High {
			continue
		}
		all, err := f.rowsIn(s.unit)
		if err != nil {
			return nil, err
		}
		var rows []row
		for _, r := range all {
			if r.low >= fn.Low && r.low < fn.High {
				r.high = min(r.high, fn.High)
				rows = append(rows, r)
			}
		}
		return rows, nil
	}
	return nil, nil
}

// mapping relates a function in two builds.
type mapping struct {
	from, to     *place
	old, rebuilt *File
}

// byCode keeps the offset where the function, or the part of it, is the same,
// but for the distances to other code and data in it.
func (m *mapping) byCode() (uint64, string, bool) {
	if len(m.from.parts) != len(m.to.parts) {
		return 0, "", false
	}
	a, b := m.from.part(), m.to.part()
	offset := m.from.addr - a.Low
	moved := fmt.Sprintf("offset 0x%x in `%s`, whose code kept its layout", offset, a.Name)
	if a.code == nil || len(a.code) != len(b.code) || !sameCode(a.code, b.code) {
		return 0, "", false
	}
	if !sameShape(m.from.within(a), m.to.within(b), a.Low, b.Low) {
		return 0, "", false
	}
	return b.Low + offset, moved, true
}

// sameCode reports whether two functions differ in runs of at most four bytes
// only, which is what a distance takes.
func sameCode(a, b []byte) bool {
	const distance = 4
	start := -distance // of the last distance that differs
	for i := range a {
		if a[i] == b[i] {
			continue
		}
		switch {
		case i < start+distance:
		case i == start+distance && start >= 0:
			return false
		default:
			start = i
		}
	}
	return true
}

// sameShape reports whether the rows of two functions say the same of them, as
// far as both have some.
func sameShape(a, b []row, lowA, lowB uint64) bool {
	if len(a) == 0 || len(b) == 0 {
		return true
	}
	return slices.EqualFunc(a, b, func(r, s row) bool {
		return r.low-lowA == s.low-lowB && r.high-r.low == s.high-s.low && r.column == s.column &&
			r.line-a[0].line == s.line-b[0].line
	})
}
