package declhdf5

import (
	"regexp"
	"strings"

	"github.com/pentode-dev/pentode/run/data"
)

// fileKeys are the keys of one file.
var fileKeys = []data.Key{
	{Name: "file", Doc: "the name of the file, an expression"},
	{Name: "write", Doc: "what is written: a list of data or `dataset#attribute`, or a mapping from data to how"},
	{Name: "read", Doc: "what is read, as in `write`"},
	{Name: "on_event", Doc: "the event, or list of events, on which all is done; without one each datum is handled when it is shared"},
	{Name: "when", Doc: "a condition for everything in the file"},
	{Name: "datasets", Doc: "the types of datasets to create, by name or regular expression"},
	{Name: "collision_policy", Doc: "what to do when the file or a dataset exists: `skip`, `error`, `write_into` or `replace`, each but `error` also with `_and_warn`"},
	{Name: "deflate", Doc: "the compression of new datasets, 0 to 9"},
	{Name: "fletcher", Doc: "whether new datasets have checksums"},
	{Name: "communicator", Doc: "ignored: files are written by one process"},
	{Name: "subfiling", Doc: "ignored: files are written by one process"},
	{Name: "logging", Doc: "the plugin's own log"},
}

// file is one file of the configuration.
type file struct {
	*data.Context
	node          *data.Node
	path, when    *data.Value
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
	memory, selection  selection
	attributes         []attribute
	policy             policy
	storage            storage
	datasetIsSelection bool // a dataset_selection was written
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
	if n == nil || n.Kind != data.MappingNode {
		return nil, data.Errorf(data.StatusSpecTree, n, "expected a mapping with `file`, `write`, `read` …, or a list of such")
	}
	err := pairs(n, func(key string, k, v *data.Node) (err error) {
		switch key {
		case "file":
			f.path, err = c.Env().ParseValue(v)
		case "when":
			f.when, err = c.Env().ParseValue(v)
		case "on_event":
			f.events, err = words(v)
		case "collision_policy":
			f.policy, err = parsePolicy(v)
		case "deflate":
			f.storage.deflate, err = c.Env().ParseValue(v)
		case "fletcher":
			f.storage.fletcher, err = c.Env().ParseValue(v)
		case "datasets":
			err = f.parseDatasets(v)
		case "communicator", "subfiling":
			c.Log.Warn("`%s` is ignored: files are written by one process", key)
		case "write", "read", "logging":
		default:
			err = unknown(k, fileKeys)
		}
		return err
	})
	if err != nil {
		return nil, err
	}
	if f.path == nil {
		return nil, data.Errorf(data.StatusSpecTree, n, "the key `file` is missing")
	}
	if f.writes, err = f.parseSection(n.Lookup("write"), false); err != nil {
		return nil, err
	}
	f.reads, err = f.parseSection(n.Lookup("read"), true)
	return f, err
}

func (f *file) parseDatasets(n *data.Node) error {
	return pairs(n, func(name string, key, v *data.Node) error {
		typ, err := data.ParseType(v, f.Env())
		if err != nil {
			return err
		}
		pattern, err := regexp.Compile("^(?:" + name + ")$")
		if err != nil {
			return data.Errorf(data.StatusSpecTree, key, "`%s` is no regular expression", name)
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
	case n.Kind == data.MappingNode:
		err := pairs(n, func(name string, _, v *data.Node) error {
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
		names, err := words(n)
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

// operationKeys are the keys of one operation.
var operationKeys = []data.Key{
	{Name: "dataset"}, {Name: "attribute"}, {Name: "size_of"}, {Name: "when"}, {Name: "memory_selection"},
	{Name: "dataset_selection"}, {Name: "attributes"}, {Name: "chunking"}, {Name: "deflate"}, {Name: "fletcher"},
	{Name: "collision_policy"}, {Name: "communicator"}, {Name: "mpio"},
}

func (f *file) parseOperation(name string, n *data.Node, read bool) (*operation, error) {
	op := &operation{node: n, name: name}
	err := pairs(n, func(key string, k, v *data.Node) (err error) {
		switch key {
		case "dataset":
			op.dataset, err = f.Env().ParseValue(v)
		case "attribute":
			op.attribute, err = f.Env().ParseValue(v)
		case "size_of":
			if !read {
				return data.Errorf(data.StatusSpecTree, k, "`size_of` can only be read")
			}
			op.sizeOf, err = f.Env().ParseValue(v)
		case "when":
			op.when, err = f.Env().ParseValue(v)
		case "memory_selection":
			op.memory, err = f.parseSelection(v)
		case "dataset_selection":
			op.datasetIsSelection = true
			op.selection, err = f.parseSelection(v)
		case "attributes":
			err = pairs(v, func(attr string, _, v *data.Node) error {
				value, err := f.Env().ParseValue(v)
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
		case "communicator", "mpio":
			f.Log.Warn("`%s` is ignored: files are written by one process", key)
		default:
			err = unknown(k, operationKeys)
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
	err = pairs(n, func(key string, k, v *data.Node) (err error) {
		switch key {
		case "size":
			s.size, err = f.values(v)
		case "start":
			s.start, err = f.values(v)
		default:
			err = unknown(k, []data.Key{{Name: "size"}, {Name: "start"}})
		}
		return err
	})
	return s, err
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

// words reads one name or a list of them.
func words(n *data.Node) ([]string, error) {
	nodes := []*data.Node{n}
	if n.Kind == data.SequenceNode {
		nodes = n.Items
	}
	list := make([]string, len(nodes))
	for i, n := range nodes {
		if n.Kind != data.ScalarNode {
			return nil, data.Errorf(data.StatusSpecTree, n, "expected a name, found a %s", n.Kind)
		}
		list[i] = n.Text
	}
	return list, nil
}

// pairs visits a mapping; an empty scalar is one without entries.
func pairs(n *data.Node, visit func(key string, k, v *data.Node) error) error {
	if n.Blank() {
		return nil
	}
	if n.Kind != data.MappingNode {
		return data.Errorf(data.StatusSpecTree, n, "expected a mapping, found a %s", n.Kind)
	}
	for _, p := range n.Pairs {
		if p.Key.Kind != data.ScalarNode {
			return data.Errorf(data.StatusSpecTree, p.Key, "expected a name, found a %s", p.Key.Kind)
		}
		if err := visit(p.Key.Text, p.Key, p.Value); err != nil {
			return err
		}
	}
	return nil
}

func unknown(key *data.Node, keys []data.Key) error {
	names := make([]string, len(keys))
	for i, k := range keys {
		names[i] = "`" + k.Name + "`"
	}
	return data.Errorf(data.StatusSpecTree, key, "unknown key `%s`: there are %s", key.Text, strings.Join(names, ", "))
}
