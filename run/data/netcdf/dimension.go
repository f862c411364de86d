package netcdf

import (
	"encoding/binary"
	"errors"
	"slices"
	"strings"

	"github.com/pentode-dev/pentode/run/data/hdf5"
)

// Dimension is an axis with a name. Of one without limit Size is not used.
type Dimension struct {
	Name      string
	Size      uint64
	Unlimited bool
}

// noVariable begins the label of a scale without coordinates.
const noVariable = "This is a netCDF dimension but not a netCDF variable."

// scale is the dataset of a dimension.
type scale struct {
	*hdf5.Dataset
	id       int32 // -1: the file does not say
	variable bool  // it holds coordinates
}

// scaleOf looks whether a dataset is a scale; nil where it is none.
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

// textOf is an attribute that is a text, empty where it is missing or none.
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

// numbersOf is an attribute of integers, nil where it is missing.
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

// user is a variable along a dimension.
type user struct {
	ref  []byte
	axis int32
}

// listed is the list of variables along a dimension, other than its own, as it is in the file.
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

// users are those variables.
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

// maxUsers is how many variables a scale lists; no more fit in an attribute. Libraries of netCDF and HDF5
// do not need the list to read variables and to find their dimensions.
const maxUsers = 4000

// addUser notes that a variable has the dimension.
func (s *scale) addUser(d *hdf5.Dataset, axis int) error {
	b, err := s.listed()
	n := len(b)/userType.Size + 1
	if err != nil || n > maxUsers {
		return err
	}
	b = append(append(b, d.Reference()...), putNumbers(int32(axis), 0)...)
	return s.SetAttribute(referenceList, userType, hdf5.Space{Dims: []uint64{uint64(n)}}, b)
}

// length is how long a dimension is: as the longest of its variables, where it has no limit.
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
			continue // another program has deleted the variable, and left the list as it was
		}
		if dims := d.Space().Dims; u.axis >= 0 && int(u.axis) < len(dims) {
			n = max(n, dims[u.axis])
		}
	}
	return n, nil
}

// scales are the dimensions of a variable, nil where the file has none for an axis.
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

// byNumber fills in dimensions that a variable knows by number only: the later ones of a scale, which cannot
// refer to other scales.
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

// numbered are all dimensions of a file by their numbers, and the next free number. Where the file does not say
// a number, it is the next one in the order in which scales were made.
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
