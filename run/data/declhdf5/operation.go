package declhdf5

import (
	"strings"

	"github.com/pentode-dev/pentode/run/data"
	"github.com/pentode-dev/pentode/run/data/config"
	"github.com/pentode-dev/pentode/run/data/into"
)

// Operation is one datum that is written to a file or read from it.
type Operation struct {
	Node      *data.Node
	Name      string
	Dataset   *data.Value // the name of the dataset; nil: the name of the datum
	SizeOf    *data.Value // if not nil, the size of this dataset is read instead of its values
	When      *data.Value
	Selection Selection // the part of the dataset that is read or written

	attribute    *data.Value // if not nil, `path#name` of an attribute, which is used instead of a dataset
	communicator *data.Value // nil: the communicator of the file
	memory       Selection
	attributes   []Attribute
	policy       policy
	storage      storage
	group        *Group // if not nil, a group whose attributes are read or written instead of a datum
}

// Selection is a part of an array. A nil list stands for the default.
type Selection struct {
	Size, Start []*data.Value

	written bool // the tree has the key, even if its value is empty
}

// rule returns the rule for one datum that is written or read, which is read into op.
func (op *Operation) rule(read bool) *config.Rule {
	r := &config.Rule{Strict: true, Keys: []config.Key{
		{Name: "dataset", Rule: label, Read: into.Text(&op.Dataset, "the name of a dataset"), Doc: "The dataset; the default is the name of the datum."},
		into.When(&op.When), communicatorKey(&op.communicator),
		op.memory.key("memory_selection", "The part of the datum."), op.Selection.key("dataset_selection", "The part of the dataset."),
		{Name: "attributes", Rule: config.ByName(config.Text, &config.Rule{Value: true}), Read: into.Reader(op.parseAttributes), Doc: "Attributes of the dataset."},
		{Name: "chunking", Rule: numberList, Read: into.Values(&op.storage.chunk), Doc: "The size of a chunk, for each dimension."},
		deflateKey(&op.storage), fletcherKey(&op.storage),
		{Name: "mpio", Rule: config.OneOf("COLLECTIVE", "INDEPENDENT"), Default: "COLLECTIVE", Idle: "processes write their parts in parallel either way", Read: into.Reader(checkAccess),
			Doc: "How processes write together."},
		op.policy.key(),
		{Name: "attribute", Rule: label, Read: into.Text(&op.attribute, "the path of an attribute"), Doc: "The attribute, `dataset#name`, instead of a dataset."},
	}}
	if read {
		r.Keys = append(r.Keys, config.Key{Name: "size_of", Rule: label, Read: into.Text(&op.SizeOf, "the name of a dataset"), Doc: "Read the size of this dataset instead of its values."})
	}
	return r
}

func (op *Operation) parseAttributes(c *data.Context, _, n *data.Node) error {
	return n.Each("a mapping", func(name string, _, v *data.Node) error {
		value, err := c.Env().ParseText(v, "the value of an attribute")
		op.attributes = append(op.attributes, Attribute{name, value})
		return err
	})
}

func (s *Selection) key(name, doc string) config.Key {
	r := &config.Rule{Strict: true, Keys: []config.Key{
		{Name: "size", Rule: numberList, Read: into.Numbers(&s.Size), Doc: "The number of elements, for each dimension."},
		{Name: "start", Rule: numberList, Read: into.Numbers(&s.Start), Doc: "The first element, for each dimension."},
	}}
	return config.Key{Name: name, Rule: r, Doc: doc, Read: into.Reader(func(c *data.Context, _, n *data.Node) error {
		s.written = true
		return mapping(c, n, r, "Invalid configuration key in selection")
	})}
}

// parseSection reads `write` or `read`.
func (f *settings) parseSection(n *data.Node, read bool) ([]*Operation, error) {
	var list []*Operation
	if n == nil || n.Kind == data.MappingNode || n.Kind == data.ScalarNode && (n.Text == "" || f.Env().Dialect == data.Upstream) {
		var op Operation
		r := op.rule(read) // made once and used for all operations, because it has many keys
		err := n.Each("a list of names, or a mapping", func(name string, _, v *data.Node) error {
			ops, err := into.List(v, func(n *data.Node) (*Operation, error) {
				op = Operation{Node: n, Name: name}
				err := f.parseOperation(&op, r)
				parsed := op
				return &parsed, err
			})
			list = append(list, ops...)
			return err
		})
		return list, err
	}
	return into.List(n, func(item *data.Node) (*Operation, error) {
		name, err := item.Scalar("a name")
		op := &Operation{Node: n, Name: name}
		if i := strings.LastIndexByte(name, '#'); i >= 0 {
			op.Name = name[i+1:]
			op.attribute, err = f.Env().ParseValue(&data.Node{Text: name, Span: n.Span})
		}
		return op, err
	})
}

func (f *settings) parseOperation(op *Operation, r *config.Rule) error {
	if op.Node.Kind == data.ScalarNode { // `name: ~` has no options
		return nil
	}
	keys := "dataset"
	if op.Node.Lookup("attribute") != nil {
		keys = "attribute"
	}
	err := mapping(f.Context, op.Node, r, "Unknown key for HDF5 "+keys+" configuration")
	if err == nil && op.attribute != nil && (op.Dataset != nil || op.SizeOf != nil || op.Selection.written || len(op.attributes) > 0) {
		err = data.Errorf(data.StatusSpecTree, op.Node, "only `when` is allowed next to `attribute`")
	}
	return err
}

// checkAccess checks the key `mpio`.
func checkAccess(_ *data.Context, key, n *data.Node) error {
	way, err := n.Scalar("`INDEPENDENT` or `COLLECTIVE`")
	if err == nil && way != "INDEPENDENT" && way != "COLLECTIVE" {
		return data.Errorf(data.StatusSpecTree, n, "expected `INDEPENDENT` or `COLLECTIVE`, found `%s`", way).
			UpstreamAt(key, "Not valid mpio value: `%s'. Expecting INDEPENDENT or COLLECTIVE.", way)
	}
	return err
}
