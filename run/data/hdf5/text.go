package hdf5

import (
	"cmp"
	"fmt"
)

// VarText reports whether elements are texts of variable length. They are read into texts of a fixed length.
func (t Type) VarText() bool { return t.Class == VarLen && (t.Text || t.Base.Class == String) }

// texts reads such elements. One that does not fit is not cut.
func (x *transfer) texts(to Type) converter {
	from, room := x.s.typ, to.Size
	if to.Pad == NullTerm {
		room--
	}
	return converter{from: from.Size, to: to.Size, run: func(dst, src []byte, n int) {
		list, err := x.s.o.f.strings(from, src, n)
		x.bad = cmp.Or(x.bad, err)
		for i, text := range list {
			if len(text) > room {
				x.bad = cmp.Or(x.bad, fmt.Errorf("`%.40s` has %d bytes, there is room for %d", text, len(text), room))
			}
			copyText(dst[i*to.Size:(i+1)*to.Size], []byte(text), NullPad, to.Pad)
		}
	}}
}

func (f *File) strings(t Type, raw []byte, n int) ([]string, error) {
	out := make([]string, n)
	switch {
	case t.Class == String:
		for i := range out {
			out[i] = string(trimText(raw[i*t.Size:(i+1)*t.Size], t.Pad))
		}
	case t.VarText():
		parts, err := f.sequences(raw, n, t.Base.Size)
		if err != nil {
			return nil, err
		}
		// Elements may share one heap object: turn each object into a string once.
		seen := map[*byte]string{}
		for i, p := range parts {
			if len(p) == 0 {
				continue
			}
			s, ok := seen[&p[0]]
			if !ok {
				s = string(trimText(p[:cap(p)], NullTerm))
				seen[&p[0]] = s
			}
			out[i] = s[:min(len(p), len(s))]
		}
	default:
		return nil, fmt.Errorf("%s is not a string", t)
	}
	return out, nil
}
