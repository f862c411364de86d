package declnetcdf

import (
	"strings"

	"github.com/pentode-dev/pentode/run/data"
	"github.com/pentode-dev/pentode/run/data/config"
	"github.com/pentode-dev/pentode/run/data/declhdf5"
	"github.com/pentode-dev/pentode/run/data/netcdf"
)

// file is one file of the configuration.
type file struct {
	*data.Context
	declhdf5.Steps
	deflate   *data.Value
	variables map[string]*variable // by path, without a slash in front
}

// variable is one that the configuration declares.
type variable struct {
	node       *data.Node
	typ        *data.Template // nil: that of the datum
	dimensions []*data.Value  // nil: named after the variable
	attributes []declhdf5.Attribute
	fill       *data.Value // the attribute `_FillValue`
	deflate    *data.Value
	chunk      []*data.Value
}

func (f *file) parse(n *data.Node) error {
	f.Node, f.Format, f.variables = n, f, map[string]*variable{}
	if _, err := n.Field("file", "the name of a file"); err != nil {
		return err
	}
	env := f.Env()
	return n.Each("a mapping", func(key string, k, v *data.Node) (err error) {
		switch key {
		case "file":
			f.Path, err = env.ParseText(v, "the name of a file")
		case "when":
			f.When, err = env.ParseText(v, "a condition")
		case "on_event":
			f.Events, err = declhdf5.Words(v)
		case "communicator":
			f.Communicator, err = env.ParseText(v, "a communicator")
		case "timeout":
			f.Timeout, err = declhdf5.ParseTimeout(f.Context, v)
		case "async":
			f.Async, err = declhdf5.ParseAsync(v)
		case "deflate":
			f.deflate, err = env.ParseValue(v)
		case "groups":
			err = f.parseGroups(v)
		case "variables":
			err = f.parseVariables(v)
		case "write":
			f.Writes, err = f.parseSection(v, writeRule)
		case "read":
			f.Reads, err = f.parseSection(v, readRule)
		case "logging":
		default:
			f.unknown(k, fileRule)
		}
		return err
	})
}

// unknown warns of a key that the rule does not have: the original program passes over it.
func (f *file) unknown(key *data.Node, r *config.Rule) {
	f.Log.Warn("unknown key `%s` is ignored: there are `%s`", key.Text, strings.Join(r.KeyNames(), "`, `"))
}

func (f *file) parseGroups(n *data.Node) error {
	return n.Each("a mapping", func(path string, key, v *data.Node) error {
		if err := checkPath(path, key); err != nil {
			return err
		}
		g := declhdf5.Group{Path: strings.Trim(path, "/")}
		err := each(v, func(name string, k, v *data.Node) (err error) {
			if name != "attributes" {
				f.unknown(k, fileRule.Find("groups").Rule.Names)
				return nil
			}
			g.Attributes, err = f.parseAttributes(v)
			return err
		})
		f.Groups = append(f.Groups, g)
		return err
	})
}

// each is Each of a mapping that may be missing.
func each(n *data.Node, fn func(name string, key, value *data.Node) error) error {
	if n.Blank() {
		return nil
	}
	return n.Each("a mapping", fn)
}

// checkPath looks at the names in a path.
func checkPath(path string, n *data.Node) error {
	for name := range strings.SplitSeq(strings.Trim(path, "/"), "/") {
		if name == "" && strings.Trim(path, "/") == "" {
			continue // the root
		}
		if err := netcdf.CheckName(name); err != nil {
			return data.Errorf(data.StatusSpecTree, n, "%v", err)
		}
	}
	return nil
}

func (f *file) parseAttributes(n *data.Node) ([]declhdf5.Attribute, error) {
	var list []declhdf5.Attribute
	err := each(n, func(name string, key, v *data.Node) error {
		if err := netcdf.CheckName(name); err != nil {
			return data.Errorf(data.StatusSpecTree, key, "%v", err)
		}
		if netcdf.Reserved(name) {
			return data.Errorf(data.StatusSpecTree, key, "attribute `%s` is one that netCDF writes itself: give yours another name", name)
		}
		if of := v.Lookup("value"); of != nil && len(v.Pairs) == 1 && f.Env().Dialect == data.Documented {
			v = of
		}
		value, err := f.Env().ParseText(v, "the value of an attribute")
		list = append(list, declhdf5.Attribute{Name: name, Value: value})
		return err
	})
	return list, err
}

func (f *file) parseVariables(n *data.Node) error {
	return n.Each("a mapping", func(path string, key, v *data.Node) error {
		if err := checkPath(path, key); err != nil {
			return err
		}
		x := &variable{node: key}
		f.variables[strings.Trim(path, "/")] = x
		if v.Kind == data.ScalarNode && !v.Blank() {
			if f.Env().Dialect == data.Upstream { // which looks for the key `type` only
				return nil
			}
			return f.parseType(x, v)
		}
		if v.Lookup("type") != nil {
			if err := f.parseType(x, v); err != nil {
				return err
			}
		}
		return each(v, func(name string, k, v *data.Node) (err error) {
			switch name {
			case "dimensions":
				x.dimensions, err = declhdf5.Numbers(f.Context, v)
			case "attributes":
				err = f.parseOwn(x, v)
			case "deflate":
				x.deflate, err = f.Env().ParseValue(v)
			case "chunking":
				x.chunk, err = declhdf5.Numbers(f.Context, v)
			}
			return err
		})
	})
}

func (f *file) parseType(x *variable, n *data.Node) (err error) {
	x.typ, err = data.ParseType(n, f.Env())
	return err
}

// parseOwn reads the attributes of a variable.
func (f *file) parseOwn(x *variable, n *data.Node) error {
	list, err := f.parseAttributes(n)
	for _, a := range list {
		if a.Name == "_FillValue" {
			x.fill = a.Value
		} else {
			x.attributes = append(x.attributes, a)
		}
	}
	return err
}

// parseSection reads `write` or `read`.
func (f *file) parseSection(n *data.Node, r *config.Rule) ([]declhdf5.Transfer, error) {
	var list []declhdf5.Transfer
	if n.Kind != data.MappingNode {
		names, err := declhdf5.Words(n)
		for _, name := range names {
			list = append(list, declhdf5.Transfer{Node: n, Name: name})
		}
		return list, err
	}
	err := n.Each("a list of names, or a mapping", func(name string, _, v *data.Node) error {
		t := declhdf5.Transfer{Node: v, Name: name}
		if v.Kind == data.ScalarNode { // `name: ~` asks for nothing special
			list = append(list, t)
			return nil
		}
		err := v.Each("a mapping", func(key string, k, v *data.Node) (err error) {
			switch {
			case r.Find(key) == nil:
				f.unknown(k, r)
			case key == "when":
				t.When, err = f.Env().ParseText(v, "a condition")
			case key == "variable":
				t.Dataset, err = f.Env().ParseText(v, "the name of a variable")
			case key == "size_of":
				t.SizeOf, err = f.Env().ParseText(v, "the name of a variable")
			case key == "variable_selection":
				err = f.parseSelection(v, &t)
			}
			return err
		})
		list = append(list, t)
		return err
	})
	return list, err
}

func (f *file) parseSelection(n *data.Node, t *declhdf5.Transfer) error {
	return n.Each("a mapping", func(key string, k, v *data.Node) (err error) {
		switch key {
		case "start":
			t.Start, err = declhdf5.Numbers(f.Context, v)
		case "subsize":
			t.Size, err = declhdf5.Numbers(f.Context, v)
		default:
			f.unknown(k, selectionRule)
		}
		return err
	})
}
