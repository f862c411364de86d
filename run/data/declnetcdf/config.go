package declnetcdf

import (
	"slices"
	"strings"

	"github.com/pentode-dev/pentode/run/data"
	"github.com/pentode-dev/pentode/run/data/config"
	"github.com/pentode-dev/pentode/run/data/declhdf5"
	"github.com/pentode-dev/pentode/run/data/into"
	"github.com/pentode-dev/pentode/run/data/netcdf"
)

// file is the configuration of one file.
type file struct {
	*data.Context
	declhdf5.Steps
	deflate   *data.Value
	variables map[string]*variable // the key is the path without a leading slash
}

// variable is a variable that the configuration declares.
type variable struct {
	node       *data.Node
	typ        *data.Template // the declared type; nil: the type of the datum
	dimensions []*data.Value  // the names of the dimensions; nil: they are derived from the name of the variable
	attributes []declhdf5.Attribute
	fill       *data.Value // the value of the attribute `_FillValue`
	deflate    *data.Value
	chunk      []*data.Value
}

var (
	numbers      = config.OneOrMore(config.Number)
	fileRule     = new(file).rule()
	variableRule = new(variable).rule()
	writeRule    = operationRule(new(declhdf5.Operation), false)
	readRule     = operationRule(new(declhdf5.Operation), true)
)

// rule returns the rule of one file, which is read into f.
func (f *file) rule() *config.Rule {
	return &config.Rule{Keys: slices.Concat(f.Keys("out_${step:05d}.nc"), []config.Key{
		{Name: "groups", Rule: config.ByName(config.Text, groupRule(new(declhdf5.Group))), Read: into.Func(f.parseGroups), Doc: "Groups by path, with their attributes."},
		{Name: "variables", Rule: config.ByName(config.Text, variableRule), Read: into.Func(f.parseVariables),
			Doc: "Variables by path: needed if they differ from the datum, or for names of dimensions and for attributes."},
		deflateKey(&f.deflate), f.AsyncKey(),
		{Name: "write", Rule: transfer(writeRule), Read: section(&f.Writes, false), Doc: "The data to write: names, or names with options."},
		{Name: "read", Rule: transfer(readRule), Read: section(&f.Reads, true), Doc: "The data to read."},
		config.Log,
	})}
}

func groupRule(g *declhdf5.Group) *config.Rule {
	return &config.Rule{Keys: []config.Key{attributesKey(func(a declhdf5.Attribute) { g.Attributes = append(g.Attributes, a) })}}
}

// rule returns the rule for the keys of a variable, except the keys of its type. They are read into
// x.
func (x *variable) rule() *config.Rule {
	return &config.Rule{Type: true, NoType: true, Keys: []config.Key{
		{Name: "dimensions", Rule: config.OneOrMore(config.Label), Example: "[time, height, width]", Read: into.Numbers(&x.dimensions),
			Doc: "The names of the dimensions; the default is `NAME_0` and so on. A dimension of size 0 is unlimited."},
		attributesKey(x.take), deflateKey(&x.deflate),
		{Name: "chunking", Rule: numbers, Read: into.Numbers(&x.chunk), Doc: "The size of a chunk, for each dimension."},
	}}
}

func deflateKey(to **data.Value) config.Key {
	return config.Key{Name: "deflate", Rule: config.Only(config.Number), Default: "0", Read: into.Value(to), Doc: "The level of compression, 0 to 9."}
}

// operationRule returns the rule for one datum that is written or read, which is read into op.
func operationRule(op *declhdf5.Operation, read bool) *config.Rule {
	part := partRule(&op.Selection)
	r := &config.Rule{Keys: []config.Key{
		into.When(&op.When),
		{Name: "variable", Rule: config.Only(config.Label), Read: into.Text(&op.Dataset, "the name of a variable"), Doc: "The variable; the default is the name of the datum."},
		{Name: "variable_selection", Rule: part, Doc: "The part of the variable.", Read: into.Reader(func(c *data.Context, _, n *data.Node) error {
			return mapping(c, n, part)
		})},
	}}
	if read {
		r.Keys = append(r.Keys, config.Key{Name: "size_of", Rule: config.Only(config.Label), Read: into.Text(&op.SizeOf, "the name of a variable"), Doc: "Read the size of this variable instead of its values."})
	}
	return r
}

func partRule(s *declhdf5.Selection) *config.Rule {
	return &config.Rule{Keys: []config.Key{
		{Name: "start", Rule: numbers, Read: into.Numbers(&s.Start), Doc: "The first element, for each dimension."},
		{Name: "subsize", Rule: numbers, Read: into.Numbers(&s.Size), Doc: "The number of elements, for each dimension."},
	}}
}

// transfer returns the rule for data to be read or written: a list of names, or a mapping from
// names to their options, whose rule is how.
func transfer(how *config.Rule) *config.Rule {
	each := *how
	each.Scalar = config.Label
	return &config.Rule{Scalar: config.Reads, List: config.Only(config.Reads), Names: &each, NameIs: config.Reads}
}

func (f *file) parse(n *data.Node) error {
	f.Node, f.Format, f.variables = n, f, map[string]*variable{}
	if _, err := n.Field("file", "the name of a file"); err != nil {
		return err
	}
	return mapping(f.Context, n, f.rule())
}

// mapping reads the keys of a rule and warns about all others, which the original program ignores.
func mapping(c *data.Context, n *data.Node, r *config.Rule) error {
	return into.Mapping(c, n, "a mapping", r, func(key, _ *data.Node) error {
		c.Log.Warn("unknown key `%s` is ignored: the keys are `%s`", key.Text, strings.Join(r.KeyNames(), "`, `"))
		return nil
	})
}

func (f *file) parseGroups(n *data.Node) error {
	return n.Each("a mapping", func(path string, key, v *data.Node) error {
		if err := checkPath(path, key); err != nil {
			return err
		}
		g := declhdf5.Group{Path: strings.Trim(path, "/")}
		err := mapping(f.Context, v, groupRule(&g))
		f.Groups = append(f.Groups, g)
		return err
	})
}

// checkPath checks the names in a path.
func checkPath(path string, n *data.Node) error {
	for name := range strings.SplitSeq(strings.Trim(path, "/"), "/") {
		if name == "" && strings.Trim(path, "/") == "" {
			continue // the root group, whose name is empty
		}
		if err := netcdf.CheckName(name); err != nil {
			return data.Errorf(data.StatusSpecTree, n, "%v", err)
		}
	}
	return nil
}

// attributesKey returns the key `attributes`; take is called for each attribute.
func attributesKey(take func(declhdf5.Attribute)) config.Key {
	return config.Key{Name: "attributes", Rule: config.ByName(config.Text, &config.Rule{Value: true}),
		Doc: "Attributes by name. They are written and read with the data.", Read: into.Reader(func(c *data.Context, _, n *data.Node) error {
			return n.Each("a mapping", func(name string, key, v *data.Node) error {
				if err := netcdf.CheckName(name); err != nil {
					return data.Errorf(data.StatusSpecTree, key, "%v", err)
				}
				if netcdf.Reserved(name) {
					return data.Errorf(data.StatusSpecTree, key, "netCDF itself writes the attribute `%s`: give yours another name", name)
				}
				if of := v.Lookup("value"); of != nil && len(v.Pairs) == 1 && c.Env().Dialect == data.Documented {
					v = of
				}
				value, err := c.Env().ParseText(v, "the value of an attribute")
				take(declhdf5.Attribute{Name: name, Value: value})
				return err
			})
		})}
}

func (f *file) parseVariables(n *data.Node) error {
	return n.Each("a mapping", func(path string, key, v *data.Node) error {
		if err := checkPath(path, key); err != nil {
			return err
		}
		x := &variable{node: key}
		f.variables[strings.Trim(path, "/")] = x
		if v.Kind == data.ScalarNode && !v.Blank() {
			if f.Env().Dialect == data.Upstream { // the original program ignores a scalar here
				return nil
			}
			return f.parseType(x, v)
		}
		if v.Lookup("type") != nil {
			if err := f.parseType(x, v); err != nil {
				return err
			}
		}
		return into.Mapping(f.Context, v, "a mapping", x.rule(), func(_, _ *data.Node) error { return nil }) // ignore other keys, which belong to the type
	})
}

func (f *file) parseType(x *variable, n *data.Node) (err error) {
	x.typ, err = data.ParseType(n, f.Env())
	return err
}

// take adds an attribute to the variable.
func (x *variable) take(a declhdf5.Attribute) {
	if a.Name == "_FillValue" {
		x.fill = a.Value
	} else {
		x.attributes = append(x.attributes, a)
	}
}

// section reads `write` or `read`.
func section(to *[]*declhdf5.Operation, read bool) into.Reader {
	return func(c *data.Context, _, n *data.Node) error {
		*to = nil
		if n.Kind != data.MappingNode {
			names, err := into.Words(n)
			for _, name := range names {
				*to = append(*to, &declhdf5.Operation{Node: n, Name: name})
			}
			return err
		}
		var op declhdf5.Operation
		r := operationRule(&op, read)
		return n.Each("a list of names, or a mapping", func(name string, _, v *data.Node) (err error) {
			op = declhdf5.Operation{Node: v, Name: name}
			if v.Kind != data.ScalarNode { // `name: ~` has no options
				err = mapping(c, v, r)
			}
			parsed := op
			*to = append(*to, &parsed)
			return err
		})
	}
}
