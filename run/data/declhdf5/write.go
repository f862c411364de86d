package declhdf5

import (
	"fmt"
	"slices"
	"strings"

	"github.com/pentode-dev/pentode/run/data"
	"github.com/pentode-dev/pentode/run/data/expr"
	"github.com/pentode-dev/pentode/run/data/hdf5"
	"github.com/pentode-dev/pentode/run/data/into"
)

// task is a write whose expressions have been evaluated. It no longer needs the store, except for the memory of
// the datum, which may be a copy.
type task struct {
	memory []byte
	do     func(h *hdf5.File, memory []byte) error
}

// write executes one operation on an open file.
func (f *file) write(h *hdf5.File, op *Operation) error {
	t, err := f.prepare(op)
	if err != nil {
		return err
	}
	return t.do(h, t.memory)
}

// prepare evaluates the expressions of an operation.
func (f *file) prepare(op *Operation) (task, error) {
	if op.group != nil {
		return f.prepareGroup(op.group)
	}
	t, memory, err := f.memory(op.Name, data.Ref.Read)
	if err != nil {
		return task{}, err
	}
	var job task
	if op.attribute != nil {
		job, err = f.prepareAttribute(op, t, memory)
	} else {
		job, err = f.prepareDataset(op, t, memory)
	}
	if err != nil {
		return task{}, data.Within(err, "`%s`", op.Name)
	}
	do := job.do
	job.do = func(h *hdf5.File, memory []byte) error { return data.Within(do(h, memory), "`%s`", op.Name) }
	return job, nil
}

func (f *file) prepareDataset(op *Operation, t data.Type, memory []byte) (task, error) {
	s, name, err := f.operand(op, t)
	if err != nil {
		return task{}, err
	}
	fresh := f.newDataset(op, name, t, &s)
	part, badPart := op.Selection.box()
	describe := func(hdf5.Object) error { return nil }
	if f.Format != nil {
		if describe, err = f.evaluateAttributes(f.Format.Attributes(name)); err != nil {
			return task{}, err
		}
	}
	attributes := make([]func(hdf5.Object) error, len(op.attributes))
	for i, a := range op.attributes {
		set, bad := f.evaluateAttribute(a)
		if attributes[i] = set; bad != nil {
			attributes[i] = func(hdf5.Object) error { return bad }
		}
	}
	return task{s.trim(memory), func(h *hdf5.File, memory []byte) error {
		d, err := f.place(h, op, name, fresh)
		if err != nil || d == nil {
			return err
		}
		if badPart != nil {
			return badPart
		}
		to, err := part.target(d.Space().Dims, s.used)
		if err != nil {
			return err
		}
		if err := f.grow(h, d, to); err != nil {
			return err
		}
		if err := d.Write(memory, s.memory(), to); err != nil {
			return err
		}
		if err := describe(d.Object); err != nil {
			return err
		}
		for i, set := range attributes {
			if err := set(d.Object); err != nil {
				return data.Within(err, "attribute `%s`", op.attributes[i].Name)
			}
		}
		return nil
	}}, nil
}

// place finds the dataset for an operation, or creates it. It returns nil if the operation has to be skipped.
func (f *file) place(h *hdf5.File, op *Operation, name string, fresh NewDataset) (*hdf5.Dataset, error) {
	if f.Format != nil {
		if fresh.err != nil {
			return nil, fresh.err
		}
		return f.Format.Place(h, name, fresh)
	}
	exists, err := h.Root().Exists(name)
	if err != nil {
		return nil, err
	}
	if exists {
		proceed, err := f.collide(h, op, name)
		if err != nil || !proceed {
			return nil, err
		}
		if exists, err = h.Root().Exists(name); err != nil {
			return nil, err
		}
	}
	if exists {
		return h.Root().Dataset(name)
	}
	if fresh.err != nil {
		return nil, fresh.err
	}
	return h.Root().CreateDataset(name, fresh.Type, hdf5.Space{Dims: fresh.Dims}, fresh.Options)
}

// collide applies the collision policy to a dataset that already exists.
func (f *file) collide(h *hdf5.File, op *Operation, name string) (proceed bool, err error) {
	p := f.policyOf(op)
	if p.warn() {
		f.warn("dataset `%s` already exists: %s", name, p.does())
	}
	switch p.kind() {
	case skip:
		return false, nil
	case refuse:
		return false, data.Errorf(data.StatusSystem, op.Node, "dataset `%s` already exists, and its collision policy is `error`", name).
			Upstream("Dataset collision `%s': Dataset already exists", name)
	case replace:
		return true, h.Root().Delete(name)
	}
	return true, nil
}

func (f *file) policyOf(op *Operation) policy {
	if op.policy != "" {
		return op.policy
	}
	return f.policy
}

// newDataset describes a new dataset: with its declared type, or with the shape of the written data.
func (f *file) newDataset(op *Operation, name string, t data.Type, s *shape) NewDataset {
	if f.Format != nil {
		n, err := f.Format.Describe(name, t)
		n.err = err
		return n
	}
	n := NewDataset{Type: s.elem, Dims: s.used}
	declaration, err := f.declaredType(name)
	if err != nil {
		return NewDataset{err: err}
	}
	attributes := t.Attributes()
	switch {
	case declaration != nil:
		d, err := shapeOf(declaration, f.Env().Machine)
		if err != nil {
			return NewDataset{err: err}
		}
		n.Type, n.Dims = d.elem, d.used
		attributes = append(attributes[:len(attributes):len(attributes)], declaration.Attributes()...)
	case op.Selection.written:
		return NewDataset{err: data.Errorf(data.StatusSpecTree, op.Node, "dataset `%s` does not exist: a `dataset_selection` needs its type in `datasets`", name).
			Upstream("Dataset selection is invalid for implicit dataset `%s'", name)}
	}
	n.Options, n.err = f.options(op, attributes, n.Dims)
	return n
}

func (f *file) declaredType(name string) (data.Type, error) {
	for _, d := range f.datasets {
		if d.name == name {
			return d.typ.Evaluate()
		}
	}
	var matching []declared
	for _, d := range f.datasets {
		if d.pattern.MatchString(name) {
			matching = append(matching, d)
		}
	}
	switch len(matching) {
	case 0:
		return nil, nil
	case 1:
		return matching[0].typ.Evaluate()
	}
	return nil, ambiguous(name, matching)
}

// ambiguous returns the error for a dataset that several regular expressions match.
func ambiguous(name string, matching []declared) error {
	var ours, upstream strings.Builder
	for _, d := range matching {
		at := ""
		if s := d.key.Span; !s.IsZero() {
			at = fmt.Sprintf(" defined in line %d", s.File.Position(s.Start).Line)
		}
		fmt.Fprintf(&ours, ", `%s`", d.name)
		fmt.Fprintf(&upstream, "\n - %s%s", d.name, at)
	}
	return data.Errorf(data.StatusInvalidAction, matching[0].key, "dataset `%s` matches %d regular expressions in `datasets`%s: keep only one of them, or add the exact name",
		name, len(matching), ours.String()).
		Upstream("found %d regexes in the \"datasets:\" list that match the dataset `%s' to write:%s", len(matching), name, upstream.String())
}

// options collects how a new dataset is stored: the attributes of the type have priority, then the
// operation, then the file.
func (f *file) options(op *Operation, attributes []data.Attribute, dims []uint64) (hdf5.Options, error) {
	s := op.storage
	if s.deflate == nil {
		s.deflate = f.storage.deflate
	}
	if s.fletcher == nil {
		s.fletcher = f.storage.fletcher
	}
	for _, a := range attributes {
		var err error
		switch a.Name {
		case "decl_hdf5.chunking":
			s.chunk, err = into.List(a.Value.Node, f.Env().ParseValue)
		case "decl_hdf5.deflate":
			s.deflate = a.Value
		case "decl_hdf5.fletcher":
			s.fletcher = a.Value
		}
		if err != nil {
			return hdf5.Options{}, err
		}
	}
	return s.options(dims)
}

func (s *storage) options(dims []uint64) (o hdf5.Options, err error) {
	if s.chunk != nil {
		if o.Chunk, err = numbers(s.chunk, nil, "chunk"); err != nil {
			return o, err
		}
		if len(o.Chunk) != len(dims) {
			return o, data.Errorf(data.StatusValue, s.chunk[0].Node, "`chunking` has %d dimensions, the dataset %d", len(o.Chunk), len(dims))
		}
	}
	if s.deflate != nil {
		level, err := s.deflate.Long()
		if err != nil {
			return o, err
		}
		if level < -1 || level > 9 {
			return o, data.Errorf(data.StatusValue, s.deflate.Node, "`deflate` is %d: it goes from 0 to 9, or -1 for none", level)
		}
		o.Deflate = int(max(level, 0))
	}
	if s.fletcher != nil {
		if o.Fletcher32, err = s.fletcher.True(); err != nil {
			return o, err
		}
	}
	switch {
	case count(dims) == 0 || len(dims) == 0:
		return hdf5.Options{}, nil // there are no elements to store in chunks
	case o.Chunk == nil && (o.Deflate > 0 || o.Fletcher32):
		o.Chunk = dims
	}
	return o, nil
}

// evaluateAttribute evaluates an attribute of a dataset and returns a function that sets it. Text becomes
// a string, a reference keeps its type, and any other value is a number.
func (f *file) evaluateAttribute(a Attribute) (func(hdf5.Object) error, error) {
	if a.Value.Program.Form() == expr.Text {
		text, err := a.Value.Text()
		if err != nil {
			return nil, err
		}
		return f.setText(a.Name, text), nil
	}
	t, memory, err := a.Value.Evaluate()
	if err != nil {
		return nil, err
	}
	if name := Whole(a.Value); name != "" {
		// Use the declared type, because the type of the value has only the layout.
		if ref, err := f.Ref(name); err == nil && ref.Type() != nil {
			t = ref.Type()
		}
	}
	return f.setValue(a.Name, t, memory)
}

// Whole returns the name of the datum if the value is a reference to a whole datum, else "".
func Whole(v *data.Value) string {
	if v.Program.Form() == expr.Reference {
		for r := range v.Program.Refs() {
			if len(r.Path) == 0 {
				return r.Name
			}
			break
		}
	}
	return ""
}

// setText returns a function that sets a text with its NUL: as a string or, in upstream's dialect, as the
// numbers of its bytes, because the original program cannot read strings.
func (f *file) setText(name, text string) func(hdf5.Object) error {
	bytes := append([]byte(text), 0)
	if f.Env().Dialect == data.Upstream {
		return func(o hdf5.Object) error {
			return o.SetAttribute(name, hdf5.Uint(1), hdf5.Space{Dims: []uint64{uint64(len(bytes))}}, bytes)
		}
	}
	return func(o hdf5.Object) error {
		return o.SetAttribute(name, hdf5.Text(len(bytes), hdf5.NullTerm), hdf5.Space{}, bytes)
	}
}

// setValue returns a function that sets a value as an attribute. An array of characters becomes a string;
// the original program writes it as it lies in memory.
func (f *file) setValue(name string, t data.Type, memory []byte) (func(hdf5.Object) error, error) {
	if a, ok := t.(*data.Array); ok && a.IsText() && f.Env().Dialect == data.Documented {
		return f.setText(name, a.Text(memory)), nil
	}
	flat, err := f.Flatten(t, memory)
	if err != nil {
		return nil, err
	}
	flat.Pack()
	s, err := shapeOf(flat.Type, f.Env().Machine)
	if err != nil {
		return nil, err
	}
	value := slices.Clone(flat.Bytes)
	return func(o hdf5.Object) error { return o.SetAttribute(name, s.elem, hdf5.Space{Dims: s.dims}, value) }, nil
}

// prepareAttribute prepares to write a datum as `path#name`. If the object does not exist, it is created
// as a group.
func (f *file) prepareAttribute(op *Operation, t data.Type, memory []byte) (task, error) {
	path, err := op.attribute.Text()
	if err != nil {
		return task{}, err
	}
	object, name, err := splitAttribute(path)
	if err != nil {
		return task{}, err
	}
	set, err := f.setValue(name, t, memory)
	if err != nil {
		return task{}, err
	}
	return task{do: func(h *hdf5.File, _ []byte) error {
		o, err := find(h, object, true)
		if err != nil {
			return err
		}
		return set(o)
	}}, nil
}

func splitAttribute(path string) (object, name string, err error) {
	i := strings.LastIndexByte(path, '#')
	if i < 0 || i == len(path)-1 {
		return "", "", data.Errorf(data.StatusValue, nil, "`%s` does not name an attribute: write `object#attribute`", path)
	}
	return path[:i], path[i+1:], nil
}

// find returns the dataset or group at a path.
func find(h *hdf5.File, path string, create bool) (hdf5.Object, error) {
	root := h.Root()
	if strings.Trim(path, "/") == "" {
		return root.Object, nil
	}
	exists, err := root.Exists(path)
	if err != nil {
		return hdf5.Object{}, err
	}
	if !exists && create {
		g, err := root.CreateGroup(path)
		if err != nil {
			return hdf5.Object{}, err
		}
		return g.Object, nil
	}
	if d, err := root.Dataset(path); err == nil {
		return d.Object, nil
	}
	g, err := root.Group(path)
	if err != nil {
		return hdf5.Object{}, err
	}
	return g.Object, nil
}
