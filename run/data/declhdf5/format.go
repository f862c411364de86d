package declhdf5

import (
	"time"

	"github.com/pentode-dev/pentode/run/data"
	"github.com/pentode-dev/pentode/run/data/config"
	"github.com/pentode-dev/pentode/run/data/hdf5"
	"github.com/pentode-dev/pentode/run/data/into"
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

// Steps is what is done with a file, and when.
type Steps struct {
	Format       // nil: plain HDF5
	Node         *data.Node
	Path, When   *data.Value
	Communicator *data.Value   // nil: this process alone
	Timeout      time.Duration // of a wait for other processes; 0: for ever
	Async        *Async        // nil: the program's thread writes
	Events       []string
	Groups       []Group
	Reads        []*Operation
	Writes       []*Operation
}

// Keys are the first keys of a file, the same in all formats.
func (s *Steps) Keys(example string) []config.Key {
	return []config.Key{
		{Name: "file", Rule: label, Required: true, Example: example, Read: into.Text(&s.Path, "the name of a file"), Doc: "The file."},
		{Name: "on_event", Rule: config.OneOrMore(config.Event), Read: into.Parsed(&s.Events, into.Words), Doc: "Do it when one of these events happens; when data is shared where it is missing."},
		into.When(&s.When), communicatorKey(&s.Communicator),
		{Name: "timeout", Rule: number, Example: "60", Read: into.Reader(s.parseTimeout), Doc: "Seconds to wait for other processes of the communicator; without it there is no end."},
	}
}

func communicatorKey(to **data.Value) config.Key {
	return config.Key{Name: "communicator", Rule: config.Only(config.Anything), Example: "$MPI_COMM_WORLD", Read: into.Text(to, "a communicator"),
		Doc: "The MPI communicator whose processes write and read one file together, each its own part."}
}

// AsyncKey lets a file be written while the program goes on.
func (s *Steps) AsyncKey() config.Key {
	return config.Key{Name: "async", Rule: asyncRule, Read: into.Reader(s.parseAsync),
		Doc: "A thread of the library writes, and the program goes on; a call waits while the buffers are full."}
}

// parseTimeout reads how many seconds to wait.
func (s *Steps) parseTimeout(c *data.Context, _, n *data.Node) error {
	v, err := c.Env().ParseText(n, "a number of seconds")
	if err != nil {
		return err
	}
	seconds, err := v.Double()
	if err == nil && !(seconds > 0 && seconds < 1e6) {
		err = data.Errorf(data.StatusValue, n, "`timeout` is %g: it is a number of seconds above 0 and below a million", seconds)
	}
	s.Timeout = time.Duration(seconds * float64(time.Second))
	return err
}

var (
	label      = config.Only(config.Label)
	number     = config.Only(config.Number)
	numberList = config.OneOrMore(config.Number)
)

// Group is a group whose attributes are written before, and read before, the data of a step.
type Group struct {
	Path       string
	Attributes []Attribute
}

// Start lets the store call the plugin when its operations are due.
func Start(c *data.Context, find ranks.Finder, list []Steps) {
	files := make([]*file, len(list))
	for i, s := range list {
		files[i] = &file{Context: c, Steps: s}
	}
	start(c, find, files)
}

// withGroups puts the groups of another format in front of operations.
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

// evaluateAttributes gives what sets all of some attributes.
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

// grow lets a dataset have room for selections, where its format knows datasets that grow.
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

// explain says why a file cannot be opened.
func (f *file) explain(full string, err error) error {
	if f.Format == nil || err == nil {
		return err
	}
	return f.Format.Explain(full, err)
}

// conditions are what must hold for an operation: its own in place of that of the file, and both in
// another format. There the original program asks only that of the file when an event happens.
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
