package debuginfo

import (
	"cmp"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
)

// Frame describes an address: the innermost function there, which may have been inlined, and the source
// line. File and Line are empty if only the function is known.
type Frame struct {
	Function string // with the enclosing scopes: `Solver<double>::step`
	Linkage  string // the linker's name, empty if unknown
	File     string
	Line     int
	Column   int
}

// Lookup returns the frame of an address. The address a call returns to may already belong to the next
// line, so look up the byte before it.
func (f *File) Lookup(addr uint64) (Frame, bool) {
	addr -= f.Base
	frame, err := guarded(f, func() (Frame, error) {
		x, err := f.contents()
		if err != nil {
			return Frame{}, err
		}
		var frame Frame
		if fn := x.at(addr); fn != none {
			frame.Function, frame.Linkage = x.names[fn].name, x.names[fn].linkage
		}
		r, ok, err := f.row(x, addr)
		if err != nil || !ok {
			return frame, nil // the function is enough
		}
		frame.File, frame.Line, frame.Column = r.file, r.line, r.column
		return frame, nil
	})
	return frame, err == nil && frame != Frame{}
}

// Region returns what the address of a region refers to: the call that returns there, else the line
// that begins there, else the code before it.
func (f *File) Region(addr uint64) (Frame, bool) {
	begins, _ := guarded(f, func() (bool, error) {
		x, err := f.contents()
		if err != nil {
			return false, err
		}
		at := addr - f.Base
		fn := x.function(at)
		if fn == nil || fn.Low == at {
			return fn != nil, nil
		}
		p, err := f.body(x, fn)
		if err != nil || f.returning(p, at) {
			return false, err
		}
		return slices.ContainsFunc(p.rows, func(r row) bool { return r.low == at }), nil
	})
	if !begins {
		if frame, ok := f.Lookup(addr - 1); ok {
			return frame, true
		}
	}
	return f.Lookup(addr)
}

// Around returns the function whose code contains an address, ignoring functions inlined into it.
func (f *File) Around(addr uint64) (name string, ok bool) {
	name, err := guarded(f, func() (string, error) {
		x, err := f.contents()
		if err != nil {
			return "", err
		}
		if fn := x.function(addr - f.Base); fn != nil {
			return fn.Name, nil
		}
		return "", nil
	})
	return name, err == nil && name != ""
}

// Site is an address for a source line: the return address of a call in the line or, if Callee is
// empty, the address where the line's code begins.
type Site struct {
	Address uint64
	Callee  string
}

// Sites returns the calls of a source line whose callees are wanted. If there are none, it returns the
// beginnings of the line's code, one for each function that has some: a template or an outlined loop
// has several.
func (f *File) Sites(file string, line int, wanted func(callee string) bool) ([]Site, error) {
	return guarded(f, func() ([]Site, error) {
		rows, err := f.rowsAt(file, line)
		if err != nil {
			return nil, err
		}
		var calls, begins []Site
		bodies, begun := map[*Function]*place{}, map[*Function]bool{}
		for _, r := range rows {
			fn := f.index.function(r.low)
			if !begun[fn] && f.entersLine(r) {
				begun[fn] = true
				begins = append(begins, Site{Address: r.low + f.Base})
			}
			if fn == nil {
				continue
			}
			if bodies[fn] == nil {
				if bodies[fn], err = f.body(f.index, fn); err != nil {
					return nil, err
				}
			}
			for _, c := range f.calls(bodies[fn], []row{r}) {
				if wanted(c.callee) {
					calls = append(calls, Site{c.next + f.Base, c.callee})
				}
			}
		}
		if len(calls) > 0 {
			return calls, nil
		}
		return begins, nil
	})
}

// Line returns the addresses at which the code of a source line begins, in order. The file may be given
// by the last parts of its path.
func (f *File) Line(file string, line int) ([]uint64, error) {
	return guarded(f, func() ([]uint64, error) {
		rows, err := f.rowsAt(file, line)
		if err != nil {
			return nil, err
		}
		var begins []uint64
		for _, r := range rows {
			if f.entersLine(r) {
				begins = append(begins, r.low+f.Base)
			}
		}
		return slices.Compact(begins), nil
	})
}

// entersLine reports whether the code of a line begins at a row.
func (f *File) entersLine(r row) bool { return r.entry || f.index.begins(r.low) }

// rowsAt returns the rows of a source line by address.
func (f *File) rowsAt(file string, line int) ([]row, error) {
	x, err := f.contents()
	if err != nil {
		return nil, err
	}
	s := &lineSearch{file: file, line: line, found: make(map[string][]row)}
	for _, u := range x.units {
		if err := f.search(s, u); err != nil {
			return nil, err
		}
	}
	if f.from == nil {
		return nil, errors.New(f.why)
	}
	return s.result(f)
}

// lineSearch collects the rows of a line, by the full path of its file.
type lineSearch struct {
	file          string
	line          int
	found         map[string][]row
	known         bool // a unit was compiled from the file
	before, after int  // the nearest lines that have code
}

func (f *File) search(s *lineSearch, u *unit) error {
	t, err := f.lineTable(u)
	if err != nil {
		return fmt.Errorf("the line table of `%s` is damaged", f.name())
	}
	if t == nil || !t.has(s.file) {
		return nil
	}
	rows, err := f.rowsIn(u)
	if err != nil {
		return err
	}
	match := make(map[string]bool)
	for _, r := range rows {
		ok, seen := match[r.file]
		if !seen {
			ok = endsIn(r.file, s.file)
			match[r.file] = ok
		}
		if !ok || r.line == 0 {
			continue
		}
		s.known = true
		switch {
		case r.line < s.line:
			s.before = max(s.before, r.line)
		case r.line > s.line && (s.after == 0 || r.line < s.after):
			s.after = r.line
		case r.line == s.line:
			s.found[r.file] = append(s.found[r.file], r)
		}
	}
	return nil
}

func (s *lineSearch) result(f *File) ([]row, error) {
	for file, rows := range s.found {
		if len(s.found) > 1 && !slices.ContainsFunc(rows, f.entersLine) {
			delete(s.found, file) // in this file the line has no start, only the middle of other pieces of code
		}
	}
	switch {
	case len(s.found) > 1:
		var files []string
		for file := range s.found {
			files = append(files, "`"+file+"`")
		}
		slices.Sort(files)
		return nil, fmt.Errorf("`%s` may be %s: write more of its path", s.file, strings.Join(files, " or "))
	case !s.known:
		return nil, fmt.Errorf("no code in `%s` was compiled from a file `%s`", f.name(), s.file)
	case len(s.found) == 0:
		return nil, fmt.Errorf("line %d of `%s` has no code%s", s.line, s.file, s.nearest())
	}
	for _, rows := range s.found {
		slices.SortStableFunc(rows, func(a, b row) int { return cmp.Compare(a.low, b.low) })
		if !slices.ContainsFunc(rows, f.entersLine) {
			rows[0].entry = true // optimized code may have no row where a debugger may stop: use the first row
		}
		return rows, nil
	}
	return nil, nil
}

func (s *lineSearch) nearest() string {
	switch {
	case s.before > 0 && s.after > 0:
		return fmt.Sprintf(": the nearest lines with code are %d and %d", s.before, s.after)
	case s.before > 0:
		return fmt.Sprintf(": the last line with code is %d", s.before)
	case s.after > 0:
		return fmt.Sprintf(": the first line with code is %d", s.after)
	}
	return ""
}

// Sources returns the files that a program was compiled from, including headers, as they were given to
// the compiler. Without debug information it returns none.
func (f *File) Sources() ([]string, error) {
	return guarded(f, func() ([]string, error) {
		x, err := f.contents()
		if err != nil {
			return nil, err
		}
		found := map[string]bool{}
		for _, u := range x.units {
			t, err := f.lineTable(u)
			if err != nil {
				return nil, fmt.Errorf("the line table of `%s` is damaged", f.name())
			}
			if t == nil {
				continue
			}
			for i := range t.files {
				if name := t.path(uint64(i)); name != "" {
					found[name] = true
				}
			}
			if len(found) > maxFiles {
				return nil, f.tooMuch("source files")
			}
		}
		return slices.Sorted(maps.Keys(found)), nil
	})
}

// Caller returns the source position of the call that was replaced by inlined code at an address. It
// goes outwards from the innermost function there and returns the first function that passed does not
// accept, with the line at which it calls the code inside it. It returns false if the code was not
// inlined or if passed accepts all functions.
func (f *File) Caller(addr uint64, passed func(Frame) bool) (Frame, bool) {
	addr -= f.Base
	caller, err := guarded(f, func() (Frame, error) {
		x, err := f.contents()
		if err != nil {
			return Frame{}, err
		}
		if fn, inner := x.function(addr), x.at(addr); fn == nil || inner == none || x.names[inner].name == fn.Name {
			return Frame{}, nil
		}
		around, err := f.around(addr)
		if err != nil {
			return Frame{}, err
		}
		r, _, err := f.row(x, addr)
		frame := Frame{File: r.file, Line: r.line}
		for _, p := range slices.Backward(around) {
			if err != nil || p.fn == none {
				return Frame{}, err
			}
			n := f.inlined.names[p.fn]
			if owner := x.at(p.Low); n.outlined() && owner != none {
				n = x.names[owner]
			}
			if frame.Function, frame.Linkage = n.name, n.linkage; !passed(frame) {
				return frame, nil
			}
			frame = Frame{Line: int(p.call.line)}
			frame.File, err = f.callFile(p)
		}
		return Frame{}, err
	})
	return caller, err == nil && caller.Function != ""
}

// around returns the pieces of code that contain an address, from the outermost inwards. The index has
// only the innermost ones, because few callers need the others, so a second walk finds them.
func (f *File) around(addr uint64) ([]code, error) {
	if f.inlined == nil {
		x := &index{file: f, known: make(map[named]int32)}
		if err := x.walk(); err != nil {
			return nil, err
		}
		f.inlined = x
	}
	var list []code
	for _, p := range f.inlined.pieces {
		if p.Low <= addr && addr < p.High {
			list = append(list, p)
		}
	}
	slices.SortStableFunc(list, outwards)
	return list, nil
}

// callFile returns the source file of the call that a piece replaces.
func (f *File) callFile(p code) (string, error) {
	t, err := f.lineTable(f.inlined.units[p.unit])
	if t == nil || err != nil {
		return "", err
	}
	return t.path(uint64(p.call.file)), nil
}
