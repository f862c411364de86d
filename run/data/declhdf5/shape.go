package declhdf5

import (
	"slices"
	"strconv"

	"github.com/pentode-dev/pentode/run/data"
	"github.com/pentode-dev/pentode/run/data/hdf5"
)

// shape is a type of the store in HDF5's terms: elements in a box, of which a part is in use.
type shape struct {
	elem        hdf5.Type
	dims        []uint64 // in memory
	start, used []uint64 // the part in use
}

// shapeOf takes the outer arrays of a type as dimensions, and what they contain as the element.
func shapeOf(t data.Type, m *data.Machine) (shape, error) {
	var s shape
	for {
		a, ok := t.(*data.Array)
		if !ok {
			break
		}
		s.dims = append(s.dims, uint64(a.Length))
		s.start = append(s.start, uint64(a.Start))
		s.used = append(s.used, uint64(a.Used))
		t = a.Elem
	}
	var err error
	if s.elem, err = element(t); err != nil {
		return s, err
	}
	if m.BigEndian {
		s.elem = s.elem.Big()
	}
	return s, nil
}

// TypeOf returns the type and the shape of a dataset for data of type t.
func TypeOf(t data.Type, m *data.Machine) (hdf5.Type, hdf5.Space, error) {
	s, err := shapeOf(t, m)
	return s.elem, hdf5.Space{Dims: s.used}, err
}

// element returns the HDF5 type of one element.
func element(t data.Type) (hdf5.Type, error) {
	size := int(t.Size())
	switch t := t.(type) {
	case *data.Scalar:
		switch {
		case t.Kind == data.Signed && size <= 8:
			return hdf5.Int(size), nil
		case t.Kind == data.Unsigned && size <= 8:
			return hdf5.Uint(size), nil
		case t.Kind == data.Float && size >= 2 && size <= 16:
			return hdf5.IEEE(size), nil
		}
		return hdf5.Bytes(size, t.Name), nil
	case *data.Array:
		var dims []int
		elem := data.Type(t)
		for a, ok := elem.(*data.Array); ok; a, ok = elem.(*data.Array) {
			if a.Used != a.Length {
				return hdf5.Type{}, data.Errorf(data.StatusType, nil, "an array inside a record is a slice: HDF5 has no such type, use the plugin `serialize`")
			}
			dims = append(dims, int(a.Length))
			elem = a.Elem
		}
		base, err := element(elem)
		return hdf5.ArrayOf(base, dims...), err
	case *data.Record:
		return compound(t.Members, size)
	case *data.Tuple:
		return compound(t.Elements, size)
	}
	return hdf5.Type{}, data.Errorf(data.StatusType, nil, "a pointer cannot be written to a file: use the plugin `serialize`")
}

func compound(members []data.Member, size int) (hdf5.Type, error) {
	list := make([]hdf5.Member, len(members))
	for i, m := range members {
		t, err := element(m.Type)
		if err != nil {
			return t, err
		}
		name := m.Name
		if name == "" {
			name = strconv.Itoa(i)
		}
		list[i] = hdf5.Member{Name: name, Offset: int(m.Offset), Type: t}
	}
	return hdf5.Struct(size, list...), nil
}

// sel applies a selection of the configuration to the part in use. Its start is relative
// to that part.
func (s *shape) sel(sel Selection) error {
	size, err := numbers(sel.Size, s.used, "size")
	if err != nil {
		return err
	}
	start, err := numbers(sel.Start, make([]uint64, len(s.dims)), "start")
	if err != nil {
		return err
	}
	if len(size) != len(s.dims) || len(start) != len(s.dims) {
		return data.Errorf(data.StatusValue, nil, "the memory selection has %d dimensions, the datum %d", max(len(size), len(start)), len(s.dims))
	}
	for i := range s.dims {
		if start[i] > s.used[i] || size[i] > s.used[i]-start[i] {
			return data.Errorf(data.StatusValue, nil, "the memory selection takes %d elements from element %d on in dimension %d, which has %d elements", size[i], start[i], i, s.used[i])
		}
		s.start[i] += start[i]
	}
	s.used = size
	return nil
}

// texts makes one text element of the characters in the last dimension.
func (s *shape) texts() error {
	last := len(s.dims) - 1
	if last < 0 || s.elem.Size != 1 {
		return data.Errorf(data.StatusType, nil, "the file has a text of variable length: the datum has to be an array of characters")
	}
	if s.used[last] != s.dims[last] {
		return data.Errorf(data.StatusType, nil, "the file has a text of variable length: the datum cannot be a part of an array of characters")
	}
	s.elem = hdf5.Text(int(s.dims[last]), hdf5.NullPad)
	s.dims, s.start, s.used = s.dims[:last], s.start[:last], s.used[:last]
	return nil
}

// trim cuts off the memory before and after the part in use, along the first dimension.
func (s *shape) trim(memory []byte) []byte {
	if len(s.dims) == 0 {
		return memory
	}
	row := int(count(s.dims[1:])) * s.elem.Size
	from := int(s.start[0]) * row
	s.dims[0], s.start[0] = s.used[0], 0
	return memory[from : from+int(s.used[0])*row]
}

func (s *shape) memory() hdf5.Memory {
	return hdf5.Memory{Type: s.elem, Dims: s.dims, Slab: hdf5.Slab{Start: s.start, Count: s.used}}
}

func count(dims []uint64) uint64 {
	n := uint64(1)
	for _, d := range dims {
		n *= d
	}
	return n
}

// numbers evaluates a list of sizes, or returns the default.
func numbers(list []*data.Value, otherwise []uint64, what string) ([]uint64, error) {
	if list == nil {
		return slices.Clone(otherwise), nil
	}
	out := make([]uint64, len(list))
	for i, v := range list {
		n, err := v.Long()
		if err != nil {
			return nil, err
		}
		if n < 0 {
			return nil, data.Errorf(data.StatusValue, v.Node, "the %s of a selection is %d, which is negative", what, n)
		}
		out[i] = uint64(n)
	}
	return out, nil
}

// box is a selection with evaluated numbers; an empty list means the default.
type box struct{ Size, Start []uint64 }

func (sel Selection) box() (b box, err error) {
	if b.Size, err = numbers(sel.Size, nil, "size"); err == nil {
		b.Start, err = numbers(sel.Start, nil, "start")
	}
	return b, err
}

// target returns the part of a dataset that a memory selection is written to.
func (b box) target(dataset, memory []uint64) (hdf5.Slab, error) {
	to := hdf5.Slab{Start: b.Start, Count: b.Size}
	if len(to.Count) == 0 {
		to.Count = dataset
		if len(dataset) == len(memory) {
			to.Count = memory
		}
	}
	if len(to.Start) == 0 {
		to.Start = make([]uint64, len(dataset))
	}
	if count(to.Count) != count(memory) {
		return hdf5.Slab{}, data.Errorf(data.StatusValue, nil, "the selection in memory has %d elements, the selection in the dataset %d", count(memory), count(to.Count))
	}
	return to, nil
}
