package export

import (
	"fmt"
	"io"
	"maps"
	"slices"

	"github.com/pentode-dev/pentode/run/trace/recorded"
)

// folded writes a line for each stack of frames: their names, and the nanoseconds in the last frame alone.
func folded(w io.Writer, t *recorded.Trace) ([]string, error) {
	total, leftOut, err := stacks(t)
	if err != nil {
		return nil, err
	}
	out := newWriter(w)
	for _, path := range slices.Sorted(maps.Keys(total)) {
		fmt.Fprintf(out, "%s %d\n", path, total[path])
	}
	return leftOut, out.Flush()
}

// stacks returns the nanoseconds in the last frame of each stack alone, by the names of its process,
// thread and frames. leftOut lists what stacks cannot represent.
func stacks(t *recorded.Trace) (total map[string]int64, leftOut []string, err error) {
	if err := t.Survey(); err != nil {
		return nil, nil, err
	}
	total = map[string]int64{}
	paths := map[*recorded.Thread][]string{} // the open frames of a thread
	instants := 0
	err = t.Walk(recorded.Handler{
		Unordered: true,
		Enter: func(e *recorded.Event, f *recorded.Frame) error {
			stack := paths[e.Thread]
			path := ""
			if len(stack) > 0 {
				path = stack[len(stack)-1]
			} else {
				path = oneLine(e.Thread.Process.Name(), ";") + ";" + oneLine(e.Thread.Name(), ";")
			}
			for _, call := range f.Via {
				path += ";" + oneLine(call.Caller(), ";")
			}
			paths[e.Thread] = append(stack, path+";"+oneLine(f.Name, ";"))
			return nil
		},
		Leave: func(th *recorded.Thread, f *recorded.Frame, end int64, _ bool, _ *recorded.Event) error {
			stack := paths[th]
			total[stack[len(stack)-1]] += end - f.Begin - f.Inside
			paths[th] = stack[:len(stack)-1]
			return nil
		},
		Instant: func(*recorded.Event) error { instants++; return nil },
	})
	return total, append(addLeftOut(nil, instants, "event that is no slice", "events that are no slices"), "the times at which anything was"), err
}
