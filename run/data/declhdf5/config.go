package declhdf5

import (
	"regexp"
	"slices"
	"strings"
	"time"

	"github.com/pentode-dev/pentode/run/data"
	"github.com/pentode-dev/pentode/run/data/config"
)

// file is one file of the configuration.
type file struct {
	*data.Context
	format        Format // nil: plain HDF5
	groups        []Group
	files         *closedFiles
	behind        *background
	async         *Async // nil: the program's thread writes
	partners      *partners
	node          *data.Node
	path, when    *data.Value
	communicator  *data.Value   // nil: this process alone
	timeout       time.Duration // of a wait for other processes; 0: for ever
	events        []string
	policy        policy
	storage       storage
	datasets      []declared
	reads, writes []*operation
}

// declared is a dataset with a type of its own.
type declared struct {
	name    string
	key     *data.Node
	pattern *regexp.Regexp
	typ     *data.Template
}

// storage is how a new dataset is kept; nil fields are not set.
type storage struct {
	chunk             []*data.Value
	deflate, fletcher *data.Value
}

// operation is one datum that goes to a file or comes from it.
type operation struct {
	node               *data.Node
	name               string
	dataset            *data.Value // nil: called like the datum
	attribute          *data.Value // `path#name`, instead of a dataset
	sizeOf             *data.Value // a dataset whose size is read
	when               *data.Value
	communicator       *data.Value // nil: that of the file
	memory, selection  selection
	attributes         []attribute
	policy             policy
	storage            storage
	datasetIsSelection bool   // a dataset_selection was written
	group              *Group // of another format, instead of a datum
}

type attribute struct {
	name  string
	value *data.Value
}

// selection is a part of a shape; nil lists are the default.
type selection struct {
	size, start []*data.Value
}

func parseFile(c *data.Context, n *data.Node) (*file, error) {
	f := &file{Context: c, node: n}
	if _, err := n.Field("file", "the name of a file"); err != nil {
		return nil, err
	}
	err := n.Each("a mapping", func(key string, k, v *data.Node) (err error) {
		switch key {
		case "file":
			f.path, err = c.Env().ParseText(v, "the name of a file")
		case "when":
			f.when, err = c.Env().ParseText(v, "a condition")
		case "on_event":
			f.events, err = Words(v)
		case "collision_policy":
			f.policy, err = parsePolicy(v)
		case "deflate":
			f.storage.deflate, err = c.Env().ParseValue(v)
		case "fletcher":
			f.storage.fletcher, err = c.Env().ParseValue(v)
		case "datasets":
			err = f.parseDatasets(v)
		case "async":
			f.async, err = ParseAsync(v)
		case "communicator":
			f.communicator, err = c.Env().ParseText(v, "a communicator")
		case "timeout":
			f.timeout, err = ParseTimeout(c, v)
		case "subfiling":
			err = checkSubfiling(v)
			c.Log.Warn("`%s` is ignored: %s", key, oneFile)
		case "write", "read", "logging":
		default:
			err = unknown(k, fileRule, "Unknown key in HDF5 file configuration")
		}
		return err
	})
	if err != nil {
		return nil, err
	}
	if f.reads, err = f.parseSection(n.Lookup("read"), true); err != nil {
		return nil, err
	}
	if f.writes, err = f.parseSection(n.Lookup("write"), false); err != nil {
		return nil, err
	}
	f.warnOfSecond()
	if err := f.checkCommunicators(); err != nil {
		return nil, err
	}
	return f, f.evaluate()
}

// checkCommunicators looks for data with a communicator of their own among those that an event
// brings to the file together.
func (f *file) checkCommunicators() error {
	for _, op := range append(f.writes[:len(f.writes):len(f.writes)], f.reads...) {
		if op.communicator != nil && len(f.events) > 0 {
			return data.Errorf(data.StatusSpecTree, op.communicator.Node, "`%s` cannot have a communicator of its own: the file has `on_event`, so all its data have one", op.name).
				UpstreamAt(f.node, "Communicator can not be set at the dataset level for event triggered I/O")
		}
	}
	return nil
}

// ParseTimeout reads how many seconds to wait.
func ParseTimeout(c *data.Context, n *data.Node) (time.Duration, error) {
	v, err := c.Env().ParseText(n, "a number of seconds")
	if err != nil {
		return 0, err
	}
	seconds, err := v.Double()
	if err == nil && !(seconds > 0 && seconds < 1e6) {
		err = data.Errorf(data.StatusValue, n, "`timeout` is %g: it is a number of seconds above 0 and below a million", seconds)
	}
	return time.Duration(seconds * float64(time.Second)), err
}

// warnOfSecond warns of what is set for all datasets of the file and again for one of them.
func (f *file) warnOfSecond() {
	for _, op := range f.writes {
		const message = "`%s` is set for the file and for the dataset of `%s`: that of the dataset counts"
		if f.storage.deflate != nil && op.storage.deflate != nil {
			f.Log.Warn(message, "deflate", op.name)
		}
		if f.storage.fletcher != nil && op.storage.fletcher != nil {
			f.Log.Warn(message, "fletcher", op.name)
		}
	}
}

// evaluate looks whether what holds for all datasets of the file is a number. The original
// program does so when it loads the tree.
func (f *file) evaluate() error {
	if f.Env().Dialect == data.Documented || !slices.ContainsFunc(f.writes, func(op *operation) bool { return op.attribute == nil }) {
		return nil
	}
	for _, v := range []*data.Value{f.storage.deflate, f.storage.fletcher} {
		if v == nil {
			continue
		}
		if _, err := v.Long(); err != nil {
			return err
		}
	}
	return nil
}

func (f *file) parseDatasets(n *data.Node) error {
	return n.Each("a mapping", func(name string, key, v *data.Node) error {
		pattern, err := regexp.Compile("^(?:" + name + ")$")
		if err != nil {
			return data.Errorf(data.StatusSystem, key, "`%s` is no regular expression", name).UpstreamAlone("regex_error")
		}
		typ, err := data.ParseType(v, f.Env())
		if err != nil {
			return err
		}
		f.datasets = append(f.datasets, declared{name, key, pattern, typ})
		return nil
	})
}

// parseSection reads `write` or `read`.
func (f *file) parseSection(n *data.Node, read bool) ([]*operation, error) {
	var list []*operation
	switch {
	case n.Blank():
	case n.Kind == data.MappingNode || n.Kind == data.ScalarNode && f.Env().Dialect == data.Upstream:
		err := n.Each("a list of names, or a mapping", func(name string, _, v *data.Node) error {
			descriptions := []*data.Node{v}
			if v.Kind == data.SequenceNode {
				descriptions = v.Items
			}
			for _, d := range descriptions {
				if d.Kind == data.ScalarNode { // `name: ~` asks for nothing special
					d = &data.Node{Kind: data.MappingNode, Span: d.Span}
				}
				op, err := f.parseOperation(name, d, read)
				if err != nil {
					return err
				}
				list = append(list, op)
			}
			return nil
		})
		return list, err
	default:
		names, err := Words(n)
		if err != nil {
			return nil, err
		}
		for _, name := range names {
			op := &operation{node: n, name: name}
			if i := strings.LastIndexByte(name, '#'); i >= 0 {
				op.name = name[i+1:]
				if op.attribute, err = f.Env().ParseValue(&data.Node{Text: name, Span: n.Span}); err != nil {
					return nil, err
				}
			}
			list = append(list, op)
		}
	}
	return list, nil
}

func (f *file) parseOperation(name string, n *data.Node, read bool) (*operation, error) {
	op := &operation{node: n, name: name}
	keys := "dataset"
	if n.Lookup("attribute") != nil {
		keys = "attribute"
	}
	err := n.Each("a mapping", func(key string, k, v *data.Node) (err error) {
		switch key {
		case "dataset":
			op.dataset, err = f.Env().ParseText(v, "the name of a dataset")
		case "attribute":
			op.attribute, err = f.Env().ParseText(v, "the path of an attribute")
		case "size_of":
			if !read {
				return data.Errorf(data.StatusSpecTree, k, "`size_of` can only be read")
			}
			op.sizeOf, err = f.Env().ParseText(v, "the name of a dataset")
		case "when":
			op.when, err = f.Env().ParseText(v, "a condition")
		case "memory_selection":
			op.memory, err = f.parseSelection(v)
		case "dataset_selection":
			op.datasetIsSelection = true
			op.selection, err = f.parseSelection(v)
		case "attributes":
			err = v.Each("a mapping", func(attr string, _, v *data.Node) error {
				value, err := f.Env().ParseText(v, "the value of an attribute")
				op.attributes = append(op.attributes, attribute{attr, value})
				return err
			})
		case "chunking":
			op.storage.chunk, err = f.values(v)
		case "deflate":
			op.storage.deflate, err = f.Env().ParseValue(v)
		case "fletcher":
			op.storage.fletcher, err = f.Env().ParseValue(v)
		case "collision_policy":
			op.policy, err = parsePolicy(v)
		case "communicator":
			op.communicator, err = f.Env().ParseText(v, "a communicator")
		case "mpio":
			err = checkAccess(k, v)
		default:
			err = unknown(k, readRule, "Unknown key for HDF5 "+keys+" configuration")
		}
		return err
	})
	if err != nil {
		return nil, err
	}
	if op.attribute != nil && (op.dataset != nil || op.sizeOf != nil || op.datasetIsSelection || len(op.attributes) > 0) {
		return nil, data.Errorf(data.StatusSpecTree, n, "beside `attribute` only `when` can stand")
	}
	return op, nil
}

func (f *file) parseSelection(n *data.Node) (s selection, err error) {
	err = n.Each("a mapping", func(key string, k, v *data.Node) (err error) {
		switch key {
		case "size":
			s.size, err = Numbers(f.Context, v)
		case "start":
			s.start, err = Numbers(f.Context, v)
		default:
			err = unknown(k, selectionRule, "Invalid configuration key in selection")
		}
		return err
	})
	return s, err
}

// checkSubfiling looks at what says how many files a file is.
func checkSubfiling(n *data.Node) error {
	if n.Kind == data.SequenceNode {
		return data.Errorf(data.StatusSpecTree, n, "expected a number or a mapping, found a sequence").Upstream("subfiling node is not parsed correctly")
	}
	if n.Kind == data.ScalarNode {
		return nil
	}
	return n.Each("a mapping", func(name string, key, _ *data.Node) error {
		if subfilingRule.Find(name) != nil {
			return nil
		}
		return unknown(key, subfilingRule, "Invalid configuration key in subfiling")
	})
}

// checkAccess looks at the way in which processes write together.
func checkAccess(key, n *data.Node) error {
	way, err := n.Scalar("`INDEPENDENT` or `COLLECTIVE`")
	if err == nil && way != "INDEPENDENT" && way != "COLLECTIVE" {
		return data.Errorf(data.StatusSpecTree, n, "expected `INDEPENDENT` or `COLLECTIVE`, found `%s`", way).
			UpstreamAt(key, "Not valid mpio value: `%s'. Expecting INDEPENDENT or COLLECTIVE.", way)
	}
	return err
}

// Numbers reads one size or a list of them.
func Numbers(c *data.Context, n *data.Node) ([]*data.Value, error) {
	nodes := []*data.Node{n}
	if n.Kind == data.SequenceNode && len(n.Items) > 0 {
		nodes = n.Items
	}
	list := make([]*data.Value, len(nodes))
	for i, n := range nodes {
		var err error
		if list[i], err = c.Env().ParseText(n, "a number or an expression"); err != nil {
			return nil, err
		}
	}
	return list, nil
}

// values reads one expression or a list of them.
func (f *file) values(n *data.Node) ([]*data.Value, error) {
	nodes := []*data.Node{n}
	if n.Kind == data.SequenceNode {
		nodes = n.Items
	}
	list := make([]*data.Value, len(nodes))
	for i, n := range nodes {
		var err error
		if list[i], err = f.Env().ParseValue(n); err != nil {
			return nil, err
		}
	}
	return list, nil
}

// Words reads one name or a list of them.
func Words(n *data.Node) ([]string, error) {
	nodes := []*data.Node{n}
	if n.Kind == data.SequenceNode {
		nodes = n.Items
	}
	list := make([]string, len(nodes))
	for i, n := range nodes {
		var err error
		if list[i], err = n.Scalar("a name"); err != nil {
			return nil, err
		}
	}
	return list, nil
}

// unknown is the error of a key that the rule does not have; original is how the original program
// begins it.
func unknown(key *data.Node, r *config.Rule, original string) error {
	return data.Errorf(data.StatusSpecTree, key, "unknown key `%s`: there are `%s`", key.Text, strings.Join(r.KeyNames(), "`, `")).
		Upstream("%s: `%s'", original, key.Text)
}
