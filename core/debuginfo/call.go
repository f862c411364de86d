package debuginfo

import (
	"bytes"
	"cmp"
	"debug/elf"
)

// call is a call of a function that the program or its relocations name: the
// address it returns to, and the callee, empty where that has no name.
type call struct {
	next   uint64
	callee string
}

// calls lists the calls in some rows of a function.
func (f *File) calls(p *place, rows []row) []call {
	var all []call
	for _, r := range rows {
		for addr := r.low; addr < r.high; {
			c, ok := f.call(p, addr)
			if !ok {
				addr++
				continue
			}
			all = append(all, c)
			addr = c.next
		}
	}
	return all
}

// returning reports whether a call returns to an address.
func (f *File) returning(p *place, addr uint64) bool {
	for _, size := range []uint64{6, 5, 4} {
		if c, ok := f.call(p, addr-size); ok && c.next == addr {
			return true
		}
	}
	return false
}

// call decodes a call at an address: one of a function of the program, of a
// stub of the linker's table, or through a slot that the loader fills. Bytes that
// only look like a call lead nowhere.
func (f *File) call(p *place, addr uint64) (call, bool) {
	for _, q := range p.parts {
		if addr < q.Low || addr-q.Low >= uint64(len(q.code)) {
			continue
		}
		code := q.code[addr-q.Low:]
		switch f.elf.Machine {
		case elf.EM_X86_64, elf.EM_386:
			return f.callX86(code, addr)
		case elf.EM_AARCH64:
			return f.callARM64(code, addr)
		}
	}
	return call{}, false
}

func (f *File) callX86(code []byte, addr uint64) (call, bool) {
	if len(code) >= 5 && code[0] == 0xe8 {
		next := addr + 5
		return f.to(next, next+f.distance(code[1:]))
	}
	if len(code) >= 6 && code[0] == 0xff && code[1] == 0x15 && f.elf.Machine == elf.EM_X86_64 {
		next := addr + 6
		name := f.index.slots[next+f.distance(code[2:])]
		return call{next, name}, name != ""
	}
	return call{}, false
}

func (f *File) callARM64(code []byte, addr uint64) (call, bool) {
	if len(code) < 4 || addr%4 != 0 {
		return call{}, false
	}
	word := f.elf.ByteOrder.Uint32(code)
	if word>>26 != 0x25 {
		return call{}, false
	}
	return f.to(addr+4, addr+uint64(int64(int32(word<<6))>>4)) // 26 bits, in words
}

// distance reads a signed distance of four bytes.
func (f *File) distance(code []byte) uint64 {
	return uint64(int64(int32(f.elf.ByteOrder.Uint32(code))))
}

// to is the call of a target.
func (f *File) to(next, target uint64) (call, bool) {
	s := f.executable(target)
	if s == nil {
		return call{}, false
	}
	c := call{next: next}
	if fn := f.index.function(target); fn != nil && fn.Low == target {
		c.callee = cmp.Or(fn.alias, fn.Name)
	} else {
		c.callee = f.stub(s, target)
	}
	return c, true
}

// executable returns the section of code that holds an address, or nil.
func (f *File) executable(addr uint64) *elf.Section {
	for _, s := range f.elf.Sections {
		if s.Flags&elf.SHF_EXECINSTR != 0 && s.Addr <= addr && addr-s.Addr < s.Size {
			return s
		}
	}
	return nil
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

// A function of a shared library is called through a stub of the linker, which
// jumps to the address in a slot, which the loader fills. Relocations say which
// slot is for which function.

// slots reads which function the loader puts into which slot.
func slots(e *elf.File) map[uint64]string {
	if e.Class != elf.ELFCLASS64 {
		return nil
	}
	table := e.SectionByType(elf.SHT_DYNSYM)
	if table == nil || int(table.Link) >= len(e.Sections) {
		return nil
	}
	symbols, err := table.Data()
	if err != nil {
		return nil // a damaged table names nothing
	}
	names, err := e.Sections[table.Link].Data()
	if err != nil {
		return nil
	}
	all := make(map[uint64]string)
	text := 0
	for _, s := range e.Sections {
		if s.Type != elf.SHT_RELA {
			continue
		}
		data, err := s.Data()
		if err != nil {
			continue
		}
		const size = 24
		for ; len(data) >= size && text < maxNameText; data = data[size:] {
			slot, info := e.ByteOrder.Uint64(data), e.ByteOrder.Uint64(data[8:])
			if name := slotName(e, info, symbols, names); name != "" {
				all[slot] = name
				text += len(name)
			}
		}
	}
	return all
}

// slotName is the function that a relocation is for, empty where it fills no slot.
func slotName(e *elf.File, info uint64, symbols, names []byte) string {
	switch kind := elf.R_TYPE64(info); e.Machine {
	case elf.EM_X86_64:
		if r := elf.R_X86_64(kind); r != elf.R_X86_64_JMP_SLOT && r != elf.R_X86_64_GLOB_DAT {
			return ""
		}
	case elf.EM_AARCH64:
		if r := elf.R_AARCH64(kind); r != elf.R_AARCH64_JUMP_SLOT && r != elf.R_AARCH64_GLOB_DAT {
			return ""
		}
	default:
		return ""
	}
	at := uint64(elf.R_SYM64(info)) * elf.Sym64Size
	if at+elf.Sym64Size > uint64(len(symbols)) {
		return ""
	}
	name := uint64(e.ByteOrder.Uint32(symbols[at:]))
	if name >= uint64(len(names)) {
		return ""
	}
	start := names[name:min(name+maxName, uint64(len(names)))]
	return string(start[:max(bytes.IndexByte(start, 0), 0)])
}

// stub is the function that a stub jumps to, empty where the code is no stub.
func (f *File) stub(s *elf.Section, addr uint64) string {
	code := make([]byte, 16)
	n, _ := s.ReadAt(code, int64(addr-s.Addr)) // the last stub may be shorter
	code = code[:n]
	switch f.elf.Machine {
	case elf.EM_X86_64:
		for _, mark := range []string{"\xf3\x0f\x1e\xfa", "\xf2"} { // endbr64, bnd
			if bytes.HasPrefix(code, []byte(mark)) {
				code, addr = code[len(mark):], addr+uint64(len(mark))
			}
		}
		if len(code) >= 6 && code[0] == 0xff && code[1] == 0x25 { // jmp *distance(%rip)
			return f.index.slots[addr+6+f.distance(code[2:])]
		}
	case elf.EM_AARCH64:
		word := func(i int) uint32 { return f.elf.ByteOrder.Uint32(code[i:]) }
		if len(code) >= 4 && word(0) == 0xd503245f { // bti c
			code, addr = code[4:], addr+4
		}
		if len(code) >= 8 && word(0)&0x9f000000 == 0x90000000 && word(4)&0xffc00000 == 0xf9400000 { // adrp, ldr
			return f.index.slots[page(addr, word(0))+uint64(word(4)>>10&0xfff)*8]
		}
	}
	return ""
}

// page is the page that an adrp instruction leads to.
func page(at uint64, word uint32) uint64 {
	pages := uint64(int64(int32(word<<8))>>13)<<2 | uint64(word>>29&3)
	return at&^0xfff + pages<<12
}
