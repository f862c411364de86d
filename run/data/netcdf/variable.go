package netcdf

import (
	"errors"
	"fmt"
	"slices"

	"github.com/pentode-dev/pentode/run/data/hdf5"
)

// Shape describes a variable.
type Shape struct {
	Type       hdf5.Type
	Dimensions []Dimension
	Chunk      []uint64 // nil: chosen by this package, if the variable needs chunks
	Deflate    int      // 1 to 9, with the shuffle filter; 0 does not compress
	Fill       []byte   // for elements that were never written; nil: the default of the type
}

// Define opens the variable at a path, or makes it, together with missing groups and dimensions. It looks for a
// dimension in the group of the variable, then in the groups around it. made reports whether it made the variable.
func Define(h *hdf5.File, path string, s Shape) (d *hdf5.Dataset, made bool, err error) {
	group, name := Split(path)
	g, err := Group(h, group)
	if err != nil {
		return nil, false, err
	}
	if d, err = find(g, name); err != nil || d != nil {
		return d, false, err
	}
	if err := CheckName(name); err != nil {
		return nil, false, err
	}
	if ordered, err := g.Ordered(); err != nil || !ordered {
		return nil, false, errors.Join(err, errors.New("the file does not keep the creation order, which netCDF needs: a program that only writes HDF5 has made it"))
	}
	def := &definition{h: h, group: g, name: name, Shape: s}
	if err := def.findDimensions(group); err != nil {
		return nil, false, fmt.Errorf("variable `%s`: %w", path, err)
	}
	if d, err = def.make(); err != nil {
		return nil, false, fmt.Errorf("variable `%s`: %w", path, err)
	}
	return d, true, nil
}

// definition is a variable that is being defined.
type definition struct {
	Shape
	h      *hdf5.File
	group  *hdf5.Group
	name   string
	scales []*scale // nil: still to be made
	next   int32    // the number of the next dimension; 0: not known yet
}

// findDimensions looks for existing dimensions.
func (v *definition) findDimensions(group string) error {
	v.scales = make([]*scale, len(v.Dimensions))
	for i, dim := range v.Dimensions {
		if err := CheckName(dim.Name); err != nil {
			return err
		}
		s, err := lookup(v.h, group, dim.Name)
		if err != nil {
			return err
		}
		if v.scales[i] = s; s == nil {
			continue
		}
		switch have := s.Space().Dims[0]; {
		case s.limited() && dim.Unlimited:
			return fmt.Errorf("dimension `%s` has %d elements in the file and cannot grow", dim.Name, have)
		case s.limited() && have != dim.Size:
			return fmt.Errorf("dimension `%s` has %d elements in the file, not %d", dim.Name, have, dim.Size)
		}
		v.Dimensions[i].Unlimited = !s.limited()
	}
	return nil
}

// lookup looks for a dimension in a group and the groups around it.
func lookup(h *hdf5.File, group, name string) (*scale, error) {
	for {
		path := group + "/" + name
		if there, err := h.Root().Exists(path); err != nil {
			return nil, err
		} else if there {
			if d, err := h.Root().Dataset(path); err == nil { // else it is the name of a group or a type
				if s, err := scaleOf(d); s != nil || err != nil {
					return s, err
				}
			}
		}
		if group == "" {
			return nil, nil
		}
		group, _ = Split(group)
	}
}

// make makes the dataset and the missing scales.
func (v *definition) make() (*hdf5.Dataset, error) {
	space, opts := v.storage()
	own := -1 // the axis whose scale is the variable
	if len(v.Dimensions) > 0 && v.Dimensions[0].Name == v.name {
		if s := v.scales[0]; s == nil || v.holds(s) {
			own = 0
		}
	}
	for i, dim := range v.Dimensions {
		if v.scales[i] == nil && i != own {
			first := slices.IndexFunc(v.Dimensions[:i], func(d Dimension) bool { return d.Name == dim.Name })
			if first >= 0 {
				v.scales[i] = v.scales[first] // both axes have the same dimension; nil means that the variable itself becomes its scale
				continue
			}
			s, err := v.makeScale(dim)
			if err != nil {
				return nil, err
			}
			v.scales[i] = s
		}
	}
	var d *hdf5.Dataset
	var err error
	switch {
	case own == 0 && v.scales[0] != nil:
		d = v.scales[0].Dataset
		space.Dims[0] = d.Space().Dims[0] // the dimension may have grown in the meantime
		if err = d.Redefine(v.Type, space, opts); err == nil {
			err = setTerminated(d.Object, label, v.name)
		}
	case own == 0:
		if d, err = v.group.CreateDataset(v.name, v.Type, space, opts); err == nil {
			v.scales[0], err = v.number(d, v.name, true)
		}
	default:
		stored := v.name
		if taken, e := v.group.Exists(stored); e != nil {
			return nil, e
		} else if taken {
			stored = nonCoordinate + v.name
		}
		d, err = v.group.CreateDataset(stored, v.Type, space, opts)
	}
	if err != nil {
		return nil, err
	}
	for i, dim := range v.Dimensions {
		if v.scales[i] == nil && dim.Name == v.name {
			v.scales[i] = v.scales[0]
		}
	}
	return d, v.attach(d, own == 0)
}

// holds reports whether a scale is in the group of the variable and has no coordinates.
func (v *definition) holds(s *scale) bool {
	here, err := v.group.Dataset(v.name)
	return err == nil && here.Is(s.Dataset) && !s.variable
}

// makeScale makes a dimension in the group of the variable.
func (v *definition) makeScale(dim Dimension) (*scale, error) {
	if taken, err := v.group.Exists(dim.Name); err != nil {
		return nil, err
	} else if taken { // a variable has the name that the scale needs
		if _, err := v.group.Dataset(dim.Name); err != nil {
			return nil, fmt.Errorf("dimension `%s`: a group or a type has its name", dim.Name)
		}
		if err := v.group.Rename(dim.Name, nonCoordinate+dim.Name); err != nil {
			return nil, err
		}
	}
	space, opts := hdf5.Space{Dims: []uint64{dim.Size}}, hdf5.Options{}
	if dim.Unlimited {
		space, opts.Chunk = hdf5.Space{Dims: []uint64{0}, MaxDims: []uint64{hdf5.Unlimited}}, []uint64{1}
	}
	d, err := v.group.CreateDataset(dim.Name, hdf5.IEEE(4).Big(), space, opts)
	if err != nil {
		return nil, err
	}
	return v.number(d, fmt.Sprintf("%s%10d", noVariable, dim.Size), false)
}

// number turns a dataset into the scale of a new dimension, and gives the dimension the next number.
func (v *definition) number(d *hdf5.Dataset, name string, variable bool) (*scale, error) {
	if v.next == 0 {
		var err error
		if _, v.next, err = numbered(v.h); err != nil {
			return nil, err
		}
	}
	s := &scale{d, v.next, variable}
	v.next++
	return s, errors.Join(setTerminated(d.Object, class, "DIMENSION_SCALE"), setTerminated(d.Object, label, name),
		d.SetAttribute(dimensionID, hdf5.Int(4), hdf5.Space{}, putNumbers(s.id)))
}

// attach makes the variable and its dimensions refer to each other. A scale refers to other scales only by their numbers.
func (v *definition) attach(d *hdf5.Dataset, own bool) error {
	if len(v.scales) == 0 {
		return nil
	}
	refs, ids := make([][]byte, len(v.scales)), make([]int32, len(v.scales))
	all := map[int32]*scale(nil)
	for i, s := range v.scales {
		refs[i], ids[i] = s.Reference(), s.id
		if s.id >= 0 {
			continue
		}
		if all == nil {
			var err error
			if all, _, err = numbered(v.h); err != nil {
				return err
			}
		}
		for id, other := range all {
			if other.Is(s.Dataset) {
				ids[i] = id
			}
		}
	}
	if !own {
		if err := d.SetSequences(dimensionList, hdf5.Ref(), refs); err != nil {
			return err
		}
		for i, s := range v.scales {
			if err := s.addUser(d, i); err != nil {
				return err
			}
		}
	}
	return d.SetAttribute(coordinates, hdf5.Int(4), hdf5.Space{Dims: []uint64{uint64(len(ids))}}, putNumbers(ids...))
}

// Grow extends a variable to at least a shape, along its unlimited dimensions, which grow with it.
func Grow(h *hdf5.File, d *hdf5.Dataset, dims []uint64) error {
	space := d.Space()
	if len(dims) != len(space.Dims) {
		return nil
	}
	grown, larger := slices.Clone(space.Dims), false
	for i, n := range dims {
		if n > grown[i] && unlimited(space, i) {
			grown[i], larger = n, true
		}
	}
	if !larger {
		return nil
	}
	if err := d.Extend(grown); err != nil {
		return err
	}
	list, err := scales(h, d)
	if err != nil {
		return err
	}
	for i, s := range list {
		if s == nil || s.Is(d) || s.limited() || s.Space().Dims[0] >= grown[i] {
			continue
		}
		now := slices.Clone(s.Space().Dims)
		now[0] = grown[i]
		if err := s.Extend(now); err != nil {
			return err
		}
	}
	return nil
}

// pad extends a variable that is read to the length of its dimensions.
func pad(h *hdf5.File, d *hdf5.Dataset) error {
	space := d.Space()
	grown := slices.Clone(space.Dims)
	list, err := scales(h, d)
	if err != nil {
		return err
	}
	for i, s := range list {
		if s == nil || !unlimited(space, i) {
			continue
		}
		n, err := s.length(h)
		if err != nil {
			return err
		}
		grown[i] = max(grown[i], n)
	}
	if slices.Equal(grown, space.Dims) {
		return nil
	}
	return d.Extend(grown)
}
