package declhdf5

import (
	"github.com/pentode-dev/pentode/run/data"
	"github.com/pentode-dev/pentode/run/data/hdf5"
	"github.com/pentode-dev/pentode/run/data/ranks"
)

// A format based on HDF5, such as netCDF, shares the steps of this plugin: triggering operations, keeping files
// between two steps, selections, and processes that write together. Its plugin reads its own configuration and
// implements Format:
//
//	Start ──▶ register, due, batches ──▶ readAll | writeAll | together
//	                                       └──▶ Format: makes files, datasets and attributes

// Start reads the files of a configuration and registers their operations with the store.
func Start(c *data.Context, find ranks.Finder, parse func(*data.Node) (Steps, error)) error {
	return start(c, find, func(n *data.Node) (*settings, error) {
		s, err := parse(n)
		return &settings{Context: c, Steps: s}, err
	})
}

// withGroups puts operations for groups, which another format may have, before the other operations.
func (f *file) withGroups(list []*Operation) []*Operation {
	if len(f.Groups) == 0 || len(list) == 0 {
		return list
	}
	all := make([]*Operation, len(f.Groups), len(f.Groups)+len(list))
	for i := range f.Groups {
		all[i] = &Operation{Node: f.Node, Name: f.Groups[i].Path, group: &f.Groups[i]}
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

// evaluateAttributes evaluates attributes and returns a function that sets them.
func (f *file) evaluateAttributes(list []Attribute) (func(hdf5.Object) error, error) {
	var all []func(hdf5.Object) error
	for _, a := range list {
		set, err := f.Format.Set(a)
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
		if err := f.Format.Take(o, a); err != nil {
			return data.Within(err, "attribute `%s`", a.Name)
		}
	}
	return nil
}

// grow enlarges a dataset so that the selections fit, if the format has datasets that can grow.
func (f *file) grow(h *hdf5.File, d *hdf5.Dataset, slabs ...hdf5.Slab) error {
	if f.Format == nil {
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
	return f.Format.Grow(h, d, dims)
}

// explain returns the reason why a file cannot be opened.
func (f *file) explain(full string, err error) error {
	if f.Format == nil || err == nil {
		return err
	}
	return f.Format.Explain(full, err)
}

// conditions returns the conditions that must be true for an operation. For HDF5, this is the operation's own
// condition or, if it has none, the file's. In other formats, both must be true; but for files with events the
// original program checks only the file's condition.
func (f *file) conditions(op *Operation) []*data.Value {
	switch {
	case f.Format != nil && f.Env().Dialect == data.Upstream && len(f.Events) > 0:
		return []*data.Value{f.When}
	case f.Format != nil:
		return []*data.Value{f.When, op.When}
	case op.When != nil:
		return []*data.Value{op.When}
	}
	return []*data.Value{f.When}
}
