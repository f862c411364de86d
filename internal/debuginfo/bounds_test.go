package debuginfo

import (
	"bytes"
	"encoding/binary"
	"os"
	"strings"
	"testing"
)

// header begins a line table of a version.
func header(version uint16, rest ...byte) []byte {
	b := binary.LittleEndian.AppendUint32(nil, 100)
	b = binary.LittleEndian.AppendUint16(b, version)
	if version >= 5 {
		b = append(b, 8, 0)
	}
	b = binary.LittleEndian.AppendUint32(b, 50)
	b = append(b, 1)
	if version >= 4 {
		b = append(b, 1)
	}
	b = append(b, 1, 0xfb, 14, 3, 0, 1)
	return append(b, rest...)
}

// wideHeader begins a line table of version 5 whose offsets have 8 bytes.
func wideHeader(rest ...byte) []byte {
	b := binary.LittleEndian.AppendUint32(nil, 0xffffffff)
	b = binary.LittleEndian.AppendUint64(b, 100)
	b = append(binary.LittleEndian.AppendUint16(b, 5), 8, 0)
	b = binary.LittleEndian.AppendUint64(b, 50)
	b = append(b, 1, 1, 1, 0xfb, 14, 3, 0, 1)
	return append(b, rest...)
}

func TestLineHeader(t *testing.T) {
	huge := binary.AppendUvarint(nil, 1<<40)
	for _, c := range []struct {
		name string
		data []byte
		ok   bool
	}{
		{"nothing", nil, false},
		{"version 5", header(5, 1, 1, 8, 1, 'd', 0, 1, 1, 8, 2, 'a', 0, 'b', 0), true},
		{"many folders", header(5, append([]byte{1, 1, 8}, huge...)...), false},
		{"many folders without columns", header(5, append([]byte{0}, huge...)...), false},
		{"many files", header(5, append([]byte{1, 1, 8, 1, 'd', 0, 1, 1, 8}, huge...)...), false},
		{"cut", header(5, 1, 1, 8, 2, 'd', 0), false},
		{"long block", header(5, append([]byte{1, 1, 9, 1}, huge...)...), false},
		{"unknown form", header(5, 1, 1, 0x77, 1, 0, 0, 0), false},
		{"wide offsets", wideHeader(1, 1, 0x1f, 1, 0, 0, 0, 0, 0, 0, 0, 0, 1, 1, 8, 1, 'a', 0), true},
		{"cut wide offset", wideHeader(1, 1, 8, 1, 'd', 0, 1, 1, 0x1f, 1, 0, 0, 0, 0), false},
		{"version 4", header(4, 'd', 0, 0, 'a', 0, 0, 0, 0, 0), true},
		{"version 2", header(2, 0, 'a', 0, 0, 0, 0, 0), true},
		{"endless names", header(4, bytes.Repeat([]byte("d\x00"), maxFiles+1)...), false},
		{"long folder", header(4, []byte(strings.Repeat("d", maxName+1)+"\x00\x00\x00")...), false},
	} {
		h := &lineHeader{data: c.data, order: binary.LittleEndian}
		if err := h.check(); (err == nil) != c.ok {
			t.Errorf("%s: %v", c.name, err)
		}
	}
}

func TestLongestString(t *testing.T) {
	for text, want := range map[string]int{"": 0, "ab\x00abc\x00": 3, "ab\x00abcd": 4} {
		if got, err := longestIn(strings.NewReader(text)); err != nil || got != want {
			t.Errorf("%q: %d, %v", text, got, err)
		}
	}
	if _, err := longestIn(strings.NewReader(strings.Repeat("x", longestString+1))); err == nil {
		t.Error("a string of any length is taken")
	}
}

// TestManySections claims more sections, or more bytes of their names, than
// are read.
func TestManySections(t *testing.T) {
	program, err := os.ReadFile(compile(t, t.TempDir(), particles, "-g"))
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
