package results

import (
	"errors"
	"fmt"
	"io/fs"

	"github.com/pentode-dev/pentode/internal/web/guard"
	"github.com/pentode-dev/pentode/run/data/hdf5"
	"github.com/pentode-dev/pentode/runs/record"
)

// Limits of files with datasets.
const (
	maxObjects    = 2000
	maxDepth      = 64 // of nested groups; a damaged file may have a cycle
	maxAttributes = 100
)

// Object is a group or a dataset of a file.
type Object struct {
	Path    string   `json:"path"` // in the file
	Dataset *Dataset `json:"dataset,omitempty"`
}

// Dataset describes a dataset.
type Dataset struct {
	Type    string   `json:"type"`
	Shape   []uint64 `json:"shape"`
	Chunk   []uint64 `json:"chunk,omitempty"`
	Members []string `json:"members,omitempty"` // the numeric members of a record
	Numbers bool     `json:"numbers"`           // it can be drawn
}

// Tree lists the groups and datasets of a file, each after the group that contains it.
type Tree struct {
	Objects []Object `json:"objects"`
	More    bool     `json:"more,omitempty"` // not all are listed
	Broken  string   `json:"broken,omitempty"`
}

// Datasets is a result opened as HDF5.
type Datasets struct{ *hdf5.File }

// OpenDatasets opens a result as HDF5. Closing it closes the file.
func OpenDatasets(rec *record.Record, path string) (Datasets, error) {
	f, r, err := Open(rec, path)
	if err != nil {
		return Datasets{}, err
	}
	if ShowsAs(r.Path) != "datasets" {
		f.Close()
		return Datasets{}, fmt.Errorf("the page does not show `%s` as datasets", r.Path)
	}
	file, err := hdf5.NewReader(f, r.Size)
	if err != nil {
		f.Close()
		return Datasets{}, fmt.Errorf("`%s` cannot be read as HDF5: %w", r.Path, err)
	}
	return Datasets{file}, nil
}

// Tree returns the groups and datasets.
func (f Datasets) Tree() Tree {
	out := Tree{Objects: []Object{{Path: "/"}}}
	switch err := out.walk(f.Root(), "", 0); {
	case errors.Is(err, fs.SkipAll):
		out.More = true
	case err != nil:
		out.Broken = err.Error() // the objects found so far are shown
	}
	return out
}

func (a *Tree) walk(g *hdf5.Group, path string, depth int) error {
	return g.Each(func(name string, g *hdf5.Group, d *hdf5.Dataset) error {
		if len(a.Objects) == maxObjects || depth == maxDepth {
			return fs.SkipAll
		}
		e := Object{Path: path + "/" + name}
		if d != nil {
			e.Dataset = entryOfDataset(d)
		}
		a.Objects = append(a.Objects, e)
		if g == nil {
			return nil
		}
		return a.walk(g, e.Path, depth+1)
	})
}

func entryOfDataset(d *hdf5.Dataset) *Dataset {
	t := d.Type()
	e := &Dataset{Type: typeText(t), Shape: append([]uint64{}, d.Space().Dims...), Chunk: d.Chunk(), Numbers: drawable(t) && !d.Space().Null}
	if t.Class == hdf5.Compound {
		for _, m := range t.Members {
			if drawable(m.Type) {
				e.Members = append(e.Members, m.Name)
			}
		}
	}
	return e
}

// Attribute is an attribute of a group or dataset.
type Attribute struct {
	Name  string   `json:"name"`
	Type  string   `json:"type"`
	Shape []uint64 `json:"shape"`
	Value string   `json:"value"`
}

// Attributes lists the attributes of a group or dataset.
type Attributes struct {
	Attributes []Attribute `json:"attributes"`
	More       int         `json:"more,omitempty"` // number of attributes not listed
}

// AttributesOf returns the attributes of one group or dataset.
func (f Datasets) AttributesOf(name string) (any, error) {
	object, err := f.object(name)
	if err != nil {
		return nil, err
	}
	list, err := object.Attributes()
	if err != nil {
		return nil, fmt.Errorf("the attributes of `%s` cannot be read: %w", name, err)
	}
	out := Attributes{Attributes: []Attribute{}, More: max(0, len(list)-maxAttributes)}
	for _, a := range list[:min(len(list), maxAttributes)] {
		out.Attributes = append(out.Attributes, Attribute{a.Name, typeText(a.Type), append([]uint64{}, a.Space.Dims...), attributeText(a)})
	}
	return out, nil
}

// object finds a group or a dataset by its path.
func (f Datasets) object(name string) (hdf5.Object, error) {
	if name == "/" {
		return f.Root().Object, nil
	}
	if d, err := f.Root().Dataset(name); err == nil {
		return d.Object, nil
	}
	g, err := f.Root().Group(name)
	if err != nil {
		return hdf5.Object{}, guard.NotFound("the file has no `" + name + "`, or it cannot be read")
	}
	return g.Object, nil
}

// Slice finds a box of a dataset, by its first element and its length along each axis.
func (f Datasets) Slice(name, member, at, count string) (*Slice, error) {
	d, err := f.Root().Dataset(name)
	if err != nil {
		return nil, guard.NotFound("the file has no dataset `" + name + "`, or it cannot be read")
	}
	return newSlice(d, member, at, count)
}
