package hdf5

import "fmt"

func (f *File) strings(t Type, raw []byte, n int) ([]string, error) {
	out := make([]string, n)
	switch {
	case t.Class == String:
		for i := range out {
			out[i] = string(trimText(raw[i*t.Size:(i+1)*t.Size], t.Pad))
		}
	case t.Class == VarLen && (t.Text || t.Base.Class == String):
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
