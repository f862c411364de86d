package pdi

import (
	"errors"
	"regexp"
	"slices"
	"strings"

	"github.com/pentode-dev/pentode/core/diag"
	"github.com/pentode-dev/pentode/run/data"
)

// values checks what the schema of a plugin's keys cannot express: literal values that would be refused when they are used.
func (c *checker) values(p *Plugin) {
	switch p.Name {
	case "set_value":
		c.setValue(p.config)
	case "decl_hdf5":
		for file := range p.config.each() {
			c.hdf5File(file)
		}
	case "decl_netcdf":
		c.netcdf(p)
	case "json":
		for entry := range p.config.each() {
			_, file, named := entry.find("file")
			if _, _, written := entry.find("write"); named && !written {
				c.report(missingKey, file, "the key `write` is missing, so nothing goes to this file").As(diag.Warning).
					Helped("write `write: [NAME]` beside `file`, or `NAME: %s` in its place", file.Text)
			}
		}
	}
}

// setValue checks the values that set_value assigns to data. The original program runs `on_init` while it loads the tree.
func (c *checker) setValue(config value) {
	for section, v := range config.pairs() {
		lists := []value{v}
		if v.is(data.MappingNode) {
			lists = nil
			for _, list := range v.pairs() {
				lists = append(lists, list)
			}
		}
		for _, list := range lists {
			for _, operation := range list.items() {
				c.assignments(operation, section.Text == "on_init")
			}
		}
	}
}

func (c *checker) assignments(operation value, atLoad bool) {
	for word, list := range operation.pairs() {
		if word.Text != "set" && word.Text != "share" && word.Text != "expose" {
			continue
		}
		for _, item := range list.items() {
			for name, v := range item.pairs() {
				if d := c.assigned(name.Text, v); d != nil && atLoad {
					c.end(d)
				}
			}
		}
	}
}

// maxTried is the size in bytes of the largest datum for which assigning a value is tried.
const maxTried = 1 << 20

// assigned tries to assign a value without references to its datum, and returns a finding if that fails.
func (c *checker) assigned(name string, v value) *diag.Diagnostic {
	d, ok := c.names[name]
	if !ok || d.template == nil || !v.constant() {
		return nil
	}
	t, ok := d.template.Constant()
	if !ok || t.Size() > maxTried {
		return nil
	}
	env := c.environment(nil)
	val, err := env.ParseValue(v.Node)
	if err == nil {
		err = val.CopyTo(t, data.X86_64(), make([]byte, t.Size()))
	}
	failed, ok := errors.AsType[*data.Error](err)
	if !ok {
		return nil
	}
	span := c.spanOf(failed)
	if span.IsZero() {
		span = v.span()
	}
	return c.reportAt(badValue, span, "this cannot be the value of `%s`: %s", name, failed.Message).At(d.key.span(), "declared here")
}

// hdf5File checks one file of decl_hdf5.
func (c *checker) hdf5File(file value) {
	if _, datasets, ok := file.find("datasets"); ok {
		for name := range datasets.pairs() {
			if _, err := regexp.Compile(name.Text); err != nil && name.is(data.ScalarNode) {
				c.end(c.report(badValue, name, "`%s` is not a regular expression: %s", name.Text, expressionFault(err)).
					Helped("write `\\` before a character with a special meaning: `\\[`"))
			}
		}
	}
	c.deflated(file)
	for _, section := range []string{"write", "read"} {
		_, list, _ := file.find(section)
		for name, how := range list.pairs() {
			for description := range how.each() {
				if section == "write" {
					c.setTwice(file, name.Text, description)
				}
				c.transferred(file, name.Text, description)
			}
		}
	}
}

// expressionFault returns a short description of what is wrong with a regular expression.
func expressionFault(err error) string {
	_, text, _ := strings.Cut(err.Error(), "error parsing regexp: ")
	return text
}

// deflated checks a literal compression level.
func (c *checker) deflated(v value) {
	_, level, ok := v.find("deflate")
	if n, known := c.number64(level); ok && known && (n < -1 || n > 9) {
		c.report(badValue, level, "`deflate` is %d: it goes from 0 to 9, or -1 for none", n)
	}
}

// setTwice warns of a setting that is given for all datasets of a file and also for one of them.
func (c *checker) setTwice(file value, name string, v value) {
	for _, setting := range []string{"deflate", "fletcher"} {
		first, _, ofFile := file.find(setting)
		again, _, ofDataset := v.find(setting)
		if ofFile && ofDataset {
			c.report(setTwice, again, "`%s` is set for the file and for the dataset of `%s`: the setting of the dataset counts", setting, name).
				At(first.span(), "for the file").Helped("keep one of them")
		}
	}
}

// transferred checks how a datum is written or read.
func (c *checker) transferred(file value, name string, v value) {
	c.deflated(v)
	if _, path, ok := v.find("attribute"); ok {
		for _, other := range []string{"dataset", "size_of", "dataset_selection", "attributes"} {
			if key, _, beside := v.find(other); beside {
				c.end(c.report(badValue, key, "`%s` cannot be combined with `attribute`: only `when` can", other))
			}
		}
		if path.is(data.ScalarNode) && path.constant() && !strings.Contains(path.Text, "#") {
			c.report(badValue, path, "`%s` names no attribute: expected `DATASET#ATTRIBUTE`", path.Text)
		}
		return
	}
	d, ok := c.names[name]
	if !ok || d.template == nil {
		return
	}
	var dims []int64 // the dimensions of the datum; -1 for a dimension known only when the datum is shared
	for shape := c.shape(name); shape != nil && shape.Elem != nil; shape = shape.Elem {
		dims = append(dims, -1)
	}
	if t, ok := d.template.Constant(); ok {
		dims = lengths(t)
	}
	c.selection(name, v.get("memory_selection"), dims)
	dataset := v.get("dataset")
	switch {
	case dataset.absent():
	case dataset.is(data.ScalarNode) && dataset.constant():
		name = dataset.Text
	default:
		return
	}
	if dims, ok := c.declaredDims(file.get("datasets"), name); ok {
		c.selection(name, v.get("dataset_selection"), dims)
	}
}

// lengths returns the dimensions of a type.
func lengths(t data.Type) (dims []int64) {
	for a, ok := t.(*data.Array); ok; a, ok = t.(*data.Array) {
		dims, t = append(dims, a.Used), a.Elem
	}
	return dims
}

// declaredDims returns the dimensions of a dataset whose type is literal.
func (c *checker) declaredDims(datasets value, name string) ([]int64, bool) {
	for pattern, typ := range datasets.pairs() {
		if match, err := regexp.MatchString("^(?:"+pattern.Text+")$", name); err != nil || !match {
			continue
		}
		template, problems := c.environment(nil).Read(typ.Node)
		if len(problems) > 0 || template == nil {
			return nil, false
		}
		t, ok := template.Constant()
		return lengths(t), ok
	}
	return nil, false
}

// selection checks a literal selection of a datum against the dimensions.
func (c *checker) selection(name string, v value, dims []int64) {
	if v.empty() {
		return
	}
	sizes, starts := slices.Collect(v.get("size").each()), slices.Collect(v.get("start").each())
	for i, list := range [][]value{sizes, starts} {
		if at := v.get([]string{"size", "start"}[i]); !at.absent() && len(list) != len(dims) {
			c.report(badValue, at, "the selection has rank %d, but `%s` has rank %d", len(list), name, len(dims))
			return
		}
	}
	for i, dim := range dims {
		from, count, known := int64(0), int64(0), true
		at := starts
		if !v.get("start").absent() {
			from, known = c.number64(starts[i])
		}
		if !v.get("size").absent() && known {
			at = sizes
			count, known = c.number64(sizes[i])
		}
		if !known || from >= 0 && count >= 0 && (dim < 0 || from <= dim && count <= dim-from) {
			continue
		}
		x := c.report(badValue, at[i], "the selection takes %d elements from index %d in dimension %d of `%s`", count, from, i, name)
		if dim >= 0 {
			x.Helped("the dimension has %d elements", dim)
		}
	}
}
