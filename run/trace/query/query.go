// Package query selects executions and events of a recorded trace by a condition.
//
//	text ──Parse──▶ Query ──Run──▶ a line of JSON for each row that meets it
//
//	condition = and { "or" and } .
//	and       = not { "and" not } .
//	not       = "not" not | "(" condition ")" | test .
//	test      = column ( "=" | "!=" | "<" | "<=" | ">" | ">=" | "~" | "!~" ) value
//	          | column "in" value [ "-" value ] { "," value [ "-" value ] } .
//
// A row is an execution, from its begin to its end, or an event that neither begins nor
// ends one. Every column has a type, and a value of another type is an error. A test of a
// column that a row does not have is false.
package query

import (
	"bufio"
	"io"
	"strconv"

	"github.com/pentode-dev/pentode/internal/leaf/jsontext"
	"github.com/pentode-dev/pentode/run/trace/recorded"
)

// Query is a parsed condition.
type Query struct{ root node }

// Run writes a line for each row that meets the condition: thread by thread, in the order
// in which rows ended. It returns the number of rows.
func (q *Query) Run(w io.Writer, t *recorded.Trace) (uint64, error) {
	if n, ok, err := q.held(w, t); ok || err != nil {
		return n, err
	}
	if err := t.Survey(); err != nil { // a later event may give the rank of a row, and another thread may have created its task
		return 0, err
	}
	if n, ok, err := q.apart(w, t); ok || err != nil {
		return n, err
	}
	r := q.run(newWriter(w), t)
	if err := t.Walk(r.handler()); err != nil {
		return r.matches, err
	}
	return r.matches, r.out.Flush()
}

func newWriter(w io.Writer) *bufio.Writer { return bufio.NewWriterSize(w, chunk) }

func (q *Query) run(w *bufio.Writer, t *recorded.Trace) *run {
	return &run{out: w, meets: q.root.compile(), row: row{start: t.Start, titles: map[[2]string]string{}}, quoted: map[string][]byte{}}
}

// run is one walk through a trace, or through the events of a thread.
type run struct {
	out     *bufio.Writer
	meets   func(*row) bool
	row     row
	line    []byte
	quoted  map[string][]byte
	matches uint64
}

func (r *run) handler() recorded.Handler {
	return recorded.Handler{Unordered: true, Sparse: true, Leave: r.leave, Instant: r.instant}
}

func (r *run) leave(t *recorded.Thread, f *recorded.Frame, end int64, whole bool, _ *recorded.Event) error {
	o := &r.row
	o.thread, o.kind, o.region, o.begin, o.ended = t, f.Kind, f.Region, f.Begin, whole
	o.frame, o.event = f, nil
	o.took, o.self = end-f.Begin, end-f.Begin-f.Inside
	return r.judge()
}

func (r *run) instant(e *recorded.Event) error {
	o := &r.row
	o.thread, o.kind, o.region, o.begin, o.ended = e.Thread, e.Kind, e.Region, e.Time, false
	o.frame, o.event = nil, e
	return r.judge()
}

// judge writes the row if it meets the condition.
func (r *run) judge() error {
	if !r.meets(&r.row) {
		return nil
	}
	r.matches++
	b := append(r.line[:0], '{')
	for i := range columns {
		c := &columns[i]
		if c.text != nil {
			if s := c.text(&r.row); s != "" {
				b = append(append(b, c.key...), r.quote(s)...)
				b = append(b, ',')
			}
			continue
		}
		if n, ok := c.number(&r.row); ok {
			b = append(strconv.AppendInt(append(b, c.key...), n, 10), ',')
		}
	}
	b[len(b)-1] = '}' // replaces the last comma; every row has at least one column
	r.line = append(b, '\n')
	_, err := r.out.Write(r.line)
	return err
}

// maxKept is the number of quoted texts to cache: a trace has few names, unless it was made to have many.
const maxKept = 1 << 14

// quote returns a text as JSON.
func (r *run) quote(s string) []byte {
	q, ok := r.quoted[s]
	if !ok {
		q = jsontext.Append(nil, s)
		if len(r.quoted) < maxKept {
			r.quoted[s] = q
		}
	}
	return q
}
