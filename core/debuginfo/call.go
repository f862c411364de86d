package debuginfo

import (
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
