package debuginfo

import "slices"

// Caller finds the call behind code that was inlined: from the innermost function at an address outwards, the first
// that is not passed, at the line where it calls what lies within it. Of code that was not inlined, and
// where all functions are passed, there is none.
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

// around are the pieces of code that an address lies in, from the outermost inwards. An index has only the
// innermost ones, because few callers ask for the others: a second walk finds them.
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

// callFile is the source file with the call that a piece stands for.
func (f *File) callFile(p code) (string, error) {
	t, err := f.lineTable(f.inlined.units[p.unit])
	if t == nil || err != nil {
		return "", err
	}
	return t.path(uint64(p.call.file)), nil
}
