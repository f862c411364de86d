package hdf5

import "fmt"

// Strings reads the selected elements of a dataset of strings, of fixed or
// variable length.
func (d *Dataset) Strings(at Slab) ([]string, error) {
	raw, n, err := d.raw(at)
	if err == nil {
		var out []string
		if out, err = d.f.strings(d.data.typ, raw, n); err == nil {
			return out, nil
		}
	}
	return nil, fmt.Errorf("`%s`: %w", d.path, err)
}

// Sequences reads the selected elements of a dataset of variable-length
// sequences, each as bytes of the base type.
func (d *Dataset) Sequences(at Slab) ([][]byte, error) {
	raw, n, err := d.raw(at)
	if err == nil && d.data.typ.Class != VarLen {
		err = fmt.Errorf("%s has no variable length", d.data.typ)
	}
	if err == nil {
		var out [][]byte
		if out, err = d.f.sequences(raw, n, d.data.typ.Base.Size); err == nil {
			return out, nil
		}
	}
	return nil, fmt.Errorf("`%s`: %w", d.path, err)
}

// raw reads elements as they are in the file.
func (d *Dataset) raw(at Slab) ([]byte, int, error) {
	s := d.data
	if s.space.Null {
		return nil, 0, nil
	}
	slab, err := at.within(s.space.Dims)
	if err != nil {
		return nil, 0, err
	}
	n, _ := product(slab.Count)
	if s.class == layoutContiguous && s.addr == undefined && n > d.f.end {
		return nil, 0, fmt.Errorf("%d elements were never written; select a part", n)
	}
	size, ok := product(append([]uint64{uint64(s.typ.Size)}, slab.Count...))
	if !ok || size > 1<<32 {
		return nil, 0, fmt.Errorf("%d elements are too many to be read at once; select a part", n)
	}
	x := &transfer{s: s, slab: slab, size: s.typ.Size, buf: make([]byte, size), conv: copyOf(s.typ.Size)}
	if err := x.place(Memory{}); err != nil {
		return nil, 0, err
	}
	return x.buf, int(n), x.read()
}

func (f *File) strings(t Type, raw []byte, n int) ([]string, error) {
	out := make([]string, n)
	switch {
	case t.Class == String:
		for i := range out {
			out[i] = string(trimText(raw[i*t.Size:(i+1)*t.Size], t.Pad))
		}
	case t.Class == VarLen && (t.Text || t.Base.Class == String):
		// Elements may share one heap object: turn each into a string once.
		seen := map[[16]byte]string{}
		for i := range out {
			var key [16]byte
			elem := raw[i*t.Size : (i+1)*t.Size]
			copy(key[:], elem)
			s, ok := seen[key]
			if !ok {
				parts, err := f.sequences(elem, 1, t.Base.Size)
				if err != nil {
					return nil, err
				}
				s = string(trimText(parts[0], NullTerm))
				seen[key] = s
			}
			out[i] = s
		}
	default:
		return nil, fmt.Errorf("%s is not a string", t)
	}
	return out, nil
}
