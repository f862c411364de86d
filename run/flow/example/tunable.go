package example

import (
	"fmt"

	"github.com/pentode-dev/pentode/run/flow"
	"github.com/pentode-dev/pentode/run/flow/pipe"
)

func expectType() *pipe.Type {
	return &pipe.Type{
		Name: "expect",
		New:  func() pipe.Process { return &expect{} },
		Doc:  "Fails if a reconfiguration does not bring the expected value.",
		Out:  []pipe.Port{{Name: "dummy", Type: pipe.NoneType, Doc: "Never used."}},
		Keys: []pipe.Key{
			{Name: "tunable", Kind: pipe.String, Tunable: true, Doc: "Value that a reconfiguration changes."},
			{Name: "expect", Kind: pipe.String, Doc: "The value expected, or the key."},
			{Name: "expect_key", Kind: pipe.Bool, Default: "false", Doc: "Whether expect names a key that must be set."},
		},
	}
}

func tunableType() *pipe.Type {
	return &pipe.Type{
		Name: "tunable",
		New:  func() pipe.Process { return &tunable{} },
		Doc:  "Sends the values of its two keys once and completes.",
		Out: []pipe.Port{
			{Name: "tunable", Type: text, Doc: "Value of the key tunable."},
			{Name: "non_tunable", Type: text, Doc: "Value of the key non_tunable."},
		},
		Keys: []pipe.Key{
			{Name: "tunable", Kind: pipe.String, Tunable: true, Doc: "A value that may change."},
			{Name: "non_tunable", Kind: pipe.String, Doc: "A value that may not change."},
		},
	}
}

// expect does nothing until the run is stopped.
type expect struct{ orphan }

func (expect) Reconfigure(*flow.Setup) error { return nil }

func (expect) Prepare(s *flow.Setup) error {
	want := s.Value("expect")
	if s.Bool("expect_key") {
		if _, ok := s.Config()[want]; !ok {
			return fmt.Errorf("the key `%s` was expected, but is not set", want)
		}
		return nil
	}
	if have := s.Value("tunable"); have != want {
		return fmt.Errorf("the key `tunable` is `%s`, but `%s` was expected", have, want)
	}
	return nil
}

type tunable struct {
	value, fixed string
	out, other   *flow.Out
}

func (t *tunable) Setup(s *flow.Setup) error {
	t.value, t.fixed = s.Value("tunable"), s.Value("non_tunable")
	t.out, t.other = s.Out("tunable"), s.Out("non_tunable")
	return nil
}

func (t *tunable) Reconfigure(s *flow.Setup) error {
	t.value = s.Value("tunable")
	return nil
}

func (t *tunable) Step(s pipe.Step) error {
	t.out.Push(flow.OfText(t.value))
	t.other.Push(flow.OfText(t.fixed))
	s.Complete()
	return nil
}
