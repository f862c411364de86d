package declhdf5

import (
	"regexp"
	"slices"
	"strings"

	"github.com/pentode-dev/pentode/run/data"
	"github.com/pentode-dev/pentode/run/data/config"
	"github.com/pentode-dev/pentode/run/data/into"
)

// settings is the configuration of one file.
type settings struct {
	*data.Context
	Steps
	policy   policy
	storage  storage
	datasets []declared

	readNode, writeNode *data.Node // kept as nodes, because they are read after all other keys
}

// declared is an entry of `datasets`: a name or pattern, and the type of the dataset.
type declared struct {
	name    string
	key     *data.Node
	pattern *regexp.Regexp
	typ     *data.Template
}

// storage says how to store a new dataset. A nil field is not set.
type storage struct {
	chunk             []*data.Value
	deflate, fletcher *data.Value
}

var (
	fileRule  = new(settings).rule()
	writeRule = new(Operation).rule(false)
	readRule  = new(Operation).rule(true)
)

// oneFile is the reason why keys about subfiling have no effect.
const oneFile = "a file is always one file"

// rule returns the rule of one file, which is read into f.
func (f *settings) rule() *config.Rule {
	return &config.Rule{Strict: true, Keys: slices.Concat(f.Keys("out_${step:05d}.h5"), []config.Key{
		{Name: "datasets", Rule: config.ByName(config.Pattern, &config.Rule{Type: true}), Read: into.Func(f.parseDatasets),
			Doc: "Types of datasets by name, if they differ from the type of the datum."},
		f.policy.key(), deflateKey(&f.storage), fletcherKey(&f.storage), f.AsyncKey(),
		{Name: "subfiling", Rule: subfilingRule, Idle: oneFile, Read: into.Reader(checkSubfiling), Doc: "How many files to spread the data over."},
		{Name: "write", Rule: transfer(writeRule), Read: into.Node(&f.writeNode), Doc: "The data to write: names, or names with options."},
		{Name: "read", Rule: transfer(readRule), Read: into.Node(&f.readNode), Doc: "The data to read."},
		config.Log,
	})}
}

func deflateKey(s *storage) config.Key {
	return config.Key{Name: "deflate", Rule: number, Read: into.Value(&s.deflate), Doc: "The level of compression, 0 to 9."}
}

func fletcherKey(s *storage) config.Key {
	return config.Key{Name: "fletcher", Rule: number, Read: into.Value(&s.fletcher), Doc: "Whether to store checksums with the data."}
}

// transfer returns the rule for data to be read or written: a list of names, or a mapping from names to their
// options, whose rule is how.
func transfer(how *config.Rule) *config.Rule {
	each := config.OrList(how)
	each.Scalar = config.Label
	return config.OrList(&config.Rule{Scalar: config.Reads, Names: each, NameIs: config.Reads})
}

func parseFile(c *data.Context, n *data.Node) (*settings, error) {
	f := &settings{Context: c}
	f.Node = n
	if _, err := n.Field("file", "the name of a file"); err != nil {
		return nil, err
	}
	err := mapping(c, n, f.rule(), "Unknown key in HDF5 file configuration")
	if err != nil {
		return nil, err
	}
	if f.Reads, err = f.parseSection(f.readNode, true); err != nil {
		return nil, err
	}
	if f.Writes, err = f.parseSection(f.writeNode, false); err != nil {
		return nil, err
	}
	f.warnOfSecond()
	if err := f.checkCommunicators(); err != nil {
		return nil, err
	}
	return f, f.evaluate()
}

// mapping reads the keys of a rule; any other key is an error. original is the beginning of the original program's
// message about such a key.
func mapping(c *data.Context, n *data.Node, r *config.Rule, original string) error {
	return into.Mapping(c, n, "a mapping", r, func(key, _ *data.Node) error {
		return data.Errorf(data.StatusSpecTree, key, "unknown key `%s`: the keys are `%s`", key.Text, strings.Join(r.KeyNames(), "`, `")).
			Upstream("%s: `%s'", original, key.Text)
	})
}

// checkCommunicators returns an error if a file has `on_event` and one of its data has its own communicator. An event
// writes all data of a file together, so they must have the same communicator.
func (f *settings) checkCommunicators() error {
	for _, op := range slices.Concat(f.Writes, f.Reads) {
		if op.communicator != nil && len(f.Events) > 0 {
			return data.Errorf(data.StatusSpecTree, op.communicator.Node, "`%s` cannot have its own communicator: the file has `on_event`, so all its data share one", op.Name).
				UpstreamAt(f.Node, "Communicator can not be set at the dataset level for event triggered I/O")
		}
	}
	return nil
}

// warnOfSecond logs a warning for each option that is set for the whole file and also for one dataset.
func (f *settings) warnOfSecond() {
	for _, op := range f.Writes {
		const message = "`%s` is set for the file and for the dataset of `%s`: the setting of the dataset counts"
		if f.storage.deflate != nil && op.storage.deflate != nil {
			f.Log.Warn(message, "deflate", op.Name)
		}
		if f.storage.fletcher != nil && op.storage.fletcher != nil {
			f.Log.Warn(message, "fletcher", op.Name)
		}
	}
}

// evaluate returns an error if an option of the whole file is not a number. The original program checks this when it
// loads the tree.
func (f *settings) evaluate() error {
	if f.Env().Dialect == data.Documented || !slices.ContainsFunc(f.Writes, func(op *Operation) bool { return op.attribute == nil }) {
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

func (f *settings) parseDatasets(n *data.Node) error {
	return n.Each("a mapping", func(name string, key, v *data.Node) error {
		pattern, err := regexp.Compile("^(?:" + name + ")$")
		if err != nil {
			return data.Errorf(data.StatusSystem, key, "`%s` is not a regular expression", name).UpstreamAlone("regex_error")
		}
		typ, err := data.ParseType(v, f.Env())
		if err != nil {
			return err
		}
		f.datasets = append(f.datasets, declared{name, key, pattern, typ})
		return nil
	})
}

var subfilingRule = &config.Rule{Strict: true, Scalar: config.Number, Keys: []config.Key{
	{Name: "count", Rule: number, Doc: "The number of files."},
	{Name: "policy", Rule: config.OneOf("STOP", "CONTINUE"), Doc: "The action if this is not possible."},
	{Name: "stripe_size", Rule: number, Doc: "The size of a stripe in bytes."},
}}

// checkSubfiling checks the keys for dividing a file into several files.
func checkSubfiling(c *data.Context, key, n *data.Node) error {
	defer c.Log.Warn("`%s` is ignored: %s", key.Text, oneFile)
	if n.Kind == data.SequenceNode {
		return data.Errorf(data.StatusSpecTree, n, "expected a number or a mapping, found a sequence").Upstream("subfiling node is not parsed correctly")
	}
	if n.Kind == data.ScalarNode {
		return nil
	}
	return mapping(c, n, subfilingRule, "Invalid configuration key in subfiling")
}
