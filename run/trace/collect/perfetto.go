package collect

import (
	"bufio"
	"encoding/json"
	"fmt"
	"io"
	"strings"

	"github.com/pentode-dev/pentode/run/trace/agent"
	"github.com/pentode-dev/pentode/run/trace/ctf"
)

// Perfetto writes a trace as the JSON that Perfetto and chrome://tracing show.
// A pair of events is a slice of its thread, every other event an instant. Times
// count from zero, a time of day in nanoseconds since the epoch. name says where an
// address is, or returns nothing.
func Perfetto(w io.Writer, dir string, zero int64, name func(address uint64) string) error {
	r, err := ctf.Open(dir)
	if err != nil {
		return err
	}
	out := bufio.NewWriter(w)
	out.WriteString("{\"traceEvents\":[\n")
	separator := ""
	write := func(e any) error {
		text, err := json.Marshal(e)
		if err == nil {
			out.WriteString(separator)
			out.Write(text)
			separator = ",\n"
		}
		return err
	}
	for _, e := range names(r) {
		if err := write(e); err != nil {
			return err
		}
	}
	for _, stream := range r.Streams {
		for o, err := range r.Events(stream) {
			if err != nil {
				return err
			}
			kind := r.Kinds[o.Event]
			provider, event, _ := strings.Cut(kind.Name, ":")
			user := provider == agent.User.Provider()
			if user && !strings.HasPrefix(event, "region_") {
				continue // what the collector needs
			}
			e := perfettoEvent{
				Name: event, Category: provider, Phase: "i", PID: o.PID, TID: o.TID,
				Time: float64(r.Clock.Nanoseconds(o.Time)-zero) / 1e3, Args: map[string]any{"mpirank": o.Context[2].Number},
			}
			if begun, ok := strings.CutSuffix(event, "_begin"); ok {
				e.Name, e.Phase = begun, "B"
			} else if ended, ok := strings.CutSuffix(event, "_end"); ok {
				e.Name, e.Phase = ended, "E"
			}
			for i := range kind.Fields {
				f := &kind.Fields[i]
				if f.Name == "function" {
					e.Name = o.Fields[i].Text // of MPI_other
				}
				e.Args[f.Name] = argument(f, o.Fields[i])
				if i == 0 && f.Form == ctf.Address {
					if place := name(o.Fields[i].Number); place != "" {
						e.Args["place"] = place
					}
				}
			}
			if user {
				e.Name = o.Fields[0].Text
			}
			if err := write(e); err != nil {
				return err
			}
		}
	}
	out.WriteString("\n]}\n")
	return out.Flush()
}

// names are the events that name threads and, where a trace has several of them,
// the processes.
func names(r *ctf.Reader) (list []perfettoName) {
	var first []ctf.Occurrence // of each stream, which is one thread
	several := false
	for _, stream := range r.Streams {
		for o, err := range r.Events(stream) {
			if err == nil {
				several = several || len(first) > 0 && o.PID != first[0].PID
				first = append(first, o.Clone())
			}
			break
		}
	}
	known := map[uint32]bool{}
	add := func(kind, name string, o ctf.Occurrence, tid uint32) {
		list = append(list, perfettoName{kind, "M", o.PID, tid, map[string]string{"name": name}})
	}
	for _, o := range first {
		if several && !known[o.PID] {
			known[o.PID] = true
			add("process_name", fmt.Sprintf("MPI rank %d", o.Context[2].Number), o, 0)
		}
		add("thread_name", fmt.Sprintf("thread %d", o.Context[3].Number), o, o.TID)
	}
	return list
}

// perfettoName names a process or a thread.
type perfettoName struct {
	Kind  string            `json:"name"`
	Phase string            `json:"ph"`
	PID   uint32            `json:"pid"`
	TID   uint32            `json:"tid"`
	Args  map[string]string `json:"args"`
}

func argument(f *ctf.Member, v ctf.Value) any {
	switch f.Form {
	case ctf.String:
		return v.Text
	case ctf.Address:
		return fmt.Sprintf("%#x", v.Number)
	case ctf.Signed:
		return int64(v.Number)
	}
	return v.Number
}

// perfettoEvent is one event as its format has it.
type perfettoEvent struct {
	Name     string         `json:"name"`
	Category string         `json:"cat"`
	Phase    string         `json:"ph"`
	Time     float64        `json:"ts"` // microseconds
	PID      uint32         `json:"pid"`
	TID      uint32         `json:"tid"`
	Args     map[string]any `json:"args"`
}
