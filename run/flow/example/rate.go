package example

import (
	"github.com/pentode-dev/pentode/run/flow"
	"github.com/pentode-dev/pentode/run/flow/pipe"
)

func duplicateType() *pipe.Type {
	return &pipe.Type{
		Name: "duplicate",
		New:  func() pipe.Process { return &duplicate{} },
		Doc:  "Repeats each datum several times.",
		In:   []pipe.Port{{Name: "input", Type: pipe.FlowDependent + "tag", Flags: pipe.Required, Doc: "Datum to repeat."}},
		Out:  []pipe.Port{{Name: "duplicate", Type: pipe.FlowDependent + "tag", Flags: pipe.Required | pipe.Shared, FreqKey: "copies", Doc: "The datum, 1+copies times."}},
		Keys: []pipe.Key{{Name: "copies", Kind: pipe.Unsigned, Default: "1", Doc: "Number of copies that follow the datum itself."}},
	}
}

func skipType() *pipe.Type {
	return &pipe.Type{
		Name: "skip",
		New:  func() pipe.Process { return &skip{} },
		Doc:  "Passes on one datum of each group of skip+1; an incomplete last group is dropped.",
		In:   []pipe.Port{{Name: "input", Type: pipe.FlowDependent + "tag", Flags: pipe.Required, FreqKey: "skip", Doc: "Data to thin out."}},
		Out:  []pipe.Port{{Name: "output", Type: pipe.FlowDependent + "tag", Flags: pipe.Required, Doc: "One datum of each group."}},
		Keys: []pipe.Key{
			{Name: "skip", Kind: pipe.Unsigned, Default: "1", Doc: "Number of data of a group that are dropped."},
			{Name: "offset", Kind: pipe.Unsigned, Default: "0", Doc: "Which datum of a group passes, from 0 to skip."},
		},
		Judge: func(v pipe.Values) error {
			if skip, offset := v.Int("skip"), v.Int("offset"); offset > skip {
				return v.Errorf("offset", "key `offset` is %d, but must be from 0 to %d", offset, skip)
			}
			return nil
		},
	}
}

type duplicate struct {
	copies int64
	in     *flow.In
	out    *flow.Out
}

func (d *duplicate) Setup(s *flow.Setup) error {
	d.copies, d.in, d.out = s.Int("copies"), s.In("input"), s.Out("duplicate")
	return nil
}

func (d *duplicate) Step(pipe.Step) error {
	datum := d.in.Take()
	for range d.copies + 1 {
		d.out.Push(datum)
	}
	return nil
}

type skip struct {
	skip, offset int64
	in           *flow.In
	out          *flow.Out
}

func (k *skip) Setup(s *flow.Setup) error {
	k.skip, k.offset, k.in, k.out = s.Int("skip"), s.Int("offset"), s.In("input"), s.Out("output")
	return nil
}

func (k *skip) Step(pipe.Step) error {
	for i := range k.skip + 1 {
		if d := k.in.Take(); i == k.offset {
			k.out.Push(d)
		}
	}
	return nil
}
