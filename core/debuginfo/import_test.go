package debuginfo

import (
	"bytes"
	"debug/elf"
	"encoding/binary"
	"testing"
)

// TestStubs checks that a stub leads to the function in its slot, even the
// last stub of a section. Other code, or half a stub, leads nowhere.
func TestStubs(t *testing.T) {
	// The stubs are at 0x1000, and the slot at 0x3010.
	for _, c := range []struct {
		name    string
		machine elf.Machine
		code    string
		want    string
	}{
		{"jmp", elf.EM_X86_64, "\xff\x25\x0a\x20\x00\x00", "puts"},
		{"endbr64, jmp", elf.EM_X86_64, "\xf3\x0f\x1e\xfa\xff\x25\x06\x20\x00\x00\x90", "puts"},
		{"endbr64, bnd jmp", elf.EM_X86_64, "\xf3\x0f\x1e\xfa\xf2\xff\x25\x05\x20\x00\x00", "puts"},
		{"jmp to another slot", elf.EM_X86_64, "\xff\x25\x0b\x20\x00\x00", ""},
		{"half a jmp", elf.EM_X86_64, "\xff\x25\x0a\x20\x00", ""},
		{"a call", elf.EM_X86_64, "\xff\x15\x0a\x20\x00\x00", ""},
		{"adrp, ldr", elf.EM_AARCH64, "\x10\x00\x00\xd0\x11\x0a\x40\xf9", "puts"},
		{"bti, adrp, ldr", elf.EM_AARCH64, "\x5f\x24\x03\xd5\x10\x00\x00\xd0\x11\x0a\x40\xf9", "puts"},
		{"adrp alone", elf.EM_AARCH64, "\x10\x00\x00\xd0\x11\x0a\x40", ""},
		{"adrp of another page", elf.EM_AARCH64, "\x10\x00\x00\xf0\x11\x0a\x40\xf9", ""},
		{"another machine", elf.EM_RISCV, "\xff\x25\x0a\x20\x00\x00", ""},
	} {
		f := &File{elf: &elf.File{FileHeader: elf.FileHeader{Machine: c.machine, ByteOrder: binary.LittleEndian}}, index: &index{slots: map[uint64]string{0x3010: "puts"}}}
		s := &elf.Section{SectionHeader: elf.SectionHeader{Addr: 0x1000}, ReaderAt: bytes.NewReader([]byte(c.code))}
		if got := f.stub(s, 0x1000); got != c.want {
			t.Errorf("%s: %q, want %q", c.name, got, c.want)
		}
	}
}
