package debuginfo

import (
	"bytes"
	"cmp"
	"debug/elf"
)

// call is a call of a function: the address it returns to, and the callee's
// name from the program or its relocations, or "".
type call struct {
	next   uint64
	callee string
}

// calls lists the calls in the given line table rows of a function.
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

// call decodes the call instruction at an address. The callee may be a function
// of the program, a linker stub, or a function in a slot that the loader fills.
// Bytes that only look like a call are recognised by their target, which is not
// code.
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
	return f.to(addr+4, addr+uint64(int64(int32(word<<6))>>4)) // a signed distance of 26 bits, counted in words of 4 bytes
}

// distance reads a signed distance of four bytes.
func (f *File) distance(code []byte) uint64 {
	return uint64(int64(int32(f.elf.ByteOrder.Uint32(code))))
}

// to returns the call of the function at target. The call returns to next.
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

// executable returns the code section that contains an address, or nil.
func (f *File) executable(addr uint64) *elf.Section {
	for _, s := range f.elf.Sections {
		if s.Flags&elf.SHF_EXECINSTR != 0 && s.Addr <= addr && addr-s.Addr < s.Size {
			return s
		}
	}
	return nil
}

// place is an address in a function, with everything known about the function.
type place struct {
	addr  uint64
	at    int // index of the part that contains the address
	parts []part
	rows  []row // of all parts
}

// part is a piece of a function. An optimizing compiler moves rarely executed
// code, `f.cold`, far away from the other code of `f`.
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

// maxBody is the largest size of a function whose code is read.
const maxBody = 16 << 20

// body returns the bytes and the line table rows of all parts of a function.
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

// code returns a function's bytes, or nil if they cannot be read.
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

// rowsOf returns the line table rows of a function.
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

// A program calls a function of a shared library through a linker stub. The
// stub jumps to the address in a slot, which the loader fills. Relocations say
// which slot belongs to which function.

// slots returns the function that the loader puts into each slot.
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
		return nil // a damaged table has no names
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

// slotName returns the function that a relocation is for, or "" if it fills no
// slot.
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

// stub returns the function that a stub jumps to, or "" if the code is not a
// stub.
func (f *File) stub(s *elf.Section, addr uint64) string {
	code := make([]byte, 16)
	n, _ := s.ReadAt(code, int64(addr-s.Addr)) // ignore the error: the last stub may be shorter than code
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

// page returns the page that an adrp instruction refers to.
func page(at uint64, word uint32) uint64 {
	pages := uint64(int64(int32(word<<8))>>13)<<2 | uint64(word>>29&3)
	return at&^0xfff + pages<<12
}
