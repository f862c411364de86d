package debuginfo

import (
	"debug/elf"
	"fmt"
	"path"
	"slices"
)

// Retarget finds the address in a new build of a program that stands for an
// address in an old one: the same place in the same function. The reason says
// how it was found, or why it cannot be.
func Retarget(old, rebuilt *File, addr uint64) (newAddr uint64, reason string, ok bool) {
	from, err := old.place(addr)
	if err != nil {
		return 0, err.Error(), false
	}
	to, err := rebuilt.counterpart(from.fn, old.name())
	if err != nil {
		return 0, err.Error(), false
	}
	m := &mapping{from, to, old, rebuilt}
	if newAddr, reason, ok = m.byCode(); ok {
		return newAddr, reason, true
	}
	return m.byLine()
}

// place is an address within its function, with what is known of the function.
type place struct {
	fn   Function
	addr uint64
	code []byte
	rows []row
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
			return nil, fmt.Errorf("`0x%x` lies in no function of `%s`", addr, f.name())
		}
		p, err := f.body(x, fn)
		if err != nil {
			return nil, err
		}
		p.addr = addr
		if addr >= fn.High && !f.returning(p, addr) {
			return nil, fmt.Errorf("`0x%x` lies in no function of `%s`", addr, f.name())
		}
		return p, nil
	})
}

// counterpart finds the function of an older build.
func (f *File) counterpart(fn Function, oldName string) (*place, error) {
	return guarded(f, func() (*place, error) {
		x, err := f.contents()
		if err != nil {
			return nil, err
		}
		name := fn.Name
		if fn.alias != "" && len(x.byName[fn.alias]) > 0 {
			name = fn.alias // the linker's name tells overloads and name spaces apart
		}
		var same []*Function
		for _, i := range x.byName[name] {
			same = append(same, &x.funcs[i])
		}
		if len(same) == 0 {
			return nil, fmt.Errorf("function `%s` of `%s` does not exist in `%s`", fn.Name, oldName, f.name())
		}
		for _, equal := range []func(a, b string) bool{
			func(a, b string) bool { return a == b },
			func(a, b string) bool { return path.Base(a) == path.Base(b) },
		} {
			if len(same) == 1 {
				break
			}
			var narrowed []*Function
			for _, s := range same {
				if equal(s.Unit, fn.Unit) {
					narrowed = append(narrowed, s)
				}
			}
			if len(narrowed) > 0 {
				same = narrowed
			}
		}
		if len(same) > 1 {
			return nil, fmt.Errorf("function `%s` exists %d times in `%s`", fn.Name, len(same), f.name())
		}
		if a, b := fn.Unit, same[0].Unit; a != "" && b != "" && path.Base(a) != path.Base(b) {
			return nil, fmt.Errorf("function `%s` was compiled from `%s` and is now compiled from `%s`", fn.Name, a, b)
		}
		return f.body(x, same[0])
	})
}

// maxBody bounds the code of one function that is looked at.
const maxBody = 16 << 20

// body collects a function's bytes and line table rows.
func (f *File) body(x *index, fn *Function) (*place, error) {
	p := &place{fn: *fn}
	size := fn.High - fn.Low
	for _, s := range f.elf.Sections {
		if s.Flags&elf.SHF_EXECINSTR != 0 && s.Type != elf.SHT_NOBITS && fn.Low >= s.Addr && size <= maxBody && fn.Low-s.Addr <= s.Size && size <= s.Size-(fn.Low-s.Addr) {
			code := make([]byte, size)
			if _, err := s.ReadAt(code, int64(fn.Low-s.Addr)); err == nil {
				p.code = code
			}
		}
	}
	if f.data == nil {
		return p, nil
	}
	for _, s := range x.spans {
		if s.Low > fn.Low || fn.Low >= s.High {
			continue
		}
		rows, err := f.lines(s.unit)
		if err != nil {
			return nil, err
		}
		for _, r := range rows {
			if r.low >= fn.Low && r.low < fn.High {
				r.high = min(r.high, fn.High)
				p.rows = append(p.rows, r)
			}
		}
		break
	}
	return p, nil
}

// mapping relates a function in two builds.
type mapping struct {
	from, to     *place
	old, rebuilt *File
}

// byCode keeps the offset where the function is the same, but for the
// distances to other code and data in it.
func (m *mapping) byCode() (uint64, string, bool) {
	offset := m.from.addr - m.from.fn.Low
	moved := fmt.Sprintf("offset 0x%x in `%s`, whose code kept its layout", offset, m.from.fn.Name)
	if m.from.code == nil || len(m.from.code) != len(m.to.code) {
		return 0, "", false
	}
	if !sameCode(m.from.code, m.to.code) || !m.sameShape() {
		return 0, "", false
	}
	return m.to.fn.Low + offset, moved, true
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

// sameShape reports whether both line tables say the same of the function, as
// far as both exist.
func (m *mapping) sameShape() bool {
	a, b := m.from, m.to
	if len(a.rows) == 0 || len(b.rows) == 0 {
		return true
	}
	return slices.EqualFunc(a.rows, b.rows, func(r, s row) bool {
		return r.low-a.fn.Low == s.low-b.fn.Low && r.high-r.low == s.high-s.low && r.column == s.column &&
			r.line-a.rows[0].line == s.line-b.rows[0].line
	})
}
