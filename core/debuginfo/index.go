package debuginfo

import (
	"cmp"
	"sort"
)

// Function is a piece of code with a name.
type Function struct {
	Name      string
	Unit      string // the source file it was compiled from, empty if unknown
	Low, High uint64 // its addresses, High excluded
	alias     string // the linker's name if it differs
	entry     uint32 // the DWARF entry that describes it; the parts of a split function share one
	piece     int32  // only while the index is built: the number of its code in index.pieces
}

// index is the result of one walk over the tables of a file.
type index struct {
	file     *File
	names    []named
	segments []segment  // by address: the innermost functions
	answers  *answers   // the functions for each name; nil until needed
	funcs    []Function // by address: whole functions
	units    []*unit
	spans    []span            // by address
	slots    map[uint64]string // functions of shared libraries, by the address of the slot that holds their address

	partial bool // some units are in files that were not found

	pieces []code // while the index is built
	known  map[named]int32
	text   int              // bytes of names kept
	byName map[string][]int // functions by both names; nil until needed
}

// unit is one compiled source file.
type unit struct {
	name, folder string
	table        int64 // offset of its line table, or -1
	rows         []row
	read         bool

	entered bool // while reading: a row of the current line already has the mark entry
}

// span is an address range with its unit.
type span struct {
	Range
	unit *unit
}

// row is the code of one place in the source, from its address to the next
// row's.
type row struct {
	low, high    uint64
	file         string
	line, column int
	entry        bool // in a sequence of rows of one line, the first one where a debugger may stop
}

// function returns the function at an address; if several are nested, the
// innermost.
func (x *index) function(addr uint64) *Function {
	i := sort.Search(len(x.funcs), func(i int) bool { return x.funcs[i].Low > addr })
	const nesting = 64 // how many functions with a lower start address are tried
	for n := 0; i > 0 && n < nesting; n++ {
		i--
		if addr < x.funcs[i].High {
			return &x.funcs[i]
		}
	}
	return nil
}

// begins reports whether a function begins at an address.
func (x *index) begins(addr uint64) bool {
	fn := x.function(addr)
	return fn != nil && fn.Low == addr
}

// parts returns the parts of the function that fn belongs to: fn alone, or
// everything that one entry describes, such as `f` and `f.cold`.
func (x *index) parts(fn *Function) []*Function {
	if fn.entry == 0 {
		return []*Function{fn}
	}
	var parts []*Function
	for _, i := range x.called(fn.Name) {
		if x.funcs[i].entry == fn.entry {
			parts = append(parts, &x.funcs[i])
		}
	}
	return parts
}

// called returns the functions with exactly this name.
func (x *index) called(name string) []int {
	if x.byName == nil {
		x.byName = make(map[string][]int, len(x.funcs))
		for i, fn := range x.funcs {
			x.byName[fn.Name] = append(x.byName[fn.Name], i)
			if fn.alias != "" && fn.alias != fn.Name {
				x.byName[fn.alias] = append(x.byName[fn.alias], i)
			}
		}
	}
	return x.byName[name]
}

// named is the two names of a function: with the enclosing scopes, as in
// `Solver<double>::step`, and the linker's.
type named struct{ name, linkage string }

// segment is the code from an address to the next segment, with its innermost
// function, or none.
type segment struct {
	low uint64
	fn  int32 // in index.names, or none
}

const none = int32(-1)

// code is a piece of code with its function.
type code struct {
	Range
	depth uint16 // if two pieces have the same range, the one with the greater depth is inside
	fn    int32
	unit  int32  // in index.units
	call  callAt // for inlined code: the call that it replaces
}

// outwards compares nested pieces: the outer one comes first.
func outwards(a, b code) int {
	return cmp.Or(cmp.Compare(a.Low, b.Low), cmp.Compare(b.High, a.High), cmp.Compare(a.depth, b.depth))
}

// answers finds functions by name, and their segments.
type answers struct {
	linkage  map[string][]int32
	last     map[string][]int32 // functions by the partKey of the last part of their name
	segments [][]int32          // the segments of each function
}

// at returns the index of the innermost function at an address, or none.
func (x *index) at(addr uint64) int32 {
	i := sort.Search(len(x.segments), func(i int) bool { return x.segments[i].low > addr })
	if i == 0 {
		return none
	}
	return x.segments[i-1].fn
}
