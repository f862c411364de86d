package collect

import (
	"errors"
	"fmt"
	"io/fs"
	"path/filepath"
	"slices"

	"github.com/pentode-dev/pentode/run/trace/agent"
	"github.com/pentode-dev/pentode/run/trace/ctf"
	"github.com/pentode-dev/pentode/run/trace/recorded"
)

// Merge joins traces into one, whose time stamps are nanoseconds in the time of day of the first trace. It returns
// the number of traces and of events. The file with their regions is next to the folder, as for each of the traces.
// read may be nil; it is called with the number of bytes joined so far.
//
// MPI_Init and MPI_Finalize end at nearly the same moment on all ranks. If a trace has both, its clock is shifted
// and stretched so that they match the first trace's.
func Merge(out string, dirs []string, read func(done, total int64)) (traces, events int, err error) {
	var inputs []*input
	for _, dir := range dirs {
		found, err := find(dir)
		if err != nil {
			return 0, 0, err
		}
		inputs = append(inputs, found...)
	}
	merged := &ctf.Trace{
		Context: contextFields, Env: map[string]string{"domain": `"ust"`, "tracer_name": `"pentode"`, "tracer_major": "1", "tracer_minor": "0"},
	}
	numbers := map[string]int{}
	for _, in := range inputs {
		if err := in.declare(merged, numbers); err != nil {
			return 0, 0, err
		}
	}
	regions, err := joinRegions(inputs)
	if err != nil {
		return 0, 0, err
	}
	if err := ctf.Create(out, merged); err != nil {
		return 0, 0, err
	}
	if err := merged.Describe(ctf.Clock{Frequency: 1e9}); err != nil {
		return 0, 0, err
	}
	var done, total int64
	for _, in := range inputs {
		total += in.Size()
	}
	for i, in := range inputs {
		if read != nil {
			read(done, total)
		}
		done += in.Size()
		in.align(inputs[0])
		n, err := in.copyTo(merged, regions, i)
		if err != nil {
			return 0, 0, err
		}
		events += n
	}
	return len(inputs), events, regions.write(filepath.Dir(out))
}

// input is a trace to be merged.
type input struct {
	*ctf.Reader
	kinds       []int   // the numbers of its events in the merged trace
	places      [][]int // the fields of each event that are addresses of code
	regions     *recorded.Regions
	modules     map[int]int // the numbers of its modules in the merged trace
	marks       [2]int64    // when MPI began and ended, in nanoseconds; 0 if unknown
	shift       int64
	stretch     float64
	stretchFrom int64
}

// find opens the traces in a folder and its subfolders.
func find(dir string) ([]*input, error) {
	var list []*input
	err := filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() || d.Name() != "metadata" {
			return err
		}
		r, err := ctf.Open(filepath.Dir(path))
		if err != nil {
			return err
		}
		in := &input{Reader: r, stretch: 1, regions: recorded.ReadRegions(filepath.Dir(r.Dir))}
		list = append(list, in)
		return in.look()
	})
	switch {
	case errors.Is(err, fs.ErrNotExist):
		err = &ctf.NoTrace{Path: dir, Why: "there is no such folder"}
	case err == nil && len(list) == 0:
		err = &ctf.NoTrace{Path: dir, Why: "there is no file `metadata` in it or below"}
	}
	return list, err
}

// look finds the times when MPI began and ended. If a trace has several ranks, the latest times count: no rank
// leaves MPI_Init or MPI_Finalize before the last has arrived.
func (in *input) look() error {
	name := eventName(&agent.Records[agent.ClockRecord])
	clock := slices.IndexFunc(in.Kinds, func(k *ctf.Kind) bool { return k.Name == name && len(k.Fields) > 0 })
	if clock < 0 {
		return nil
	}
	for _, stream := range in.Streams {
		for o, err := range in.Events(stream) {
			if err != nil {
				return err
			}
			if o.Event == clock && o.Fields[0].Number < 2 {
				mark := &in.marks[o.Fields[0].Number]
				*mark = max(*mark, in.Clock.Nanoseconds(o.Time))
			}
		}
	}
	return nil
}

// declare adds the events of the trace to the events of the merged one. If different versions wrote an event with
// different fields, both kinds are kept.
func (in *input) declare(merged *ctf.Trace, numbers map[string]int) error {
	in.kinds = make([]int, len(in.Kinds))
	for i, k := range in.Kinds {
		context, ok := asFields(k.Context)
		fields, writable := asFields(k.Fields)
		if !ok || !writable || !slices.Equal(context, contextFields) {
			return fmt.Errorf("the trace in `%s` was not made by `pentode trace record`: its event `%s` has other fields", in.Dir, k.Name)
		}
		key := fmt.Sprint(k.Name, fields)
		number, known := numbers[key]
		if !known {
			number = len(merged.Events)
			numbers[key] = number
			merged.Events = append(merged.Events, ctf.Event{Name: k.Name, Fields: fields, Aside: k.Name == eventName(&agent.Records[agent.BacktraceRecord])})
		}
		in.kinds[i] = number
		in.places = append(in.places, places(k))
	}
	return nil
}

// asFields converts members to fields for writing. ok reports whether all could be converted.
func asFields(members []ctf.Member) (list []ctf.Field, ok bool) {
	for _, m := range members {
		f, ok := m.Field()
		if !ok {
			return nil, false
		}
		list = append(list, f)
	}
	return list, true
}

// align computes the shift and the scale that map the trace's times to the other trace's times.
func (in *input) align(to *input) {
	if in.marks[0] == 0 || to.marks[0] == 0 {
		return
	}
	in.shift, in.stretchFrom = to.marks[0]-in.marks[0], in.marks[0]
	if mine, theirs := in.marks[1]-in.marks[0], to.marks[1]-to.marks[0]; in.marks[1] > 0 && to.marks[1] > 0 && mine > 0 && theirs > 0 {
		in.stretch = float64(theirs) / float64(mine)
	}
}

func (in *input) time(stamp uint64) uint64 {
	t := in.Clock.Nanoseconds(stamp)
	since := t - in.stretchFrom
	if in.stretch != 1 {
		t += int64(float64(since)*in.stretch) - since
	}
	return uint64(max(t+in.shift, 0))
}

// copyTo writes the streams of a trace into another.
func (in *input) copyTo(merged *ctf.Trace, regions *mergedRegions, number int) (int, error) {
	events := 0
	for _, name := range in.Streams {
		var s *ctf.Stream
		for o, err := range in.Events(name) {
			if err == nil && s == nil {
				s, err = merged.Stream(fmt.Sprintf("%s_of_%d", name, number), o.PID, o.TID)
			}
			if err != nil {
				return events, err
			}
			s.Discarded = o.Discarded
			event := in.kinds[o.Event]
			if err := s.Event(event, in.time(o.Time)); err != nil {
				return events, err
			}
			for _, i := range in.places[o.Event] {
				if err = regions.move(in, &o.Fields[i]); err != nil {
					return events, err
				}
			}
			put(s, merged.Context, o.Context)
			put(s, merged.Events[event].Fields, o.Fields)
		}
		if s != nil {
			if err := s.Close(); err != nil {
				return events, err
			}
			events += int(s.Written)
		}
	}
	return events, nil
}

func put(s *ctf.Stream, fields []ctf.Field, values []ctf.Value) {
	for i, f := range fields {
		switch f.Type {
		case ctf.Text:
			s.Text(values[i].Text)
		case ctf.Hexes:
			for _, v := range values[i].List {
				s.Put(ctf.Hex, v.Number)
			}
		default:
			s.Put(f.Type, values[i].Number)
		}
	}
}
