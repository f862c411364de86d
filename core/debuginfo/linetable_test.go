package debuginfo

import (
	"bytes"
	"debug/elf"
	"encoding/binary"
	"fmt"
	"slices"
	"strings"
	"testing"
)

// lineTableOf makes a line table of a version from its names and its program.
func lineTableOf(version uint16, wide bool, names, program []byte) []byte {
	le := binary.LittleEndian
	offset := func(b []byte, n int) []byte {
		if wide {
			return le.AppendUint64(b, uint64(n))
		}
		return le.AppendUint32(b, uint32(n))
	}
	head := []byte{1}
	if version >= 4 {
		head = append(head, 1)
	}
	head = append(head, 1, 0xfb, 14, 13, 0, 1, 1, 1, 1, 0, 0, 0, 1, 0, 0, 1)
	head = append(head, names...)
	body := le.AppendUint16(nil, version)
	if version >= 5 {
		body = append(body, 8, 0)
	}
	body = append(append(offset(body, len(head)), head...), program...)
	if wide {
		return append(offset([]byte{0xff, 0xff, 0xff, 0xff}, len(body)), body...)
	}
	return append(offset(nil, len(body)), body...)
}

// readTable reads the line table of a unit in the folder `/src`.
func readTable(table []byte) (*lineTable, error) {
	f := &File{from: &elf.File{}, tables: &tables{order: binary.LittleEndian, lineStr: []byte("line.c\x00"), str: []byte("main.c\x00")}, lines: table}
	return f.lineTable(&unit{folder: "/src"})
}

// everyForm is a table of version 5 with two rows and a column for each known form.
func everyForm() []byte {
	var columns, row []byte
	for _, c := range []struct {
		form  byte
		bytes int
	}{
		{0x0e, 4}, {0x1f, 4}, {0x0b, 1}, {0x25, 1}, {0x05, 2}, {0x26, 2}, {0x06, 4}, {0x28, 4}, {0x07, 8}, {0x1e, 16}, {0x0f, 1}, {0x1a, 1},
	} {
		columns = append(columns, 5, c.form)
		row = append(append(row, make([]byte, c.bytes-1)...), 1)
	}
	columns, row = append(columns, 1, 0x08, 5, 0x09), append(row, 'd', 0, 3, 0, 0, 1)
	table := append([]byte{byte(len(columns) / 2)}, columns...)
	return append(append(append(table, 2), row...), row...)
}

// TestLineTableNames checks that a table is refused if it is truncated or claims more files
// than it can have, and that otherwise the paths are right.
func TestLineTableNames(t *testing.T) {
	join := func(parts ...[]byte) []byte { return slices.Concat(parts...) }
	huge := binary.AppendUvarint(nil, 1<<40)
	for _, c := range []struct {
		name    string
		version uint16
		wide    bool
		data    []byte
		want    string // the paths; empty if refused
	}{
		{"version 5", 5, false, []byte{1, 1, 8, 1, '/', 'd', 0, 1, 1, 8, 2, 'a', 0, 'b', 0}, "/d/a /d/b"},
		{"a folder in the first", 5, false, []byte{1, 1, 8, 2, '/', 'd', 0, 'e', 0, 2, 1, 8, 2, 11, 1, 'a', 0, 1}, "/d/e/a"},
		{"strings of other sections", 5, false, []byte{1, 1, 8, 1, '/', 'd', 0, 1, 1, 0x1f, 1, 0, 0, 0, 0}, "/d/line.c"},
		{"strings of the main section", 5, false, []byte{1, 1, 8, 1, '/', 'd', 0, 1, 1, 0x0e, 1, 1, 0, 0, 0}, "/d/ain.c"},
		{"wide offsets", 5, true, []byte{1, 1, 8, 1, '/', 'd', 0, 1, 1, 0x1f, 1, 2, 0, 0, 0, 0, 0, 0, 0}, "/d/ne.c"},
		{"cut wide offset", 5, true, []byte{1, 1, 8, 1, 'd', 0, 1, 1, 0x1f, 1, 0, 0, 0, 0}, ""},
		{"many folders", 5, false, join([]byte{1, 1, 8}, huge), ""},
		{"many folders without columns", 5, false, join([]byte{0}, huge), ""},
		{"many files", 5, false, join([]byte{1, 1, 8, 1, 'd', 0, 1, 1, 8}, huge), ""},
		{"many files of few bytes", 5, false, join([]byte{1, 1, 8, 1, 'd', 0, 1, 1, 8}, binary.AppendUvarint(nil, maxFiles+1), make([]byte, maxFiles+1)), ""},
		{"cut", 5, false, []byte{1, 1, 8, 2, 'd', 0}, ""},
		{"long block", 5, false, join([]byte{1, 1, 9, 1}, huge), ""},
		{"unknown form", 5, false, []byte{1, 1, 0x77, 1, 0, 0, 0}, ""},
		{"every form", 5, false, join([]byte{0, 0}, everyForm()), "d d"},
		{"every form, cut", 5, false, join([]byte{0, 0}, everyForm()[:len(everyForm())-1]), ""},
		{"a longer string", 5, false, join([]byte{1, 1, 8, 1, '/', 0, 1, 1, 8, 1}, bytes.Repeat([]byte("d"), maxName+1), []byte{0}), "/" + strings.Repeat("d", maxName)},
		{"version 4", 4, false, []byte{'d', 0, 0, 'a', 0, 1, 0, 0, 'b', 0, 0, 0, 0, 0}, "/src/d/a /src/b"},
		{"version 2", 2, false, []byte{0, '/', 'a', 0, 0, 0, 0, 0}, "/a"},
		{"version 2, cut in a folder", 2, false, []byte{'d', 'd'}, ""},
		{"version 2, cut in a file", 2, false, []byte{'d', 0, 0, 'a', 0, 1, 1}, ""},
		{"endless files", 4, false, join([]byte{0}, bytes.Repeat([]byte("a\x00\x01\x01\x01"), maxFiles+2), []byte{0}), ""},
		{"endless folders", 4, false, bytes.Repeat([]byte("d\x00"), maxFiles+2), ""},
		{"version 6", 6, false, []byte{0, 0}, ""},
	} {
		got, err := readTable(lineTableOf(c.version, c.wide, c.data, nil))
		if (err == nil) != (c.want != "") {
			t.Errorf("%s: %v", c.name, err)
			continue
		}
		if err != nil {
			continue
		}
		var paths []string
		for i := range got.files {
			if p := got.path(uint64(i)); p != "" {
				paths = append(paths, p)
			}
		}
		if strings.Join(paths, " ") != c.want {
			t.Errorf("%s: %q, want %q", c.name, paths, c.want)
		}
	}
	for size := range lineTableOf(5, false, []byte{0, 0, 0, 0}, nil) {
		if _, err := readTable(lineTableOf(5, false, []byte{0, 0, 0, 0}, nil)[:size]); err == nil {
			t.Errorf("a table cut at byte %d is read, want one", size)
		}
	}
}

// TestLineProgram checks the rows that every operation of a line program makes.
func TestLineProgram(t *testing.T) {
	program := []byte{
		0, 9, 2, 0, 0x10, 0, 0, 0, 0, 0, 0, // address 0x1000
		3, 4, // line 5
		5, 7, // column 7
		1,    // a row
		2, 3, // advance by 3 bytes
		6,    // not a place to stop
		4, 2, // file 2
		1,
		13 + 5 + 2 + 14*2, // advance by 2 bytes and 2 lines
		8,                 // advance as far as the last opcode does: 17 bytes
		9, 0, 1,           // advance by 256 bytes
		7, 10, 11, 12, 1, // operations that do not affect the rows
		3, 0x7e, // back by 2 lines
		1,
		0, 3, 0x80, 1, 2, // an unknown extended operation
		2, 1,
		0, 1, 1, // the end of the sequence
		1, // a row in the next sequence
	}
	table, err := readTable(lineTableOf(4, false, []byte{0, 'a', 0, 0, 0, 0, 'b', 0, 0, 0, 0, 0}, program))
	if err != nil {
		t.Fatal(err)
	}
	var got []string
	for r, ok := table.next(); ok; r, ok = table.next() {
		got = append(got, fmt.Sprintf("%x %s:%d:%d %v %v", r.address, table.path(r.file), r.line, r.column, r.stmt, r.end))
	}
	want := []string{
		"1000 /src/a:5:7 true false", "1003 /src/b:5:7 false false", "1005 /src/b:7:7 false false", "1116 /src/b:5:7 false false",
		"1117 /src/b:5:7 false true", "0 /src/a:1:0 true false",
	}
	if !slices.Equal(got, want) {
		t.Errorf("got\n%s\nwant\n%s", strings.Join(got, "\n"), strings.Join(want, "\n"))
	}
	for _, bad := range [][]byte{{0, 0}, {0, 200, 1}, {2}, {0, 9, 2, 0}} {
		table, err := readTable(lineTableOf(4, false, []byte{0, 0}, bad))
		if err != nil {
			t.Fatal(err)
		}
		if r, ok := table.next(); ok {
			t.Errorf("% x is the row %+v, want none", bad, r)
		}
	}
}
