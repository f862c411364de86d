package query

import (
	"bytes"
	"errors"
	"strings"
	"sync/atomic"
	"testing"
)

// threads returns a trace of several threads with many rows.
func threads() string {
	var b strings.Builder
	for _, thread := range []string{"0", "1", "2"} {
		b.WriteString("rank 2 thread " + thread + "\n")
		for range 2000 {
			b.WriteString("1us region_begin name=step" + thread + "\n2us region_end name=step" + thread + "\n")
		}
	}
	return b.String()
}

// All ways of reading a trace give the same lines.
func TestWays(t *testing.T) {
	q, err := Parse(`dur >= 0ns`)
	if err != nil {
		t.Fatal(err)
	}
	trace := open(t, threads())
	var one, held, apart bytes.Buffer
	if err := trace.Survey(); err != nil {
		t.Fatal(err)
	}
	serial := q.run(newWriter(&one), trace)
	if err := errors.Join(trace.Walk(serial.handler()), serial.out.Flush()); err != nil || serial.matches != 6000 {
		t.Fatal(serial.matches, err)
	}
	for name, way := range map[string]func() (uint64, bool, error){
		"held":  func() (uint64, bool, error) { return q.held(&held, trace) },
		"apart": func() (uint64, bool, error) { return q.apart(&apart, trace) },
	} {
		if n, ok, err := way(); n != 6000 || !ok || err != nil {
			t.Errorf("%s: %d rows, %t, %v", name, n, ok, err)
		}
	}
	if held.String() != one.String() || apart.String() != one.String() {
		t.Errorf("%d bytes of lines, held back %d, apart %d; want the same lines", one.Len(), held.Len(), apart.Len())
	}
}

// Reading ends when the caller wants no more lines, and only a limited number of lines is held
// back.
func TestUnwanted(t *testing.T) {
	q, err := Parse(`dur >= 0ns`)
	if err != nil {
		t.Fatal(err)
	}
	if _, _, err := q.apart(full{}, open(t, threads())); !errors.Is(err, errFull) {
		t.Errorf("apart: %v", err)
	}
	if _, err := q.Run(full{}, open(t, threads())); !errors.Is(err, errFull) {
		t.Errorf("held back: %v", err)
	}
	var total atomic.Int64
	h := &holder{total: &total}
	if _, err := h.Write(make([]byte, maxHeld)); err != nil {
		t.Error(err)
	}
	if _, err := h.Write([]byte("x")); !errors.Is(err, errTooMany) {
		t.Errorf("more: %v", err)
	}
}

var errFull = errors.New("full")

// full is a full disk.
type full struct{}

func (full) Write([]byte) (int, error) { return 0, errFull }
