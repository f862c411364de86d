//go:build linux

package collect

import (
	"io"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/pentode-dev/pentode/run/trace/agent"
)

// TestGaps: in a gap no execution that begins is recorded, and all are counted; what a thread says of each stretch is in the
// trace, and with the events of the stretch in what is told of the thread.
func TestGaps(t *testing.T) {
	b := newFaults(t)
	dir, end := filepath.Join(t.TempDir(), "trace"), filepath.Join(t.TempDir(), "end")
	var told []Stretch
	full := 0 // gaps with executions, and something recorded between them
	code, _, err := Run(b.everything(), Program{
		Args: []string{b.program, "until", end}, Library: b.library, Dir: dir, Host: "node", Out: io.Discard, Err: os.Stderr,
		Window: time.Millisecond, Gap: 5 * time.Millisecond, GapEvery: 20 * time.Millisecond,
		Spent: func(_ *Session, _ time.Duration, threads []Spent) {
			for _, s := range threads {
				for _, one := range s.Stretches {
					told = append(told, one)
					if one.Number&1 == 1 && one.Executions > 0 {
						full++
					}
				}
			}
			if full > 2 {
				if err := os.WriteFile(end, nil, 0o600); err != nil {
					t.Error(err)
				}
			}
		},
	})
	if err != nil || code != 0 || full < 3 {
		t.Fatalf("%d, %v, %d gaps", code, err, full)
	}
	streams := b.read(dir)
	if len(streams) != 1 {
		t.Fatalf("%d streams", len(streams))
	}
	next, events, skipped := uint64(0), uint64(0), uint64(0)
	inside := false
	for _, o := range streams[0] {
		switch r := &agent.Records[o.Event]; r.Name {
		case "gap_begin", "gap_end":
			number, executions, spent := o.Fields[0].Number, o.Fields[1].Number, o.Fields[2].Number
			if inside = r.Name == "gap_begin"; inside != (number&1 == 0) {
				t.Errorf("%s of %d", r.Name, number)
			}
			if !inside {
				skipped += executions
			}
			if len(told) > 0 { // the last ones are told to nobody
				if want := (Stretch{uint32(number), executions, events, time.Duration(spent)}); told[0] != want {
					t.Errorf("%+v was told, want %+v", told[0], want)
				}
				told = told[1:]
			}
			events = 0
			continue
		case "region_begin":
			if o.Fields[0].Text != "work" {
				break
			}
			if number := o.Fields[1].Number; number != next+skipped || inside {
				t.Errorf("execution %d comes after %d and %d in a gap, and in a gap: %v", number, next, skipped, inside)
			}
			next, skipped = o.Fields[1].Number+1, 0
		}
		events++
	}
	if len(told) > 0 {
		t.Errorf("told, and not in the trace: %+v", told)
	}
}

// TestInGap: gaps are as long as they are to be, one each time, and not at regular times.
func TestInGap(t *testing.T) {
	const length, every, rounds = 10, 250, 1000
	begins := map[time.Duration]bool{}
	for round := range time.Duration(rounds) {
		in, changes, was := 0, 0, false
		for at := range time.Duration(every) {
			now := inGap(round*every+at, length, every)
			if now {
				in++
			}
			if now && !was {
				begins[at] = true
			}
			if now != was {
				changes++
			}
			was = now
		}
		if in != length || changes != 2 || was {
			t.Fatalf("round %d has %d in gaps, and %d changes", round, in, changes)
		}
	}
	if len(begins) < every/2 {
		t.Errorf("gaps begin at %d places", len(begins))
	}
}
