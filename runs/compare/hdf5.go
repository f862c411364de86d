package compare

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"maps"
	"math"
	"slices"

	"github.com/pentode-dev/pentode/run/data/hdf5"
)

// maxElements is how many bytes of a dataset are read at once.
const maxElements = 16 << 20

// maxDepth limits the depth of nested groups.
const maxDepth = 64

// hdf5Files compares two files dataset by dataset.
func hdf5Files(a, b string) ([]Difference, error) {
	left, err := hdf5.Open(a)
	if err != nil {
		return bytesOf(a, b)
	}
	defer left.Close()
	right, err := hdf5.Open(b)
	if err != nil {
		return bytesOf(a, b)
	}
	defer right.Close()
	was, is := map[string]*hdf5.Dataset{}, map[string]*hdf5.Dataset{}
	if datasets(left.Root(), "", 0, was) != nil || datasets(right.Root(), "", 0, is) != nil {
		return bytesOf(a, b)
	}
	var list []Difference
	for _, name := range slices.Sorted(maps.Keys(was)) {
		other, ok := is[name]
		if !ok {
			list = append(list, Difference{Part: name, What: "only the first has it"})
			continue
		}
		d, err := elements(was[name], other)
		if err != nil {
			d = &Difference{What: "it cannot be read: " + err.Error()}
		}
		if d != nil {
			d.Part = name
			list = append(list, *d)
		}
	}
	for _, name := range slices.Sorted(maps.Keys(is)) {
		if _, ok := was[name]; !ok {
			list = append(list, Difference{Part: name, What: "only the second has it"})
		}
	}
	return list, nil
}

// datasets finds the datasets of a group and of the groups in it.
func datasets(g *hdf5.Group, path string, depth int, found map[string]*hdf5.Dataset) error {
	if depth > maxDepth {
		return fmt.Errorf("groups are nested too deeply")
	}
	return g.Each(func(name string, g *hdf5.Group, d *hdf5.Dataset) error {
		if d != nil {
			found[path+name] = d
			return nil
		}
		return datasets(g, path+name+"/", depth+1, found)
	})
}

// elements compares two datasets; nil: they are equal.
func elements(a, b *hdf5.Dataset) (*Difference, error) {
	if !slices.Equal(a.Space().Dims, b.Space().Dims) || a.Space().Null != b.Space().Null {
		return &Difference{What: fmt.Sprintf("its shapes are %v and %v", a.Space().Dims, b.Space().Dims)}, nil
	}
	t := a.Type()
	if !t.Equal(b.Type()) {
		return &Difference{What: fmt.Sprintf("its types are %s and %s", t, b.Type())}, nil
	}
	if a.Space().Null {
		return nil, nil
	}
	numbers := t.Class == hdf5.Integer && t.Size <= 8 || t.Class == hdf5.Float && t.Size <= 8
	mem := hdf5.Memory{}
	size := t.Size
	if numbers {
		mem.Type, size = hdf5.IEEE(8), 8
	}
	var d Difference
	different, all := uint64(0), a.Space().Len()
	for _, at := range slabs(a.Space().Dims, size) {
		n := uint64(size)
		for _, count := range at.Count {
			n *= count
		}
		one, other := make([]byte, n), make([]byte, n)
		if err := a.Read(one, mem, at); err != nil {
			return nil, err
		}
		if err := b.Read(other, mem, at); err != nil {
			return nil, err
		}
		for i := 0; i < len(one); i += size {
			x, y := one[i:i+size], other[i:i+size]
			if bytes.Equal(x, y) {
				continue
			}
			different++
			if numbers {
				d.Largest = max(d.Largest, math.Abs(float64At(x)-float64At(y)))
			}
		}
	}
	switch {
	case different == 0:
		return nil, nil
	case math.IsNaN(d.Largest):
		d.Largest, d.What = 0, fmt.Sprintf("%d of %d elements differ; some of them are not numbers", different, all)
	case numbers:
		d.What = fmt.Sprintf("%d of %d elements differ, by at most %.6g", different, all, d.Largest)
	default:
		d.What = fmt.Sprintf("%d of %d elements", different, all)
	}
	return &d, nil
}

// float64At reads a number in the layout of hdf5.IEEE.
func float64At(b []byte) float64 { return math.Float64frombits(binary.LittleEndian.Uint64(b)) }

// slabs divides a dataset along its first dimension into pieces that are read at once.
func slabs(dims []uint64, size int) []hdf5.Slab {
	if len(dims) == 0 {
		return []hdf5.Slab{{}}
	}
	row := uint64(size)
	for _, n := range dims[1:] {
		row *= max(n, 1)
	}
	step := max(maxElements/max(row, 1), 1)
	var list []hdf5.Slab
	for start := uint64(0); start < dims[0]; start += step {
		at := hdf5.Slab{Start: make([]uint64, len(dims)), Count: slices.Clone(dims)}
		at.Start[0], at.Count[0] = start, min(step, dims[0]-start)
		list = append(list, at)
	}
	return list
}
