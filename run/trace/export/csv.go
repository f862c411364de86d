package export

import (
	"encoding/csv"
	"io"
	"strconv"

	"github.com/pentode-dev/pentode/run/trace/recorded"
)

// table writes a row for each event, sorted by time. The last column has the members of the event as JSON.
func table(w io.Writer, t *recorded.Trace) ([]string, error) {
	if err := t.Survey(); err != nil {
		return nil, err
	}
	out := csv.NewWriter(w)
	row := []string{"time_ns", "host", "pid", "tid", "rank", "thread", "event", "place", "fields"}
	if err := out.Write(row); err != nil {
		return nil, err
	}
	known := func(n int) string {
		if n < 0 {
			return ""
		}
		return strconv.Itoa(n)
	}
	var fields []byte
	err := t.Walk(recorded.Handler{Any: func(e *recorded.Event) error {
		if e.Kind.Phase == recorded.Internal {
			return nil
		}
		fields = append(object(append(fields[:0], '{'), e.Kind.Fields, e.Fields), '}')
		row = append(row[:0], strconv.FormatInt(e.Time-t.Start, 10), e.Thread.Host, strconv.Itoa(int(e.Thread.PID)), strconv.Itoa(int(e.Thread.TID)),
			known(e.Thread.Rank), known(e.Thread.Number), e.Kind.Name, e.Region.Where(), string(fields))
		return out.Write(row)
	}})
	if err != nil {
		return nil, err
	}
	out.Flush()
	return nil, out.Error()
}
