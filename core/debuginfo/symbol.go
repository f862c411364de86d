package debuginfo

import (
	"bytes"
	"debug/elf"
)

// symbol is a function in a symbol table.
type symbol struct {
	name      string
	low, size uint64
}

// functionSymbols reads the functions of both symbol tables. Names are
// extracted only for functions, since a table may mention one long string a
// million times.
func functionSymbols(e *elf.File) []symbol {
	var all []symbol
	for _, kind := range []elf.SectionType{elf.SHT_SYMTAB, elf.SHT_DYNSYM} {
		table := e.SectionByType(kind)
		if table == nil || int(table.Link) >= len(e.Sections) {
			continue
		}
		data, err := table.Data()
		if err != nil {
			continue // skip a damaged table, whose symbols have no names
		}
		names, err := e.Sections[table.Link].Data()
		if err != nil {
			continue
		}
		all = append(all, readSymbols(e, data, names)...)
	}
	return all
}

func readSymbols(e *elf.File, data, names []byte) []symbol {
	var all []symbol
	text := 0
	size := elf.Sym64Size
	if e.Class == elf.ELFCLASS32 {
		size = elf.Sym32Size
	}
	for ; len(data) >= size; data = data[size:] {
		name := uint64(e.ByteOrder.Uint32(data))
		var info byte
		var section uint16
		var s symbol
		if e.Class == elf.ELFCLASS32 {
			s.low, s.size = uint64(e.ByteOrder.Uint32(data[4:])), uint64(e.ByteOrder.Uint32(data[8:]))
			info, section = data[12], e.ByteOrder.Uint16(data[14:])
		} else {
			info, section = data[4], e.ByteOrder.Uint16(data[6:])
			s.low, s.size = e.ByteOrder.Uint64(data[8:]), e.ByteOrder.Uint64(data[16:])
		}
		kind := elf.ST_TYPE(info)
		if kind != elf.STT_FUNC && kind != elf.STT_GNU_IFUNC || section == uint16(elf.SHN_UNDEF) || s.low == 0 || name >= uint64(len(names)) {
			continue
		}
		start := names[name:min(name+maxName, uint64(len(names)))]
		end := bytes.IndexByte(start, 0)
		if end <= 0 {
			continue
		}
		if text += end; text > maxNameText {
			break
		}
		s.name = string(start[:end])
		if e.Machine == elf.EM_ARM {
			s.low &^= 1 // the bit that marks Thumb code
		}
		all = append(all, s)
	}
	return all
}
