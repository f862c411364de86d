package pdi

import (
	"strings"

	"github.com/pentode-dev/pentode/core/diag"
	"github.com/pentode-dev/pentode/internal/leaf/quantity"
	"github.com/pentode-dev/pentode/run/data"
	"github.com/pentode-dev/pentode/run/data/declnetcdf"
	"github.com/pentode-dev/pentode/run/data/netcdf"
)

// netcdf checks for errors that decl_netcdf would find only when it writes: types that the format does not have, dimensions that contradict each
// other, and groups that are never created.
func (c *checker) netcdf(p *Plugin) {
	files := map[string]*netcdfFile{} // the files with a literal name, by that name
	for f := range p.config.each() {
		name := f.get("file").Node
		if name == nil || name.Kind != data.ScalarNode {
			continue
		}
		if files[name.Text] == nil {
			files[name.Text] = &netcdfFile{groups: map[string]bool{"": true}, dims: map[string]netcdfDim{}}
		}
		c.netcdfWrites(f, files[name.Text])
	}
	for f := range p.config.each() {
		if name := f.get("file"); name.is(data.ScalarNode) {
			c.netcdfReads(f, files[name.Text])
		}
	}
}

// netcdfFile is what the tree writes to one netCDF file.
type netcdfFile struct {
	groups  map[string]bool // the groups of the file
	dims    map[string]netcdfDim
	written bool
	open    bool // a variable is written whose name is only known at run time
}

// netcdfDim is a dimension and the place of its first use.
type netcdfDim struct {
	size int64
	at   value
}

// netcdfWrites checks what an entry writes, and records it in the file.
func (c *checker) netcdfWrites(file value, to *netcdfFile) {
	c.netcdfLevel(file)
	for path, v := range file.get("variables").pairs() {
		c.netcdfLevel(v)
		c.netcdfPath(path)
	}
	for path := range file.get("groups").pairs() {
		c.netcdfPath(path)
	}
	if file.get("write").empty() {
		return
	}
	to.written = true
	for path := range file.get("groups").pairs() {
		to.add(strings.Trim(path.Text, "/"))
	}
	for name, how := range c.transfers(file.get("write")) {
		path, known := variablePath(name, how)
		if !known {
			to.open = true
			continue
		}
		group, _ := netcdf.Split(path)
		to.add(group)
		c.netcdfVariable(file, name, path, to)
	}
}

// add records a group and the groups that contain it.
func (f *netcdfFile) add(group string) {
	for group != "" {
		f.groups[group] = true
		group, _ = netcdf.Split(group)
	}
}

// transfers returns the data of `write` or `read`, and how each is written or read.
func (c *checker) transfers(section value) func(yield func(name, how value) bool) {
	return func(yield func(name, how value) bool) {
		if section.is(data.MappingNode) {
			for name, how := range section.pairs() {
				if !yield(name, how) {
					return
				}
			}
			return
		}
		for name := range section.each() {
			if name.is(data.ScalarNode) && !yield(name, value{}) {
				return
			}
		}
	}
}

// variablePath returns the variable that a datum is written to or read from, if it is known before the run.
func variablePath(name, how value) (string, bool) {
	path := name.Text
	for _, key := range []string{"size_of", "variable"} {
		if v := how.get(key); !v.absent() {
			if !v.is(data.ScalarNode) || !v.constant() {
				return "", false
			}
			path = v.Text
		}
	}
	return strings.Trim(path, "/"), true
}

// netcdfPath checks the names in a path.
func (c *checker) netcdfPath(path value) {
	if !path.is(data.ScalarNode) || strings.Trim(path.Text, "/") == "" {
		return
	}
	for name := range strings.SplitSeq(strings.Trim(path.Text, "/"), "/") {
		if err := netcdf.CheckName(name); err != nil {
			c.report(badValue, path, "%v", err)
			return
		}
	}
}

// netcdfLevel checks a literal compression level.
func (c *checker) netcdfLevel(v value) {
	level := v.get("deflate")
	if n, known := c.number64(level); known && (n < 0 || n > 9) {
		c.report(badValue, level, "`deflate` is %d: it goes from 0 to 9", n)
	}
}

// netcdfVariable checks a variable that a datum is written to.
func (c *checker) netcdfVariable(file, name value, path string, to *netcdfFile) {
	at, declared := name, value{}
	for key, v := range file.get("variables").pairs() {
		if strings.Trim(key.Text, "/") == path {
			at, declared = key, v
		}
	}
	d, ok := c.names[name.Text]
	if !ok || d.template == nil {
		return
	}
	template := d.template
	if typ := declared; typ.is(data.ScalarNode) && !typ.empty() && c.dialect != data.Upstream || !typ.get("type").absent() {
		t, problems := c.environment(nil).Read(typ.Node)
		if len(problems) > 0 || t == nil {
			return // the type is reported elsewhere
		}
		template = t
	}
	text := false
	if elem, known := template.Element(); known {
		if err := declnetcdf.Check(elem, c.dialect); err != nil {
			c.report(noNetCDFType, at, "`%s` cannot be written: %s", path, data.Message(err))
		}
		s, ok := elem.(*data.Scalar)
		text = ok && (s.Name == "char" || s.Name == "character")
	}
	extents := template.Extents()
	names := declared.get("dimensions")
	c.netcdfDimensions(path, names, extents, to)
	c.conventions(at, path, declared, names, text)
}

// netcdfDimensions checks the names of dimensions against the type of the variable, and against other variables.
func (c *checker) netcdfDimensions(path string, names value, extents []int64, to *netcdfFile) {
	if names.empty() {
		return
	}
	var list []value
	for v := range names.each() {
		list = append(list, v)
	}
	if len(list) != len(extents) {
		c.report(badValue, names, "`%s` has rank %d, and `dimensions` names %d", path, len(extents), len(list))
		return
	}
	group, _ := netcdf.Split(path)
	for i, v := range list {
		if !v.is(data.ScalarNode) || !v.constant() || extents[i] < 0 {
			continue
		}
		if err := netcdf.CheckName(v.Text); err != nil {
			c.report(badValue, v, "%v", err)
			continue
		}
		key := group + "/" + v.Text
		first, known := to.dims[key]
		switch {
		case !known:
			to.dims[key] = netcdfDim{extents[i], v}
		case first.size == extents[i]:
		case first.size == 0 || extents[i] == 0:
			c.report(otherDimension, v, "dimension `%s` has %s here, and %s there", v.Text, elements(extents[i]), elements(first.size)).
				As(diag.Warning).At(first.at.span(), "there").Note("the variable that is written first decides")
		default:
			c.report(otherDimension, v, "dimension `%s` has %s here, and %s there", v.Text, elements(extents[i]), elements(first.size)).
				At(first.at.span(), "there").Helped("give one of them another name")
		}
	}
}

func elements(n int64) string {
	if n == 0 {
		return "no limit"
	}
	return quantity.Count(int(n), "element", "elements")
}

// conventions reports missing attributes that readers of netCDF expect.
func (c *checker) conventions(at value, path string, declared, names value, text bool) {
	attributes := declared.get("attributes")
	has := func(name string) bool { return !attributes.get(name).absent() }
	var lacks []string
	if !text && !has("units") {
		lacks = append(lacks, "`units`")
	}
	if !has("long_name") && !has("standard_name") {
		lacks = append(lacks, "`long_name` or `standard_name`")
	}
	var dims []string
	for v := range names.each() {
		if v.is(data.ScalarNode) {
			dims = append(dims, v.Text)
		}
	}
	if _, name := netcdf.Split(path); len(dims) == 1 && dims[0] == name && !has("axis") {
		lacks = append(lacks, "`axis`")
	}
	if lacks != nil {
		c.report(lacksAttributes, at, "variable `%s` lacks attributes that readers of netCDF expect: %s", path, strings.Join(lacks, ", ")).
			Helped("write them below `variables`, `%s`, `attributes`", path)
	}
}

// netcdfReads reports groups that are never created, if the tree itself writes the file.
func (c *checker) netcdfReads(file value, from *netcdfFile) {
	if file.get("read").empty() || !from.written || from.open {
		return
	}
	missing := func(at value, group string) {
		if !from.groups[group] {
			c.report(noSuchGroup, at, "nothing that this tree writes to the file is in the group `%s`", group)
		}
	}
	for name, how := range c.transfers(file.get("read")) {
		if path, known := variablePath(name, how); known {
			at := name
			for _, key := range []string{"size_of", "variable"} {
				if v := how.get(key); !v.absent() {
					at = v
				}
			}
			group, _ := netcdf.Split(path)
			missing(at, group)
		}
	}
	if file.get("write").empty() {
		for path := range file.get("groups").pairs() {
			missing(path, strings.Trim(path.Text, "/"))
		}
	}
}
