package debuginfo

import (
	"bytes"
	"debug/elf"
)

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
