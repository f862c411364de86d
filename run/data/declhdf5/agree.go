package declhdf5

import (
	"errors"
	"fmt"
	"reflect"
	"strings"

	"github.com/pentode-dev/pentode/run/data"
	"github.com/pentode-dev/pentode/run/data/ranks"
)

// proposal lists what one process wants to do with a file.
type proposal struct {
	File    string
	Reads   []string
	Writes  []intent
	Failure *failure // why the process cannot do what it wants to do; nil: it can
	Earlier *failure // why its thread could not write the previous step in the background; nil: no error
}

// intent describes one datum that a process wants to write.
type intent struct {
	Datum      string
	Target     string // the name of a dataset, or object#attribute
	Attribute  bool
	Policy     string
	New        NewDataset // how to create the dataset if it does not exist
	NewFailure *failure   // why it could not be created; nil: it could
	Attributes [][]byte   // the values of its attributes, which must be the same in all processes

	Part   box
	Memory []uint64 // the shape of the selection in memory
}

// failure is an error in a form that can be sent to other processes.
type failure struct {
	Status         data.Status
	Text, Upstream string
	Lost           bool // a process no longer takes part, so the processes cannot work together any more
}

func failureOf(err error) *failure {
	if err == nil {
		return nil
	}
	_, lost := errors.AsType[*ranks.Missing](err)
	return &failure{data.StatusOf(err), data.Message(err), data.UpstreamText(err), lost}
}

// lost returns the failure for a process that no longer takes part.
func lost(err error) *failure {
	x := failureOf(err)
	x.Lost = true
	return x
}

func (x *failure) err() error {
	if x == nil {
		return nil
	}
	e := data.Errorf(x.Status, nil, "%s", x.Text)
	if x.Upstream != x.Text { // else the original program has no text for it
		e = e.Upstream("%s", x.Upstream)
	}
	return e
}

// first returns the first failure in the list, which is indexed by rank. Its text names the process,
// unless all processes have the same failure.
func first(list []*failure) *failure {
	for rank, x := range list {
		if x == nil {
			continue
		}
		for _, other := range list {
			if other == nil || *other != *x {
				return &failure{x.Status, fmt.Sprintf("rank %d: %s", rank, x.Text), fmt.Sprintf("rank %d: %s", rank, x.Upstream), x.Lost}
			}
		}
		return x
	}
	return nil
}

// disagreement reports a contradiction between two proposals for one file. The written values and
// their place in a dataset may differ between processes.
func disagreement(a, b *proposal, rank int) *failure {
	say := func(format string, args ...any) *failure {
		text := fmt.Sprintf(format, args...) + ": all processes of a communicator need the same tree and the same conditions"
		return &failure{Status: data.StatusSystem, Text: text, Upstream: text}
	}
	switch {
	case a.File != b.File:
		return say("rank 0 opens `%s`, but rank %d opens `%s`", a.File, rank, b.File)
	case len(a.Writes) != len(b.Writes):
		return say("rank 0 writes %d data to `%s`, but rank %d writes %d", len(a.Writes), a.File, rank, len(b.Writes))
	case len(a.Reads) != len(b.Reads):
		return say("rank 0 reads %d data from `%s`, but rank %d reads %d", len(a.Reads), a.File, rank, len(b.Reads))
	}
	for i, x := range a.Reads {
		if y := b.Reads[i]; x != y {
			return say("rank 0 reads `%s` from `%s`, but rank %d reads `%s`", x, a.File, rank, y)
		}
	}
	for i := range a.Writes {
		x, y := &a.Writes[i], &b.Writes[i]
		switch {
		case x.Target != y.Target || x.Attribute != y.Attribute:
			return say("rank 0 writes `%s` to `%s`, but rank %d writes `%s`", x.Target, a.File, rank, y.Target)
		case x.Policy != y.Policy:
			return say("the collision policy of `%s` in `%s` is `%s` on rank 0 and `%s` on rank %d", x.Target, a.File, x.Policy, y.Policy, rank)
		case x.Attribute || x.NewFailure != nil && y.NewFailure != nil:
		case !reflect.DeepEqual(x.New.Dims, y.New.Dims):
			return say("dataset `%s` in `%s` has the shape %d on rank 0 and %d on rank %d", x.Target, a.File, x.New.Dims, y.New.Dims, rank)
		case !reflect.DeepEqual(x.New.Dimensions, y.New.Dimensions):
			return say("the dimensions of `%s` in `%s` are `%s` on rank 0 and `%s` on rank %d", x.Target, a.File, strings.Join(x.New.Dimensions, "`, `"), strings.Join(y.New.Dimensions, "`, `"), rank)
		case !reflect.DeepEqual(x.New.Type, y.New.Type):
			return say("dataset `%s` in `%s` has elements of type %s on rank 0 and %s on rank %d", x.Target, a.File, x.New.Type, y.New.Type, rank)
		case !reflect.DeepEqual(x.New.Options, y.New.Options):
			return say("the chunks or filters of dataset `%s` in `%s` differ between rank 0 and rank %d", x.Target, a.File, rank)
		}
	}
	return nil
}

// warnOfValues warns of attributes whose values differ between processes: a file can have only one value.
func (f *file) warnOfValues(all []*proposal) {
	for i := range all[0].Writes {
		for rank, p := range all[1:] {
			if x, y := &all[0].Writes[i], &p.Writes[i]; !reflect.DeepEqual(x.Attributes, y.Attributes) {
				f.Log.Warn("an attribute of `%s` differs between rank 0 and rank %d: the value of rank 0 is written", x.Target, rank+1)
				break
			}
		}
	}
}
