package debuginfo

import "debug/elf"

// A compiler may write most debug information of a unit to a separate file,
// `part.dwo`. A packer may join all of these files to one, `program.dwp`. The
// program keeps a skeleton: the addresses of the unit's code, its line table, and
// the name of that file.

// splitSections lists the sections of a file with split units. The two numbers
// identify a section in the index of a packed file, in formats before version 5 and
// since version 5.
var splitSections = []struct {
	name     string
	of       func(*tables) *[]byte
	old, new uint64
}{
	{".debug_info.dwo", func(t *tables) *[]byte { return &t.info }, 1, 1},
	{".debug_abbrev.dwo", func(t *tables) *[]byte { return &t.abbrev }, 3, 3},
	{".debug_str_offsets.dwo", func(t *tables) *[]byte { return &t.strOffsets }, 6, 6},
	{".debug_rnglists.dwo", func(t *tables) *[]byte { return &t.rnglists }, 0, 8},
	{".debug_str.dwo", func(t *tables) *[]byte { return &t.str }, 0, 0}, // shared by all units
}

// readSplit reads the file of a unit. It returns nil if it cannot.
func readSplit(path string) *tables {
	t, _ := openSplit(path, "")
	return t
}

// openSplit reads the sections of a file with split units, and one additional
// section.
func openSplit(path, more string) (*tables, []byte) {
	disk, e, err := openELF(path)
	if err != nil {
		return nil, nil
	}
	defer disk.Close()
	t := &tables{order: e.ByteOrder}
	read := func(name string) []byte {
		s := e.Section(name)
		if s == nil || s.Type == elf.SHT_NOBITS {
			return nil
		}
		data, err := s.Data()
		if err != nil {
			return nil // a damaged section counts as empty
		}
		return data
	}
	for _, s := range splitSections {
		*s.of(t) = read(s.name)
	}
	if more == "" {
		return t, nil
	}
	return t, read(more)
}

// packedUnits is a .dwp file, which has the debug information of all units.
type packedUnits struct {
	tables
	version uint64
	columns []uint64
	rows    map[uint64]uint64 // the row of each unit in the index, counted from 1
	places  cursor            // the offsets of the pieces, row by row
	sizes   cursor
}

// readPacked reads the index of a packed file. Without an index there are no units.
func readPacked(path string) *packedUnits {
	t, found := openSplit(path, ".debug_cu_index")
	p := &packedUnits{}
	if t == nil || found == nil {
		return p
	}
	p.tables = *t
	c := t.cursor(found, 0)
	if p.version = c.uint(2); p.version == 0 { // before format 5 the version has four bytes, of which the first two are 0 in a big-endian file
		p.version = c.uint(2)
	} else {
		c.skip(2)
	}
	columns, units, slots := c.uint(4), c.uint(4), c.uint(4)
	if c.failed || columns > 16 || slots > uint64(len(found))/12 || units > slots {
		return p
	}
	ids := make([]uint64, slots)
	for i := range ids {
		ids[i] = c.uint(8)
	}
	p.rows = make(map[uint64]uint64, units)
	for _, id := range ids {
		if row := c.uint(4); row > 0 && row <= units {
			p.rows[id] = row
		}
	}
	for range columns {
		p.columns = append(p.columns, c.uint(4))
	}
	p.places = c
	c.skip(4 * columns * units)
	p.sizes = c
	return p
}

// unit returns the tables of one unit, or nil if the file does not have it.
func (p *packedUnits) unit(id uint64) *tables {
	row, ok := p.rows[id]
	if !ok {
		return nil
	}
	t := &tables{order: p.order, str: p.str}
	for i, column := range p.columns {
		for _, s := range splitSections {
			number := s.old
			if p.version >= 5 {
				number = s.new
			}
			if number == 0 || number != column {
				continue
			}
			skip := 4 * ((row-1)*uint64(len(p.columns)) + uint64(i))
			place, size := p.places, p.sizes
			place.skip(skip)
			size.skip(skip)
			low, length, whole := place.uint(4), size.uint(4), *s.of(&p.tables)
			if place.failed || size.failed || low > uint64(len(whole)) || length > uint64(len(whole))-low {
				return nil
			}
			*s.of(t) = whole[low : low+length]
		}
	}
	return t
}
