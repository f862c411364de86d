package declhdf5

import (
	"strconv"
	"time"

	"github.com/pentode-dev/pentode/internal/leaf/bytesize"
	"github.com/pentode-dev/pentode/run/data"
	"github.com/pentode-dev/pentode/run/data/config"
	"github.com/pentode-dev/pentode/run/data/hdf5"
	"github.com/pentode-dev/pentode/run/data/into"
)

// Format implements the parts in which a format differs from plain HDF5. It is called after values have been
// evaluated, so that it does not need the store later.
type Format interface {
	// Create makes a file, and Explain returns the reason why a file cannot be opened.
	Create(path string) (*hdf5.File, error)
	Explain(path string, err error) error
	// Describe returns what is needed to create the dataset for data of a type.
	Describe(dataset string, t data.Type) (NewDataset, error)
	// Place finds the dataset or creates it. Grow enlarges it to at least a shape, if it can grow.
	Place(h *hdf5.File, dataset string, n NewDataset) (*hdf5.Dataset, error)
	Grow(h *hdf5.File, d *hdf5.Dataset, dims []uint64) error
	// Find finds a dataset to be read into elements of a type. The zero type means that only the shape is needed.
	Find(h *hdf5.File, dataset string, elem hdf5.Type) (*hdf5.Dataset, error)
	// Attributes returns the attributes of a dataset. Set returns a function that sets an attribute, or nil if
	// it has no value.
	Attributes(dataset string) []Attribute
	Set(a Attribute) (func(hdf5.Object) error, error)
	// Take reads an attribute of an object into its datum.
	Take(o hdf5.Object, a Attribute) error
}

// Attribute is an attribute that a configuration names.
type Attribute struct {
	Name  string
	Value *data.Value
}

// Steps describes what is done with a file, and when.
type Steps struct {
	Format       // nil: HDF5 itself
	Node         *data.Node
	Path, When   *data.Value
	Communicator *data.Value   // the processes that write together; nil: this process alone
	Timeout      time.Duration // how long to wait for the other processes; 0: without limit
	Async        *Async        // settings for writing in the background; nil: the program waits until everything is written
	Events       []string
	Groups       []Group
	Reads        []*Operation
	Writes       []*Operation
}

// Keys returns the first keys of a file, which are the same in all formats.
func (s *Steps) Keys(example string) []config.Key {
	return []config.Key{
		{Name: "file", Rule: label, Required: true, Example: example, Read: into.Text(&s.Path, "the name of a file"), Doc: "The file."},
		{Name: "on_event", Rule: config.OneOrMore(config.Event), Read: into.Parsed(&s.Events, into.Words), Doc: "Write and read when one of these events happens; without it, when data is shared."},
		into.When(&s.When), communicatorKey(&s.Communicator),
		{Name: "timeout", Rule: number, Example: "60", Read: into.Reader(s.parseTimeout), Doc: "Seconds to wait for other processes of the communicator; the default is forever."},
	}
}

func communicatorKey(to **data.Value) config.Key {
	return config.Key{Name: "communicator", Rule: config.Only(config.Anything), Example: "$MPI_COMM_WORLD", Read: into.Text(to, "a communicator"),
		Doc: "The MPI communicator whose processes write and read one file together, each its own part."}
}

// AsyncKey returns the key that lets a background thread write the file.
func (s *Steps) AsyncKey() config.Key {
	return config.Key{Name: "async", Rule: asyncRule, Read: into.Reader(s.parseAsync),
		Doc: "A thread of the library writes while the program continues; a call waits while the buffers are full."}
}

// parseTimeout reads the number of seconds to wait.
func (s *Steps) parseTimeout(c *data.Context, _, n *data.Node) error {
	v, err := c.Env().ParseText(n, "a number of seconds")
	if err != nil {
		return err
	}
	seconds, err := v.Double()
	if err == nil && !(seconds > 0 && seconds < 1e6) {
		err = data.Errorf(data.StatusValue, n, "`timeout` is %g: expected a number of seconds above 0 and below a million", seconds)
	}
	s.Timeout = time.Duration(seconds * float64(time.Second))
	return err
}

var (
	label      = config.Only(config.Label)
	number     = config.Only(config.Number)
	numberList = config.OneOrMore(config.Number)
)

// Group is a group whose attributes are written or read before the data of a step.
type Group struct {
	Path       string
	Attributes []Attribute
}

// NewDataset describes a dataset to be created.
type NewDataset struct {
	Type       hdf5.Type
	Dims       []uint64
	Dimensions []string // their names, in a format that names them
	Grows      []bool   // for each dimension, whether it is unlimited
	Named      []NamedType
	Options    hdf5.Options
	err        error // why the dataset cannot be created; nil: it can
}

// NamedType is a type that has a name in the file and that the dataset needs.
type NamedType struct {
	Name string
	Type hdf5.Type
}

// Async says how much may be waiting to be written by a background thread.
type Async struct {
	buffers int
	memory  int64

	// The fields below are used by background, under its lock.
	steps  int
	bytes  int64
	spare  [][]byte // memory of written steps, reused for copies because allocating costs more than copying
	errs   []error  // errors of steps that no call has returned yet
	warned []string // warnings of steps
}

// AsyncPart describes `async` in the reference.
var AsyncPart = config.Part{Name: "async", Doc: "How much may wait to be written.", Rule: asyncRule}

var asyncRule = new(Async).rule()

func (a *Async) rule() *config.Rule {
	return &config.Rule{Strict: true, Keys: []config.Key{
		{Name: "buffers", Rule: config.Only(config.Text), Default: "2", Doc: "How many steps may wait to be written.", Read: into.ScalarFunc("a number", func(n *data.Node) (err error) {
			if a.buffers, err = strconv.Atoi(n.Text); err != nil || a.buffers < 1 {
				err = data.Errorf(data.StatusValue, n, "`buffers` is `%s`: expected a whole number of at least 1", n.Text)
			}
			return err
		})},
		{Name: "memory", Rule: config.Only(config.Text), Default: "512MB", Doc: "How many bytes their copies may take: a number, which `KB`, `MB` or `GB` may follow, each 1024 times the one before.",
			Read: into.ScalarFunc("a number", func(n *data.Node) error {
				var ok bool
				if a.memory, ok = bytesize.Parse(n.Text); !ok || a.memory < 1 {
					return data.Errorf(data.StatusValue, n, "`memory` is `%s`: expected a number of bytes, such as `512MB` or `2GiB`", n.Text)
				}
				return nil
			})},
	}}
}

// parseAsync reads `async`.
func (s *Steps) parseAsync(c *data.Context, _, n *data.Node) error {
	s.Async = &Async{buffers: 2, memory: 512 << 20}
	return mapping(c, n, s.Async.rule(), "Invalid configuration key in async")
}
