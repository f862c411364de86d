package flow

import (
	"errors"
	"slices"

	"github.com/pentode-dev/pentode/run/data"
	"github.com/pentode-dev/pentode/run/handoff"
	"github.com/pentode-dev/pentode/run/handoff/tensor"
)

// begin connects to the pipeline. It is called when all data is declared.
func (f *flow) begin() error {
	if !f.Each && f.program.Rank != 0 {
		return nil
	}
	if f.Env().Machine.BigEndian {
		return data.Errorf(data.StatusSystem, f.Pipeline, "data can be passed to pipelines only on little-endian machines")
	}
	var starts []func()
	for _, n := range f.OnDatum {
		items, err := f.items([]*data.Node{n})
		if err != nil {
			return err
		}
		starts = append(starts, func() {
			f.OnShare(n.Text, func(_ string, ref data.Ref) error { return f.hand(items, ref) })
		})
	}
	for _, e := range f.Events {
		items, err := f.items(e.Data)
		if err != nil {
			return err
		}
		starts = append(starts, func() {
			f.OnEvent(e.Name, func(string) error { return f.hand(items, data.Ref{}) })
		})
	}
	f.findKnobs()
	var err error
	if f.link, err = f.connect(); err != nil {
		return err
	}
	f.OnFinalize(f.end)
	f.OnClose(func() error { f.link.abandon(); return nil }) // for the case that the store cannot be created after this
	f.BeforeEvent(f.applyKnobs)
	for _, start := range starts {
		start()
	}
	return f.applyKnobs()
}

// datum is a datum that is passed on, with its last type and layout.
type datum struct {
	name  string
	typ   data.Type
	dense data.Type // the type without gaps; nil: typ has none
	item  handoff.Item
}

// step is a list of data that are passed to the pipeline together.
type step struct {
	data  []datum
	items []handoff.Item // the data of this step that the pipeline wants
}

// items makes a step from a list of names of data.
func (f *flow) items(list []*data.Node) (*step, error) {
	s := &step{items: make([]handoff.Item, 0, len(list))}
	for _, n := range list {
		t, ok := f.Template(n.Text)
		if !ok {
			return nil, data.Errorf(data.StatusSpecTree, n, "`%s` is not declared", n.Text)
		}
		if slices.ContainsFunc(s.data, func(d datum) bool { return d.name == n.Text }) {
			return nil, data.Errorf(data.StatusSpecTree, n, "`%s` is listed twice for one event", n.Text)
		}
		i := slices.Index(f.names, n.Text)
		if i < 0 {
			i = len(f.names)
			f.names = append(f.names, n.Text)
		}
		d := datum{name: n.Text, item: handoff.Item{Index: i}}
		if typ, err := t.Evaluate(); err == nil { // otherwise the type depends on values that are not known yet
			if err := d.setType(typ); err != nil {
				return nil, data.Errorf(data.StatusType, n, "%s", data.Message(err))
			}
		}
		s.data = append(s.data, d)
	}
	return s, nil
}

// setType finds out how a value of type t is passed on: its kind of numbers, its shape,
// and whether it must be copied without gaps.
func (d *datum) setType(t data.Type) error {
	elem, shape, dense := t, []int(nil), true
	for {
		a, ok := elem.(*data.Array)
		if !ok {
			break
		}
		shape, dense, elem = append(shape, int(a.Used)), dense && a.Used == a.Length, a.Elem
	}
	s, ok := elem.(*data.Scalar)
	if !ok {
		return data.Errorf(data.StatusType, nil, "`%s` is of type `%s`: pipelines accept numbers, texts and arrays of numbers", d.name, t)
	}
	d.item.Kind = s.Element()
	if len(shape) == 1 && (s.Name == "char" || s.Name == "character") && s.Size() == 1 {
		d.item.Kind = handoff.Text
	}
	if d.item.Kind == 0 || len(shape) > tensor.MaxAxes {
		return data.Errorf(data.StatusType, nil, "`%s` is of type `%s`, which pipelines do not have", d.name, t)
	}
	d.typ, d.dense, d.item.Shape, d.item.Size = t, nil, shape, int(t.DataSize())
	if !dense {
		d.dense = data.Densify(t)
	}
	return nil
}

// hand passes a step to the pipeline. If the step was caused by sharing a datum, ref
// refers to that datum.
func (f *flow) hand(s *step, ref data.Ref) error {
	if f.link == nil {
		return nil
	}
	s.items = s.items[:0]
	for i := range s.data {
		d := &s.data[i]
		if !f.link.Wants(d.item.Index) {
			continue
		}
		r := ref
		if r == (data.Ref{}) {
			var err error
			if r, err = f.Ref(d.name); err != nil {
				return err
			}
		} else if _, err := r.Read(); err != nil {
			return nil // the datum cannot be read: it is shared for others to write, so it has no value yet
		}
		if err := d.read(r); err != nil {
			return data.Within(err, "cannot pass `%s` to the pipeline", d.name)
		}
		s.items = append(s.items, d.item)
	}
	if len(s.items) == 0 {
		return nil
	}
	err := f.link.Give(s.items)
	for i := range s.items {
		s.items[i].Bytes, s.items[i].Fill = nil, nil // keep no reference to the program's memory
	}
	if err == nil {
		return nil
	}
	return f.failed(err)
}

// read prepares a datum to be passed on. Its type may have changed since the last step.
func (d *datum) read(r data.Ref) error {
	memory, err := r.Read()
	if err != nil {
		return err
	}
	if t := r.Type(); t != d.typ {
		if err := d.setType(t); err != nil {
			return err
		}
	}
	d.item.Bytes, d.item.Fill = memory[:min(len(memory), d.item.Size)], nil
	if d.dense != nil {
		d.item.Bytes, d.item.Fill = nil, func(to []byte) { data.CopyDense(to, d.dense, memory, d.typ) }
	}
	return nil
}

// failed handles an error in passing on a step: it returns the error, or logs it if the
// program has to continue.
func (f *flow) failed(err error) error {
	if large := (*handoff.LargeError)(nil); errors.As(err, &large) {
		return data.Errorf(data.StatusValue, f.Pipeline, "cannot pass `%s` to the pipeline: its step has %d bytes, but `max_step` is %d", f.names[large.Index], large.Size, large.Max)
	}
	if f.Fails {
		return data.Errorf(data.StatusSystem, f.Pipeline, "the pipeline `%s` has ended before the program%s", f.Pipeline.Text, f.link.why())
	}
	f.Log.Warn("the pipeline `%s` has ended before the program%s; the program continues without it", f.Pipeline.Text, f.link.why())
	f.link.abandon()
	f.link = nil
	return nil
}
