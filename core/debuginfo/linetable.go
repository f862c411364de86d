package debuginfo

import (
	"cmp"
	"fmt"
	"path"
	"slices"
	"sort"
	"strings"
)

// lineTable relates the code of a unit to its source.
type lineTable struct {
	cursor
	version  int
	folders  []string
	files    []lineFile
	shortest uint64 // the smallest step between addresses
	base     int64
	span     uint64
	lengths  []byte // the number of operands of each opcode
	address  int    // the size of an address in bytes
	stmt     bool   // the initial value of lineRow.stmt

	state lineRow
}

// lineFile is a source file of a line table.
type lineFile struct {
	folder uint64
	name   string
	path   string // folder and name joined, empty until needed
}

// lineRow is one row: the code from its address on belongs to this place.
type lineRow struct {
	address      uint64
	file         uint64
	line, column int
	stmt, end    bool
}

// lineTable reads the head of a unit's line table. It returns nil if there is
// none.
func (f *File) lineTable(u *unit) (*lineTable, error) {
	tables := f.read("line", "line_str", "str")
	if u.table < 0 || f.lines == nil || tables == nil {
		return nil, nil
	}
	t := &lineTable{cursor: tables.cursor(f.lines, uint64(u.table))}
	length := t.length()
	if t.failed || length > uint64(len(t.data)-t.at) {
		return nil, errBounds
	}
	t.data = t.data[:t.at+int(length)]
	t.version = int(t.uint(2))
	if t.version < 2 || t.version > 5 {
		return nil, errBounds
	}
	t.address = 8
	if t.version >= 5 {
		t.address = int(t.uint(1))
		t.skip(1) // the size of a segment selector
	}
	length = t.offset()
	if t.failed || length > uint64(len(t.data)-t.at) || t.address != 4 && t.address != 8 {
		return nil, errBounds
	}
	program := uint64(t.at) + length
	t.shortest = t.uint(1)
	if t.version >= 4 {
		t.skip(1) // operations per instruction
	}
	t.stmt, t.base, t.span = t.uint(1) != 0, int64(int8(t.uint(1))), t.uint(1)
	opcodes := max(t.uint(1), 1) - 1
	if t.lengths = t.data[t.at:min(t.at+int(opcodes), len(t.data))]; t.span == 0 {
		return nil, errBounds
	}
	t.skip(opcodes)
	t.folders = []string{u.folder}
	if t.version >= 5 {
		t.names(tables)
	} else {
		t.oldNames()
	}
	if t.failed || len(t.files) > maxFiles || len(t.folders) > maxFiles || !t.seek(program) {
		return nil, errBounds
	}
	t.reset()
	return t, nil
}

// names reads folders and files in the format of version 5 and later.
func (t *lineTable) names(s *tables) {
	t.folders = nil
	t.entries(s, func(f lineFile) { t.folders = append(t.folders, t.join(f.name)) })
	t.entries(s, func(f lineFile) { t.files = append(t.files, f) })
}

// entries reads a description of columns, the number of rows, and the rows.
func (t *lineTable) entries(s *tables, add func(lineFile)) {
	const path, folder = 1, 2
	var columns []spec
	for range t.uint(1) {
		columns = append(columns, spec{attr: uint16(t.uleb()), form: uint16(t.uleb())})
	}
	sizes := &format{version: t.version, address: t.address, offset: t.offsetSize()}
	n := t.uleb()
	if n > maxFiles || n > uint64(len(t.data)) {
		t.fail()
	}
	for range n {
		var f lineFile
		for _, column := range columns {
			switch v := t.value(column, sizes); {
			case column.attr == folder && v.class == constant:
				f.folder = v.number
			case column.attr == path && v.class == ownText:
				f.name = clip(t.data, v.number)
			case column.attr == path && v.class == lineText:
				f.name = clip(s.lineStr, v.number)
			case column.attr == path && v.class == mainText:
				f.name = clip(s.str, v.number)
			}
		}
		if t.failed {
			return
		}
		add(f)
	}
}

// oldNames reads folders and files in the format before version 5. Both count
// from 1.
func (t *lineTable) oldNames() {
	for name := t.text(); len(name) > 0 && len(t.folders) <= maxFiles; name = t.text() {
		t.folders = append(t.folders, t.join(string(name[:min(len(name), maxName)])))
	}
	t.files = append(t.files, lineFile{})
	for name := t.text(); len(name) > 0 && len(t.files) <= maxFiles; name = t.text() {
		f := lineFile{name: string(name[:min(len(name), maxName)]), folder: t.uleb()}
		t.uleb() // the file's time
		t.uleb() // the file's size
		t.files = append(t.files, f)
	}
}

// join returns a folder, which may be relative to the folder of the unit.
func (t *lineTable) join(folder string) string {
	if len(t.folders) == 0 {
		return folder
	}
	return joined(t.folders[0], folder)
}

func joined(folder, name string) string {
	if folder == "" || path.IsAbs(name) {
		return name
	}
	return folder + "/" + name
}

// path returns the path of a file by its number.
func (t *lineTable) path(file uint64) string {
	if file >= uint64(len(t.files)) {
		return ""
	}
	f := &t.files[file]
	if f.path == "" && f.name != "" {
		f.path = f.name
		if f.folder < uint64(len(t.folders)) {
			f.path = path.Clean(joined(t.folders[f.folder], f.name))
		}
	}
	return f.path
}

// has reports whether the table has a file whose path ends with this one.
func (t *lineTable) has(file string) bool {
	last := path.Base(path.Clean(file))
	for i := range t.files {
		if strings.HasSuffix(t.files[i].name, last) && endsIn(t.path(uint64(i)), file) {
			return true
		}
	}
	return false
}

func (t *lineTable) reset() { t.state = lineRow{file: 1, line: 1, stmt: t.stmt} }

// next reads the next row.
func (t *lineTable) next() (lineRow, bool) {
	const (
		copyRow = iota + 1
		advance
		advanceLine
		setFile
		setColumn
		negate
		basicBlock
		constAdd
		fixedAdvance
	)
	s := &t.state
	for t.at < len(t.data) {
		op := int(t.uint(1))
		if op > len(t.lengths) { // a special opcode changes both address and line
			adjusted := uint64(op - len(t.lengths) - 1)
			s.address += adjusted / t.span * t.shortest
			s.line += int(t.base + int64(adjusted%t.span))
			return *s, true
		}
		switch op {
		case 0:
			if row, ok := t.extended(); ok {
				return row, true
			}
		case copyRow:
			return *s, true
		case advance:
			s.address += t.uleb() * t.shortest
		case advanceLine:
			s.line += int(t.sleb())
		case setFile:
			s.file = t.uleb()
		case setColumn:
			s.column = int(t.uleb())
		case negate:
			s.stmt = !s.stmt
		case basicBlock:
		case constAdd:
			s.address += uint64(255-len(t.lengths)-1) / t.span * t.shortest
		case fixedAdvance:
			s.address += t.uint(2)
		default:
			for range t.lengths[op-1] {
				t.uleb()
			}
		}
	}
	return lineRow{}, false
}

// extended reads an operation that has a length. The end of a sequence is a row.
func (t *lineTable) extended() (lineRow, bool) {
	const endSequence, setAddress = 1, 2
	length := t.uleb()
	if length == 0 || length > uint64(len(t.data)-t.at) {
		t.fail()
		return lineRow{}, false
	}
	end := t.at + int(length)
	row, is := lineRow{}, false
	switch op := t.uint(1); {
	case op == endSequence:
		row, is = t.state, true
		row.end = true
		t.reset()
	case op == setAddress && (length == 9 || length == 5):
		t.state.address = t.uint(int(length) - 1)
	}
	t.at = end
	return row, is
}

// rowsIn returns the rows of a unit's line table, which it reads once.
func (f *File) rowsIn(u *unit) ([]row, error) {
	if u.read {
		return u.rows, nil
	}
	u.read = true
	t, err := f.lineTable(u)
	if err != nil {
		return nil, fmt.Errorf("the line table of `%s` is damaged", f.name())
	}
	if t == nil {
		return nil, nil
	}
	var last lineRow
	open := false
	for r, ok := t.next(); ok; r, ok = t.next() { // keep the rows before a damaged place
		if f.budget--; f.budget < 0 {
			return nil, f.tooMuch("line table rows")
		}
		if open && t.path(last.file) != "" {
			if last.address < r.address {
				u.add(t.path(last.file), &last, r.address)
			} else if r.line == last.line && r.file == last.file {
				r.stmt = r.stmt || last.stmt // a row without code passes its mark to the next
			}
		}
		open, last = !r.end, r
	}
	slices.SortStableFunc(u.rows, func(a, b row) int { return cmp.Compare(a.low, b.low) })
	return u.rows, nil
}

func (u *unit) add(file string, e *lineRow, high uint64) {
	r := row{low: e.address, high: high, file: file, line: e.line, column: e.column}
	if n := len(u.rows); n == 0 || u.rows[n-1].high != r.low || u.rows[n-1].line != r.line || u.rows[n-1].file != r.file {
		u.entered = false
	}
	r.entry = e.stmt && !u.entered
	u.entered = u.entered || r.entry
	u.rows = append(u.rows, r)
}

// row returns the row at an address.
func (f *File) row(x *index, addr uint64) (row, bool, error) {
	i := sort.Search(len(x.spans), func(i int) bool { return x.spans[i].Low > addr })
	if i == 0 || addr >= x.spans[i-1].High {
		return row{}, false, nil
	}
	rows, err := f.rowsIn(x.spans[i-1].unit)
	if err != nil {
		return row{}, false, err
	}
	j := sort.Search(len(rows), func(j int) bool { return rows[j].low > addr })
	if j == 0 || addr >= rows[j-1].high {
		return row{}, false, nil
	}
	return rows[j-1], true, nil
}

// endsIn reports whether a path ends with all parts of another.
func endsIn(full, tail string) bool {
	full, tail = path.Clean(full), path.Clean(tail)
	return full == tail || strings.HasSuffix(full, "/"+strings.TrimPrefix(tail, "/")) && !path.IsAbs(tail)
}
