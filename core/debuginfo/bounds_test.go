package debuginfo

import (
	"bytes"
	"debug/elf"
	"encoding/binary"
	"errors"
	"io"
	"os"
	"strings"
	"testing"
	"testing/iotest"
)

func TestLongestString(t *testing.T) {
	for text, want := range map[string]int{"": 0, "ab\x00abc\x00": 3, "ab\x00abcd": 4} {
		if got, err := longestIn(strings.NewReader(text)); err != nil || got != want {
			t.Errorf("%q: %d, %v", text, got, err)
		}
	}
	if _, err := longestIn(strings.NewReader(strings.Repeat("x", longestString+1))); err == nil {
		t.Error("a string of any length is taken")
	}
	if got, err := longestIn(iotest.OneByteReader(strings.NewReader(strings.Repeat("x", longestString) + "\x00y"))); err != nil || got != longestString {
		t.Errorf("the longest string that is taken: %d, %v", got, err)
	}
	for name, r := range map[string]io.Reader{
		"a section that cannot be read":  iotest.ErrReader(errors.New("damaged")),
		"a section that ends too early":  io.MultiReader(strings.NewReader("ab\x00"), iotest.ErrReader(io.ErrUnexpectedEOF)),
		"a section that gives no bytes":  iotest.ErrReader(nil),
		"a section that stops in a name": iotest.TimeoutReader(strings.NewReader("ab")),
	} {
		if _, err := longestIn(r); err == nil {
			t.Errorf("%s: no error", name)
		}
	}
}

// TestHeader checks that the length of the section names is read from a file's header,
// in both byte orders and both address sizes.
func TestHeader(t *testing.T) {
	orders := map[byte]interface {
		binary.ByteOrder
		binary.AppendByteOrder
	}{byte(elf.ELFDATA2LSB): binary.LittleEndian, byte(elf.ELFDATA2MSB): binary.BigEndian}
	for data, order := range orders {
		for _, class := range []elf.Class{elf.ELFCLASS32, elf.ELFCLASS64} {
			// file returns a header, followed at offset 200 by a table of two sections.
			// The second section has the section names.
			file := func(at uint64, count uint16, names uint64) []byte {
				b := make([]byte, 200)
				b[elf.EI_DATA], b[elf.EI_CLASS] = data, byte(class)
				half := func(at int, n uint16) { order.PutUint16(b[at:], n) }
				if class == elf.ELFCLASS64 {
					order.PutUint64(b[40:], at)
					half(58, 64)
					half(60, count)
					half(62, 1)
					b = append(b, make([]byte, 128)...)
					order.PutUint64(b[200+64+32:], names)
					return b
				}
				order.PutUint32(b[32:], uint32(at))
				half(46, 40)
				half(48, count)
				half(50, 1)
				b = append(b, make([]byte, 80)...)
				order.PutUint32(b[200+40+20:], uint32(names))
				return b
			}
			whole := file(200, 2, maxNames)
			for _, c := range []struct {
				name string
				file []byte
				ok   bool
			}{
				{"the longest names", whole, true},
				{"longer names", file(200, 2, maxNames+1), false},
				{"no table", file(0, 0, 0), true},
				{"a table without a count", file(200, 0, 0), false},
				{"the most sections", file(200, maxSections, 1), true},
				{"more sections", file(200, maxSections+1, 1), false},
				{"a table behind the end", file(1000, 2, 1), false},
				{"cut in the table", whole[:len(whole)-1], false},
				{"cut in the header", whole[:51], false},
				{"nothing", nil, false},
			} {
				path := t.TempDir() + "/program"
				if err := os.WriteFile(path, c.file, 0o644); err != nil {
					t.Fatal(err)
				}
				disk, err := os.Open(path)
				if err != nil {
					t.Fatal(err)
				}
				if err := checkHeader(disk); (err == nil) != c.ok {
					t.Errorf("%s, %s, %s: %v", order, class, c.name, err)
				}
				disk.Close()
			}
		}
	}
}

// TestSectionSizes checks that a section larger than its file is refused, unless it is
// compressed or empty.
func TestSectionSizes(t *testing.T) {
	for _, c := range []struct {
		name       string
		kind       elf.SectionType
		disk, size uint64
		file       int64
		ok         bool
	}{
		{"a section", elf.SHT_PROGBITS, 100, 100, 100, true},
		{"more than the file", elf.SHT_PROGBITS, 101, 101, 100, false},
		{"no bytes in the file", elf.SHT_NOBITS, 0, 1 << 40, 100, true},
		{"packed", elf.SHT_PROGBITS, 100, 100 * maxInflation, 100, true},
		{"packed beyond what is possible", elf.SHT_PROGBITS, 100, 100*maxInflation + 1, 100, false},
		{"the largest", elf.SHT_PROGBITS, maxSection, maxSection, maxSection, true},
		{"larger", elf.SHT_PROGBITS, maxSection + 1, maxSection + 1, 1 << 40, false},
	} {
		e := &elf.File{Sections: []*elf.Section{{}, {SectionHeader: elf.SectionHeader{Type: c.kind, FileSize: c.disk, Size: c.size}}}}
		if err := checkSizes(e, c.file); (err == nil) != c.ok {
			t.Errorf("%s: %v", c.name, err)
		}
	}
}

// TestManySections checks that a file is refused if it claims more sections, or more
// bytes of section names, than the limits allow.
func TestManySections(t *testing.T) {
	program, err := os.ReadFile(compile(t, t.TempDir(), jacobi, "-g"))
	if err != nil {
		t.Fatal(err)
	}
	const count, table, names = 60, 40, 62
	change := func(edit func(b []byte)) string {
		b := bytes.Clone(program)
		edit(b)
		path := t.TempDir() + "/program"
		if err := os.WriteFile(path, b, 0o644); err != nil {
			t.Fatal(err)
		}
		return path
	}
	le := binary.LittleEndian
	for name, edit := range map[string]func(b []byte){
		"sections": func(b []byte) { le.PutUint16(b[count:], 60000) },
		"extended": func(b []byte) { le.PutUint16(b[count:], 0) },
		"names": func(b []byte) {
			le.PutUint64(b[le.Uint64(b[table:])+64*uint64(le.Uint16(b[names:]))+32:], 1<<30)
		},
	} {
		if _, err := Open(change(edit), Options{}); err == nil || !strings.HasSuffix(err.Error(), "is not a program in ELF format, or it is damaged") {
			t.Errorf("%s: %v", name, err)
		}
	}
}
