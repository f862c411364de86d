package flow

import (
	"bytes"

	"github.com/pentode-dev/pentode/run/data"
	"github.com/pentode-dev/pentode/run/handoff"
)

// knob is a number in the metadata that the pipeline may set.
type knob struct {
	handoff.Knob
	typ   data.Type
	value []byte // the value that the pipeline has set last
	fresh bool   // true if the value has not been copied to the store yet
}

// findKnobs lists the metadata that are numbers.
func (f *flow) findKnobs() {
	for name := range f.Metadata() {
		t, _ := f.Template(name)
		typ, ok := t.Constant()
		if !ok {
			continue
		}
		if s, ok := typ.(*data.Scalar); ok && s.Element() != 0 {
			f.knobs = append(f.knobs, knob{Knob: handoff.Knob{Name: name, Kind: string(rune(s.Element()))}, typ: typ})
		}
	}
}

// applyKnobs copies the values that the pipeline has set to metadata. Values that were set
// together are copied together.
func (f *flow) applyKnobs() error {
	if f.link == nil {
		return nil
	}
	came := false
	err := f.link.Knobs(func(i handoff.Item) {
		k := &f.knobs[i.Index]
		if i.Kind == k.KindOf() && len(i.Shape) == 0 && !bytes.Equal(k.value, i.Bytes) {
			k.value = append(k.value[:0], i.Bytes...)
			k.fresh, came = true, true
		}
	})
	if err != nil {
		return data.Errorf(data.StatusSystem, f.Pipeline, "the knobs of the pipeline `%s` cannot be read: %v", f.Pipeline.Text, err)
	}
	if !came {
		return nil
	}
	for i := range f.knobs {
		if k := &f.knobs[i]; k.fresh {
			k.fresh = false
			if err := f.shareKnob(k); err != nil {
				return err
			}
		}
	}
	return nil
}

// shareKnob hands the value of a knob over to the store as metadata.
func (f *flow) shareKnob(k *knob) error {
	memory, err := f.Allocate(k.typ)
	if err != nil {
		return err
	}
	copy(memory, k.value)
	if err := f.Share(k.Name, memory, data.InOut); err != nil {
		return err
	}
	return f.Release(k.Name)
}
