package netcdf

import (
	"errors"
	"fmt"
	"io"
	"os"
	"strings"
	"unicode/utf8"

	"github.com/pentode-dev/pentode/run/data/hdf5"
)

// Names that the format reserves.
const (
	class         = "CLASS"
	label         = "NAME"
	dimensionList = "DIMENSION_LIST"
	referenceList = "REFERENCE_LIST"
	dimensionID   = "_Netcdf4Dimid"
	coordinates   = "_Netcdf4Coordinates"
	properties    = "_NCProperties"
	nonCoordinate = "_nc4_non_coord_"
)

// Reserved reports whether the format reserves the name of an attribute.
func Reserved(attribute string) bool {
	switch attribute {
	case class, label, dimensionList, referenceList, dimensionID, coordinates, properties:
		return true
	}
	return false
}

// Create makes an empty file, as hdf5.Create does.
func Create(path string) (*hdf5.File, error) {
	h, err := hdf5.CreateOrdered(path)
	if err != nil {
		return nil, err
	}
	return h, SetText(h.Root().Object, properties, "version=2,pentode=1")
}

// Explain replaces err by a clearer error if the file is a classic netCDF file.
func Explain(path string, err error) error {
	f, e := os.Open(path)
	if e != nil {
		return err
	}
	defer f.Close()
	head := make([]byte, 4)
	if _, e := io.ReadFull(f, head); e != nil || string(head[:3]) != "CDF" {
		return err
	}
	return fmt.Errorf("it is a classic netCDF file (CDF-%d), which is not supported: convert it with `nccopy -k nc4`", head[3])
}

// Group opens the group at a path, and makes missing groups on the way.
func Group(h *hdf5.File, path string) (*hdf5.Group, error) {
	at := h.Root()
	for name := range strings.FieldsFuncSeq(path, func(r rune) bool { return r == '/' }) {
		next, err := at.Group(name)
		if errors.Is(err, hdf5.ErrNotFound) {
			if err = CheckName(name); err == nil {
				next, err = at.CreateGroup(name)
			}
		}
		if err != nil {
			return nil, err
		}
		at = next
	}
	return at, nil
}

// Split returns the group and the name of a variable.
func Split(path string) (group, name string) {
	path = strings.Trim(path, "/")
	i := strings.LastIndexByte(path, '/')
	return path[:max(i, 0)], path[i+1:]
}

// CheckName returns an error if a name is not valid in netCDF.
func CheckName(name string) error {
	fail := func(why string) error { return fmt.Errorf("`%s` is not a netCDF name: %s", name, why) }
	switch {
	case name == "":
		return fail("it is empty")
	case len(name) > 256:
		return fmt.Errorf("`%.40s…` is not a netCDF name: it has %d bytes, at most 256 are allowed", name, len(name))
	case !utf8.ValidString(name):
		return fail("it is not UTF-8")
	case strings.HasSuffix(name, " "):
		return fail("it ends with a blank")
	}
	if c := name[0]; c < utf8.RuneSelf && c != '_' && (c|0x20 < 'a' || c|0x20 > 'z') && (c < '0' || c > '9') {
		return fail("it begins with neither a letter, a digit nor `_`")
	}
	if i := strings.IndexFunc(name, func(r rune) bool { return r < ' ' || r == 0x7f || r == '/' }); i >= 0 {
		return fail(fmt.Sprintf("it contains %q, which is not allowed", name[i]))
	}
	return nil
}

// Variable opens the variable at a path. Along an unlimited dimension it is as long as the dimension.
func Variable(h *hdf5.File, path string) (*hdf5.Dataset, error) {
	group, name := Split(path)
	g, err := h.Root().Group(group)
	if err != nil {
		return nil, err
	}
	d, err := find(g, name)
	if err != nil {
		return nil, err
	}
	if d == nil {
		return nil, fmt.Errorf("variable `%s` %w", path, hdf5.ErrNotFound)
	}
	return d, pad(h, d)
}

// find returns a variable of a group, or nil if there is none.
func find(g *hdf5.Group, name string) (*hdf5.Dataset, error) {
	for _, stored := range []string{name, nonCoordinate + name} {
		there, err := g.Exists(stored)
		if err != nil {
			return nil, err
		}
		if !there {
			continue
		}
		d, err := g.Dataset(stored)
		if err != nil {
			return nil, fmt.Errorf("%w but a group or a type: no variable can have this name", err)
		}
		if s, err := scaleOf(d); err != nil || s == nil || s.variable {
			return d, err
		}
	}
	return nil, nil
}
