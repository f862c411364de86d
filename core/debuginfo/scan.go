package debuginfo

import (
	"bytes"
	"sort"
	"strings"
)

// scan is one walk over the debug information of a file: its units, its
// functions, and every place with the code of a function, including inlined
// copies. Only the entries needed for these are decoded.
type scan struct {
	*tables
	units  []scanUnit
	decls  []decl // functions, by the offset of their entry in the section
	scopes []scope
	pieces []piece

	skeleton *scanUnit // for a unit in a separate file: its skeleton unit in the program
	budget   int       // the number of ranges that may still be read
	abbrevs  map[abbrevKey]*abbrevs
	stack    []int32 // the enclosing scopes of the current entry
}

type abbrevKey struct {
	at     uint64
	format format
}

// scanUnit is a unit with the data that its values refer to.
type scanUnit struct {
	format
	at, end      int // offsets of the whole unit
	low          uint64
	addrBase     uint64
	strBase      uint64
	listsBase    uint64
	rangesBase   uint64
	line         int64 // offset of the line table, or -1
	name, folder string
	dwoName      string
	dwoID        uint64
	ranges       []Range
}

// textRef is a string, given by its section and its offset there.
type textRef uint32

const (
	noText      = ^textRef(0)
	ofInfo      = textRef(0) << 30
	ofStr       = textRef(1) << 30
	ofLineStr   = textRef(2) << 30
	textSection = textRef(3) << 30
	ofMain      = textRef(3) << 30 // a special value for mainProgram instead of an offset
)

// mainProgram is the linker's name for a Fortran main program. The source has
// another name for it, and compilers leave the linker's name out of the debug
// information.
const mainProgram = "MAIN__"

// decl is an entry for a function: a declaration, a definition, or the origin of
// inlined code.
type decl struct {
	at            uint32
	origin        uint32 // the entry with the attributes that this one lacks; 0 for none
	name, linkage textRef
	scope         int32
}

// scope is a name space, a class or a module. A scope inside a function counts as
// a sibling of the function.
type scope struct {
	name   textRef
	parent int32 // -1 for none
}

// piece is a range of a function's code. Inner pieces have a greater depth.
type piece struct {
	Range
	decl  uint32 // the offset of the function's entry
	unit  int32
	depth uint16
	whole bool // not inlined
	call  callAt
}

// Range is a range of addresses, High excluded.
type Range struct{ Low, High uint64 }

// callAt is the source line of a call. The file is given by its number in the
// line table of the unit.
type callAt struct{ file, line uint32 }

const noScope = int32(-1)

// walk reads all units.
func (s *scan) walk() error {
	for at := 0; at < len(s.info); {
		c, list, err := s.header(at)
		if err != nil {
			return err
		}
		if list != nil {
			if err := s.unit(&s.units[len(s.units)-1], c, list); err != nil {
				return err
			}
		}
		at = len(c.data)
	}
	return nil
}

const (
	typeUnit      = 2
	skeletonUnit  = 4
	splitUnit     = 5
	splitTypeUnit = 6
)

// header reads the header of a unit and returns the unit's entries and their
// abbreviations. A unit that only describes types has no entries to read.
func (s *scan) header(at int) (cursor, *abbrevs, error) {
	c := s.cursor(s.info, uint64(at))
	length := c.length()
	if c.failed || length > uint64(len(s.info)-c.at) || length == 0 {
		return c, nil, errBounds
	}
	c.data = s.info[:c.at+int(length)]
	u := scanUnit{at: at, end: len(c.data), line: -1}
	u.version, u.offset = int(c.uint(2)), c.offsetSize()
	kind, table := uint64(0), uint64(0)
	switch {
	case u.version < 2 || u.version > 5:
		return c, nil, nil // skip a unit of an unsupported version
	case u.version == 5:
		kind, u.address, table = c.uint(1), int(c.uint(1)), c.offset()
		if kind == skeletonUnit || kind == splitUnit {
			u.dwoID = c.uint(8)
		}
	default:
		table, u.address = c.offset(), int(c.uint(1))
	}
	switch {
	case c.failed || u.address != 4 && u.address != 8:
		return c, nil, errBounds
	case kind == typeUnit || kind == splitTypeUnit:
		return c, nil, nil
	}
	key := abbrevKey{table, u.format}
	if s.abbrevs[key] == nil {
		list, ok := readAbbrevs(s.cursor(s.abbrev, table), &u.format)
		if !ok {
			return c, nil, errBounds
		}
		s.abbrevs[key] = list
	}
	if k := s.skeleton; k != nil {
		u.low, u.addrBase, u.rangesBase = k.low, k.addrBase, k.rangesBase
		if u.version == 5 { // the unit's tables begin after their headers
			u.strBase, u.listsBase = uint64(2*u.offset), uint64(u.offset)+8
		}
	}
	s.units = append(s.units, u)
	return c, s.abbrevs[key], nil
}

// unit reads the entries of a unit.
func (s *scan) unit(u *scanUnit, c cursor, list *abbrevs) error {
	s.stack = s.stack[:0]
	within := noScope
	for c.at < len(c.data) {
		at := c.at
		code := c.uleb()
		if code == 0 {
			if n := len(s.stack) - 1; n >= 0 { // entries outside any open scope are padding
				within, s.stack = s.stack[n], s.stack[:n]
			}
			continue
		}
		a := list.of(code)
		if a == nil {
			return errBounds
		}
		inner := within
		switch a.tag {
		case tagSubprogram, tagEntryPoint, tagInlined:
			s.code(u, &c, a, at, within)
		case tagNamespace, tagClass, tagStruct, tagUnion, tagModule, tagInterface:
			inner = s.scope(u, &c, a, within)
		case tagCompileUnit, tagPartialUnit, tagSkeletonUnit:
			s.top(u, &c, a)
		default:
			c.passAll(a, &u.format)
		}
		if s.budget < 0 {
			return errTooMuch
		}
		if a.children {
			s.stack = append(s.stack, within)
			within = inner
		}
	}
	if c.failed {
		return errBounds
	}
	return nil
}

// top reads the entry of the unit itself. It collects all values first, since a
// value may refer to a later one.
func (s *scan) top(u *scanUnit, c *cursor, a *abbrev) {
	values := make(map[uint16]value, len(a.specs))
	for _, sp := range a.specs {
		values[sp.attr] = c.value(sp, &u.format)
	}
	for attr, base := range map[uint16]*uint64{
		attrStrOffsetsBase: &u.strBase, attrAddrBase: &u.addrBase, attrGNUAddrBase: &u.addrBase, attrRnglistsBase: &u.listsBase,
		attrGNURangesBase: &u.rangesBase, attrGNUDwoID: &u.dwoID,
	} {
		if v, ok := values[attr]; ok {
			*base = v.number
		}
	}
	if v, ok := values[attrStmtList]; ok {
		u.line = int64(v.number)
	}
	text := func(attr uint16) string {
		if v, ok := values[attr]; ok {
			return s.text(s.ref(u, v))
		}
		return ""
	}
	u.name, u.folder = text(attrName), text(attrCompDir)
	if u.dwoName = text(attrDwoName); u.dwoName == "" {
		u.dwoName = text(attrGNUDwoName)
	}
	low, hasLow := values[attrLowPC]
	if hasLow {
		u.low = s.address(u, low)
	}
	s.eachRange(u, low, values[attrHighPC], values[attrRanges], func(r Range) { u.ranges = append(u.ranges, r) })
}

// scope reads an entry in which functions may be declared.
func (s *scan) scope(u *scanUnit, c *cursor, a *abbrev, within int32) int32 {
	name := noText
	for _, sp := range a.specs {
		if sp.attr == attrName {
			name = s.ref(u, c.value(sp, &u.format))
		} else {
			c.pass(sp, &u.format)
		}
	}
	if !a.children {
		return within
	}
	s.scopes = append(s.scopes, scope{name, within})
	return int32(len(s.scopes) - 1)
}

// code reads a function, or inlined code of another function.
func (s *scan) code(u *scanUnit, c *cursor, a *abbrev, at int, within int32) {
	d := decl{at: uint32(at), name: noText, linkage: noText, scope: within}
	var low, high, ranges value
	var call callAt
	main := false
	for _, sp := range a.specs {
		switch sp.attr {
		case attrName:
			d.name = s.ref(u, c.value(sp, &u.format))
		case attrLinkageName, attrMIPSLinkage:
			d.linkage = s.ref(u, c.value(sp, &u.format))
		case attrMainProgram:
			c.pass(sp, &u.format)
			main = true
		case attrOrigin, attrSpecification:
			d.origin = entryOf(u, c.value(sp, &u.format))
		case attrLowPC:
			low = c.value(sp, &u.format)
		case attrHighPC:
			high = c.value(sp, &u.format)
		case attrRanges:
			ranges = c.value(sp, &u.format)
		case attrCallFile:
			call.file = uint32(min(c.value(sp, &u.format).number, maxSection))
		case attrCallLine:
			call.line = uint32(min(c.value(sp, &u.format).number, maxSection))
		default:
			c.pass(sp, &u.format)
		}
	}
	if main && d.linkage == noText {
		d.linkage = ofMain
	}
	if a.tag == tagInlined {
		s.add(u, low, high, ranges, piece{decl: d.origin, call: call})
		return
	}
	s.decls = append(s.decls, d)
	s.add(u, low, high, ranges, piece{decl: d.at, whole: true})
}

// add adds a piece for each range of its code.
func (s *scan) add(u *scanUnit, low, high, ranges value, p piece) {
	p.depth, p.unit = uint16(min(len(s.stack), 1<<16-1)), int32(len(s.units)-1)
	s.eachRange(u, low, high, ranges, func(r Range) {
		p.Range = r
		s.pieces = append(s.pieces, p)
	})
}

// entryOf returns the entry that a value refers to.
func entryOf(u *scanUnit, v value) uint32 {
	switch {
	case v.class == reference && v.number < uint64(u.end-u.at):
		return uint32(u.at) + uint32(v.number)
	case v.class == global && v.number < maxSection:
		return uint32(v.number)
	}
	return 0 // the entry is in another file
}

// ref returns the string that a value refers to.
func (s *scan) ref(u *scanUnit, v value) textRef {
	if v.class == textIndex {
		size := uint64(u.offset)
		c := s.cursor(s.strOffsets, min(u.strBase, maxSection)+min(v.number, maxSection)*size)
		v = value{mainText, c.uint(int(size))}
		if c.failed {
			return noText
		}
	}
	if v.number >= maxSection {
		return noText
	}
	switch v.class {
	case ownText:
		return ofInfo | textRef(v.number)
	case mainText:
		return ofStr | textRef(v.number)
	case lineText:
		return ofLineStr | textRef(v.number)
	}
	return noText
}

// text returns a string, cut to maxName bytes.
func (s *scan) text(r textRef) string {
	switch r {
	case noText:
		return ""
	case ofMain:
		return mainProgram
	}
	section := map[textRef][]byte{ofInfo: s.info, ofStr: s.str, ofLineStr: s.lineStr}[r&textSection]
	return clip(section, uint64(r&^textSection))
}

// clip returns the string at an offset of a section.
func clip(section []byte, at uint64) string {
	if at >= uint64(len(section)) {
		return ""
	}
	rest := section[at:min(at+maxName, uint64(len(section)))]
	if end := bytes.IndexByte(rest, 0); end >= 0 {
		rest = rest[:end]
	}
	return string(rest)
}

// function returns the name of a function with its enclosing scopes, and the
// linker's name.
func (s *scan) function(at uint32) (name, linkage string) {
	const steps = 8 // the longest chain: from inlined code to its definition to its declaration
	plain, linked, within := noText, noText, noScope
	for range steps {
		i := sort.Search(len(s.decls), func(i int) bool { return s.decls[i].at >= at })
		if i == len(s.decls) || s.decls[i].at != at {
			break
		}
		d := &s.decls[i]
		if plain == noText {
			plain = d.name
		}
		if linked == noText {
			linked = d.linkage
		}
		within = d.scope
		if at = d.origin; at == 0 {
			break
		}
	}
	if plain == noText {
		return "", s.text(linked)
	}
	parts := []string{s.text(plain)}
	for size := len(parts[0]); within != noScope && size < maxName; within = s.scopes[within].parent {
		part := "(anonymous namespace)"
		if n := s.scopes[within].name; n != noText {
			part = s.text(n)
		}
		parts = append(parts, part)
		size += len(part)
	}
	if len(parts) == 1 {
		return parts[0], s.text(linked)
	}
	var b strings.Builder
	for i := len(parts) - 1; i >= 0; i-- {
		b.WriteString(parts[i])
		if i > 0 {
			b.WriteString("::")
		}
	}
	return b.String(), s.text(linked)
}

// eachRange calls add for the addresses of an entry: from low to high, or each
// range of a list.
func (s *scan) eachRange(u *scanUnit, low, high, ranges value, add func(Range)) {
	if ranges.class != nothing {
		s.list(u, ranges, add)
		return
	}
	if low.class == nothing || high.class == nothing {
		return
	}
	r := Range{Low: s.address(u, low)}
	if r.High = high.number; high.class == constant {
		r.High += r.Low
	} else {
		r.High = s.address(u, high)
	}
	s.keep(r, add)
}

// keep calls add if the range has code. A range that begins at 0 was removed by
// the linker.
func (s *scan) keep(r Range, add func(Range)) {
	s.budget--
	if r.Low != 0 && r.Low < r.High && s.budget >= 0 {
		add(r)
	}
}

// address returns the address of a value, or 0.
func (s *scan) address(u *scanUnit, v value) uint64 {
	if v.class == addressIndex {
		return s.indexed(u, v.number)
	}
	return v.number
}

// indexed returns an address from the table of addresses.
func (s *scan) indexed(u *scanUnit, i uint64) uint64 {
	c := s.cursor(s.addr, min(u.addrBase, maxSection)+min(i, maxSection)*uint64(u.address))
	return c.uint(u.address)
}

// list reads a list of ranges.
func (s *scan) list(u *scanUnit, at value, add func(Range)) {
	if u.version < 5 {
		s.oldList(u, at.number+u.rangesBase, add)
		return
	}
	place := at.number
	if at.class == listIndex {
		c := s.cursor(s.rnglists, min(u.listsBase, maxSection)+min(at.number, maxSection)*uint64(u.offset))
		c.wide = u.offset == 8
		place = u.listsBase + c.offset()
	}
	const (
		end = iota
		baseIndex
		startIndexEndIndex
		startIndexLength
		offsets
		base
		startEnd
		startLength
	)
	c := s.cursor(s.rnglists, place)
	from := u.low
	for !c.failed && s.budget >= 0 {
		switch c.uint(1) {
		case baseIndex:
			from = s.indexed(u, c.uleb())
		case startIndexEndIndex:
			low := s.indexed(u, c.uleb())
			s.keep(Range{low, s.indexed(u, c.uleb())}, add)
		case startIndexLength:
			low := s.indexed(u, c.uleb())
			s.keep(Range{low, low + c.uleb()}, add)
		case offsets:
			low := from + c.uleb()
			s.keep(Range{low, from + c.uleb()}, add)
		case base:
			from = c.uint(u.address)
		case startEnd:
			low := c.uint(u.address)
			s.keep(Range{low, c.uint(u.address)}, add)
		case startLength:
			low := c.uint(u.address)
			s.keep(Range{low, low + c.uleb()}, add)
		default: // also the end of the list
			return
		}
	}
}

// oldList reads a list in the format before version 5: pairs of addresses.
func (s *scan) oldList(u *scanUnit, at uint64, add func(Range)) {
	c := s.cursor(s.ranges, at)
	from, mark := u.low, ^uint64(0)>>(64-8*u.address)
	for !c.failed && s.budget >= 0 {
		switch low, high := c.uint(u.address), c.uint(u.address); {
		case low == 0 && high == 0:
			return
		case low == mark:
			from = high
		default:
			s.keep(Range{from + low, from + high}, add)
		}
	}
}
