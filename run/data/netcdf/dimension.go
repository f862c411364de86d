package netcdf

import (
	"encoding/binary"
	"errors"
	"slices"
	"strings"

	"github.com/pentode-dev/pentode/run/data/hdf5"
)

// Dimension is a named axis. Size is not used if the dimension is unlimited.
type Dimension struct {
	Name      string
	Size      uint64
	Unlimited bool
}

// noVariable begins the label of a scale without coordinates.
const noVariable = "This is a netCDF dimension but not a netCDF variable."

// scale is the dataset that represents a dimension.
type scale struct {
	*hdf5.Dataset
	id       int32 // the number of the dimension; -1: the file does not give one
	variable bool  // the dataset is also a variable, with the coordinates of the dimension
}

// scaleOf returns a dataset as a scale, or nil if it is not one.
func scaleOf(d *hdf5.Dataset) (*scale, error) {
	kind, err := textOf(d, class)
	if err != nil || kind != "DIMENSION_SCALE" {
		return nil, err
	}
	name, err := textOf(d, label)
	if err != nil {
		return nil, err
	}
	s := &scale{d, -1, !strings.HasPrefix(name, noVariable)}
	ids, err := numbersOf(d, dimensionID)
	if err == nil && len(ids) == 1 {
		s.id = ids[0]
	}
	if len(d.Space().Dims) == 0 {
		return nil, nil
	}
	return s, err
}

// textOf returns a text attribute, or "" if it is missing or not a text.
func textOf(d *hdf5.Dataset, name string) (string, error) {
	a, err := d.Attribute(name)
	if errors.Is(err, hdf5.ErrNotFound) || err == nil && a.Type.Class != hdf5.String {
		return "", nil
	}
	if err != nil {
		return "", err
	}
	text, err := a.Strings()
	return strings.Join(text, ""), err
}

// numbersOf returns an attribute of integers, or nil if it is missing.
func numbersOf(d *hdf5.Dataset, name string) ([]int32, error) {
	a, err := d.Attribute(name)
	if errors.Is(err, hdf5.ErrNotFound) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	b, err := a.Read(hdf5.Int(4))
	if err != nil {
		return nil, err
	}
	list := make([]int32, len(b)/4)
	for i := range list {
		list[i] = int32(binary.LittleEndian.Uint32(b[4*i:]))
	}
	return list, nil
}

func putNumbers(list ...int32) []byte {
	var b []byte
	for _, n := range list {
		b = binary.LittleEndian.AppendUint32(b, uint32(n))
	}
	return b
}

// limited reports whether a scale cannot grow.
func (s *scale) limited() bool { return !unlimited(s.Space(), 0) }

func unlimited(s hdf5.Space, axis int) bool {
	return s.MaxDims != nil && s.MaxDims[axis] == hdf5.Unlimited
}

// user is an entry in a scale's list of variables: a reference to a variable, and which of its axes has the
// dimension.
type user struct {
	ref  []byte
	axis int32
}

// listed returns the list of variables that have the dimension, except the dimension's own variable, as it is
// stored in the file.
func (s *scale) listed() ([]byte, error) {
	a, err := s.Attribute(referenceList)
	if errors.Is(err, hdf5.ErrNotFound) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	return a.Read(userType)
}

// users returns the list of variables that have the dimension, decoded.
func (s *scale) users() ([]user, error) {
	b, err := s.listed()
	if err != nil {
		return nil, err
	}
	list := make([]user, len(b)/userType.Size)
	for i := range list {
		p := b[i*userType.Size:]
		list[i] = user{p[:8], int32(binary.LittleEndian.Uint32(p[8:]))}
	}
	return list, nil
}

var userType = hdf5.Struct(16, hdf5.Member{Name: "dataset", Type: hdf5.Ref()}, hdf5.Member{Name: "dimension", Offset: 8, Type: hdf5.Int(4)})

// maxUsers is the number of variables that a scale lists, because no more fit into an attribute. The netCDF and
// HDF5 libraries need the list neither to read variables nor to find their dimensions.
const maxUsers = 4000

// addUser records that a variable has the dimension.
func (s *scale) addUser(d *hdf5.Dataset, axis int) error {
	b, err := s.listed()
	n := len(b)/userType.Size + 1
	if err != nil || n > maxUsers {
		return err
	}
	b = append(append(b, d.Reference()...), putNumbers(int32(axis), 0)...)
	return s.SetAttribute(referenceList, userType, hdf5.Space{Dims: []uint64{uint64(n)}}, b)
}

// length returns the length of a dimension. An unlimited dimension is as long as the longest of its variables.
func (s *scale) length(h *hdf5.File) (uint64, error) {
	n := s.Space().Dims[0]
	if s.limited() {
		return n, nil
	}
	users, err := s.users()
	if err != nil {
		return 0, err
	}
	for _, u := range users {
		d, err := h.Referred(u.ref)
		if err != nil {
			continue // another program deleted the variable and did not update the list
		}
		if dims := d.Space().Dims; u.axis >= 0 && int(u.axis) < len(dims) {
			n = max(n, dims[u.axis])
		}
	}
	return n, nil
}

// scales returns the dimensions of a variable, with nil for an axis without a dimension in the file.
func scales(h *hdf5.File, d *hdf5.Dataset) ([]*scale, error) {
	list := make([]*scale, len(d.Space().Dims))
	own, err := scaleOf(d)
	if err != nil || len(list) == 0 {
		return list, err
	}
	if own != nil {
		list[0] = own
		return list, byNumber(h, d, list)
	}
	a, err := d.Attribute(dimensionList)
	if errors.Is(err, hdf5.ErrNotFound) {
		return list, byNumber(h, d, list)
	}
	if err != nil {
		return nil, err
	}
	refs, err := a.Sequences()
	if err != nil {
		return nil, err
	}
	for i, ref := range refs[:min(len(refs), len(list))] {
		if len(ref) < 8 {
			continue
		}
		to, err := h.Referred(ref[:8])
		if err != nil {
			return nil, err
		}
		if list[i], err = scaleOf(to); err != nil {
			return nil, err
		}
	}
	return list, nil
}

// byNumber fills in dimensions that a variable refers to only by number: all but the first dimension of a
// scale, which cannot refer to other scales.
func byNumber(h *hdf5.File, d *hdf5.Dataset, list []*scale) error {
	ids, err := numbersOf(d, coordinates)
	if err != nil || len(ids) != len(list) || !slices.Contains(list, nil) {
		return err
	}
	all, _, err := numbered(h)
	for i, id := range ids {
		if list[i] == nil {
			list[i] = all[id]
		}
	}
	return err
}

// numbered returns all dimensions of a file by their numbers, and the next free number. If the file does not
// number a dimension, it gets the next number in the order in which scales were made.
func numbered(h *hdf5.File) (all map[int32]*scale, next int32, err error) {
	all = map[int32]*scale{}
	queue, seen := []*hdf5.Group{h.Root()}, map[string]bool{}
	for len(queue) > 0 {
		g := queue[0]
		queue = queue[1:]
		err := g.Each(func(_ string, sub *hdf5.Group, d *hdf5.Dataset) error {
			if sub != nil {
				if ref := string(sub.Reference()); !seen[ref] { // groups may contain each other
					seen[ref] = true
					queue = append(queue, sub)
				}
				return nil
			}
			s, err := scaleOf(d)
			if err != nil || s == nil {
				return err
			}
			if s.id < 0 {
				s.id = next
			}
			all[s.id], next = s, max(next, s.id+1)
			return nil
		})
		if err != nil {
			return nil, 0, err
		}
	}
	return all, next, nil
}
