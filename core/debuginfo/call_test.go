package debuginfo

import (
	"bytes"
	"debug/elf"
	"encoding/binary"
	"testing"
)

// TestCalls checks that only calls that lead to code are recognised, and that each
// returns to the address directly after it.
func TestCalls(t *testing.T) {
	// The code begins at 0x1000, a function at 0x1100, and the slot of another
	// function is at 0x3010.
	for _, c := range []struct {
		name    string
		machine elf.Machine
		code    string
		callee  string
		size    uint64 // 0 if it is not a call
	}{
		{"call", elf.EM_X86_64, "\xe8\xfb\x00\x00\x00\x90\x90", "callee", 5},
		{"call of an unknown function", elf.EM_X86_64, "\xe8\xfa\x00\x00\x00\x90\x90", "", 5},
		{"call backwards out of the code", elf.EM_X86_64, "\xe8\xfa\xff\xff\xff\x90\x90", "", 0},
		{"call behind the end of the code", elf.EM_X86_64, "\xe8\xfb\x01\x00\x00\x90\x90", "", 0},
		{"call of the last byte", elf.EM_X86_64, "\xe8\xfa\x01\x00\x00\x90\x90", "", 5},
		{"half a call", elf.EM_X86_64, "\xe8\xfb\x00\x00", "", 0},
		{"call on 32 bits", elf.EM_386, "\xe8\xfb\x00\x00\x00\x90\x90", "callee", 5},
		{"call through a slot", elf.EM_X86_64, "\xff\x15\x0a\x20\x00\x00\x90", "puts", 6},
		{"call through another slot", elf.EM_X86_64, "\xff\x15\x0b\x20\x00\x00\x90", "", 0},
		{"call through a slot on 32 bits", elf.EM_386, "\xff\x15\x0a\x20\x00\x00\x90", "", 0},
		{"half a call through a slot", elf.EM_X86_64, "\xff\x15\x0a\x20\x00", "", 0},
		{"jmp", elf.EM_X86_64, "\xe9\xfb\x00\x00\x00\x90\x90", "", 0},
		{"bl", elf.EM_AARCH64, "\x40\x00\x00\x94\x1f\x20\x03\xd5", "callee", 4},
		{"bl backwards out of the code", elf.EM_AARCH64, "\xff\xff\xff\x97\x1f\x20\x03\xd5", "", 0},
		{"b", elf.EM_AARCH64, "\x40\x00\x00\x14\x1f\x20\x03\xd5", "", 0},
		{"half a bl", elf.EM_AARCH64, "\x40\x00\x00", "", 0},
		{"another machine", elf.EM_RISCV, "\xe8\xfb\x00\x00\x00\x90\x90", "", 0},
	} {
		memory := make([]byte, 0x200)
		copy(memory, c.code)
		text := &elf.Section{SectionHeader: elf.SectionHeader{Addr: 0x1000, Size: 0x200, Flags: elf.SHF_EXECINSTR}, ReaderAt: bytes.NewReader(memory)}
		caller := Function{Name: "caller", Low: 0x1000, High: 0x1000 + uint64(len(c.code))}
		f := &File{
			elf: &elf.File{FileHeader: elf.FileHeader{Machine: c.machine, ByteOrder: binary.LittleEndian}, Sections: []*elf.Section{text}},
			index: &index{
				slots: map[uint64]string{0x3010: "puts"},
				funcs: []Function{caller, {Name: "callee", Low: 0x1100, High: 0x1110}},
			},
		}
		p := &place{parts: []part{{caller, []byte(c.code)}}}
		got, ok := f.call(p, 0x1000)
		if ok != (c.size > 0) || ok && (got.callee != c.callee || got.next != 0x1000+c.size) {
			t.Errorf("%s: %+v, %v; want a call of %q that takes %d bytes, where 0 is no call", c.name, got, ok, c.callee, c.size)
		}
		for size := range uint64(len(c.code)) {
			if got := f.returning(p, 0x1000+size); got != (size > 0 && size == c.size) {
				t.Errorf("%s: returning to byte %d is %v, want %v", c.name, size, got, (size > 0 && size == c.size))
			}
		}
		all := f.calls(p, []row{{low: caller.Low, high: caller.High}})
		if want := min(c.size, 1); uint64(len(all)) != want {
			t.Errorf("%s: %d calls, want %v", c.name, len(all), want)
		}
	}
	if _, ok := (&File{}).call(&place{parts: []part{{Function{Low: 0x1000}, []byte("\xe8\xfb\x00\x00\x00")}}}, 0xfff); ok {
		t.Error("a call before the function")
	}
}
