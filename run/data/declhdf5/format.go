package declhdf5

import (
	"time"

	"github.com/pentode-dev/pentode/run/data"
	"github.com/pentode-dev/pentode/run/data/hdf5"
	"github.com/pentode-dev/pentode/run/data/ranks"
)

// Another format on HDF5 shares the steps of this plugin: when operations are due, files between two steps,
// selections, processes that write together. Its plugin reads its own configuration, and says what it does
// in another way:
//
//	Start ──▶ register, due, batches ──▶ readAll | writeAll | together
//	                                       └──▶ Format: makes files, datasets and attributes

// Format is what a format does in its own way. It is called when values are known, so that nothing
// of it needs the store later.
type Format interface {
	// Create makes a file, and Explain says why one cannot be opened.
	Create(path string) (*hdf5.File, error)
	Explain(path string, err error) error
	// Describe says what the dataset of data of a type is made of that is not there yet.
	Describe(dataset string, t data.Type) (NewDataset, error)
	// Place finds the dataset or makes it, Grow lets it have at least a shape, where it can grow.
	Place(h *hdf5.File, dataset string, n NewDataset) (*hdf5.Dataset, error)
	Grow(h *hdf5.File, d *hdf5.Dataset, dims []uint64) error
	// Find finds a dataset to be read into elements of a type. The zero type is for who wants its shape alone.
	Find(h *hdf5.File, dataset string, elem hdf5.Type) (*hdf5.Dataset, error)
	// Attributes are those of a dataset; Set gives what sets one, nil where it has no value.
	Attributes(dataset string) []Attribute
	Set(a Attribute) (func(hdf5.Object) error, error)
	// Take reads an attribute of an object into its datum.
	Take(o hdf5.Object, a Attribute) error
}

// Attribute is one that a configuration names.
type Attribute struct {
	Name  string
	Value *data.Value
}

// Steps is what a plugin of another format does with a file.
type Steps struct {
	Format
	Node         *data.Node
	Path, When   *data.Value
	Communicator *data.Value
	Timeout      time.Duration
	Async        *Async // nil: the program's thread writes
	Events       []string
	Groups       []Group
	Reads        []Transfer
	Writes       []Transfer
}

// Group is a group whose attributes are written before, and read before, the data of a step.
type Group struct {
	Path       string
	Attributes []Attribute
}

// Transfer is one datum that goes to a file or comes from it.
type Transfer struct {
	Node        *data.Node
	Name        string
	Dataset     *data.Value // nil: called like the datum
	SizeOf      *data.Value // a dataset whose size is read
	When        *data.Value
	Size, Start []*data.Value // the part of the dataset; nil: all of it
}

// Start lets the store call the plugin when its operations are due.
func Start(c *data.Context, find ranks.Finder, list []Steps) {
	files := make([]*file, len(list))
	for i, s := range list {
		f := &file{Context: c, format: s.Format, node: s.Node, path: s.Path, when: s.When, communicator: s.Communicator, timeout: s.Timeout, async: s.Async,
			events: s.Events, groups: s.Groups, reads: operations(s.Reads), writes: operations(s.Writes)}
		files[i] = f
	}
	start(c, find, files)
}

func operations(list []Transfer) []*operation {
	ops := make([]*operation, len(list))
	for i, t := range list {
		ops[i] = &operation{node: t.Node, name: t.Name, dataset: t.Dataset, sizeOf: t.SizeOf, when: t.When, selection: selection{t.Size, t.Start}}
	}
	return ops
}

// withGroups puts the groups of another format in front of operations.
func (f *file) withGroups(list []*operation) []*operation {
	if len(f.groups) == 0 || len(list) == 0 {
		return list
	}
	all := make([]*operation, len(f.groups), len(f.groups)+len(list))
	for i := range f.groups {
		all[i] = &operation{node: f.node, name: f.groups[i].Path, group: &f.groups[i]}
	}
	return append(all, list...)
}

// prepareGroup evaluates the attributes of a group.
func (f *file) prepareGroup(g *Group) (task, error) {
	set, err := f.evaluateAttributes(g.Attributes)
	return task{do: func(h *hdf5.File, _ []byte) error {
		o, err := find(h, g.Path, true)
		if err == nil {
			err = set(o)
		}
		return data.Within(err, "group `%s`", g.Path)
	}}, data.Within(err, "group `%s`", g.Path)
}

// evaluateAttributes gives what sets all of some attributes.
func (f *file) evaluateAttributes(list []Attribute) (func(hdf5.Object) error, error) {
	var all []func(hdf5.Object) error
	for _, a := range list {
		set, err := f.format.Set(a)
		if err != nil {
			return nil, data.Within(err, "attribute `%s`", a.Name)
		}
		if set != nil {
			all = append(all, func(o hdf5.Object) error { return data.Within(set(o), "attribute `%s`", a.Name) })
		}
	}
	return func(o hdf5.Object) error {
		for _, set := range all {
			if err := set(o); err != nil {
				return err
			}
		}
		return nil
	}, nil
}

// readGroup reads the attributes of a group.
func (f *file) readGroup(h *hdf5.File, g *Group) error {
	o, err := find(h, g.Path, false)
	if err == nil {
		err = f.takeAll(o, g.Attributes)
	}
	return data.Within(err, "group `%s`", g.Path)
}

func (f *file) takeAll(o hdf5.Object, list []Attribute) error {
	for _, a := range list {
		if err := f.format.Take(o, a); err != nil {
			return data.Within(err, "attribute `%s`", a.Name)
		}
	}
	return nil
}

// grow lets a dataset have room for selections, where its format knows datasets that grow.
func (f *file) grow(h *hdf5.File, d *hdf5.Dataset, slabs ...hdf5.Slab) error {
	if f.format == nil {
		return nil
	}
	dims := make([]uint64, len(d.Space().Dims))
	for _, s := range slabs {
		if len(s.Start) != len(dims) || len(s.Count) != len(dims) || count(s.Count) == 0 {
			continue
		}
		for i := range dims {
			dims[i] = max(dims[i], s.Start[i]+s.Count[i])
		}
	}
	return f.format.Grow(h, d, dims)
}

// explain says why a file cannot be opened.
func (f *file) explain(full string, err error) error {
	if f.format == nil || err == nil {
		return err
	}
	return f.format.Explain(full, err)
}

// conditions are what must hold for an operation: its own in place of that of the file, and both in
// another format. There the original program asks only that of the file when an event happens.
func (f *file) conditions(op *operation) []*data.Value {
	switch {
	case f.format != nil && f.Env().Dialect == data.Upstream && len(f.events) > 0:
		return []*data.Value{f.when}
	case f.format != nil:
		return []*data.Value{f.when, op.when}
	case op.when != nil:
		return []*data.Value{op.when}
	}
	return []*data.Value{f.when}
}
