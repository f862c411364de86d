//go:build linux

package collect

import (
	"context"
	"io"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/pentode-dev/pentode/run/trace/agent"
)

// TestGaps: executions that begin in a gap are counted but not recorded. The trace has each thread's report about each stretch,
// and Spent gets it together with the events of the stretch.
func TestGaps(t *testing.T) {
	b := newFaults(t)
	dir, end := filepath.Join(t.TempDir(), "trace"), filepath.Join(t.TempDir(), "end")
	var told []Stretch
	full := 0 // gaps with executions, and with records before and after them
	code, _, err := Run(context.Background(), b.everything(), Program{
		Args: []string{b.program, "until", end}, Library: b.library, Dir: dir, Host: "node", Out: io.Discard, Err: os.Stderr,
		Window: time.Millisecond, Gap: 3 * time.Millisecond, GapEvery: 20 * time.Millisecond,
		Spent: func(_ *Session, _ time.Duration, threads []Spent) {
			for _, s := range threads {
				for _, one := range s.Stretches {
					told = append(told, one)
					if one.Gap && one.Executions > 0 {
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
		t.Fatalf("%d streams, want 1", len(streams))
	}
	next, events, skipped := uint64(0), uint64(0), uint64(0)
	inside := false
	for _, o := range streams[0] {
		switch r := &agent.Records[o.Event]; r.Name {
		case "gap_begin", "gap_end", "gap_beside":
			number, executions, spent := o.Fields[0].Number, o.Fields[1].Number, o.Fields[2].Number
			if was := number&1 == 1; was != inside || was != (r.Name == "gap_end") {
				t.Errorf("%s of %d, want was = %v and was = %v", r.Name, number, inside, (r.Name == "gap_end"))
			}
			if inside {
				skipped += executions
			}
			inside = r.Name == "gap_begin"
			if len(told) > 0 { // the reports about the last stretches are missing
				if want := (Stretch{uint32(number >> 4), uint32(number >> 1 & 7), number&1 == 1, executions, events, time.Duration(spent)}); told[0] != want {
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

// TestUntilNext checks that the stretch stays the same for the time that untilNext returns, and that the next stretch or turn
// begins then.
func TestUntilNext(t *testing.T) {
	const length, every = 10, 250
	for now := time.Duration(every); now < 100*every; now++ {
		until := untilNext(now, length, every)
		if until <= 0 || stretchAt(now, length, every) != stretchAt(now+until-1, length, every) {
			t.Fatalf("at %d: %d until the next stretch, and one begins before", now, until)
		}
		if next := now + until; stretchAt(now, length, every) == stretchAt(next, length, every) && next%every != 0 {
			t.Fatalf("at %d: %d until the next stretch, and none begins then", now, until)
		}
	}
}

// TestStretchAt checks that a turn has four consecutive stretches of equal length, that turns begin at irregular times, and
// that each of the four is the gap in a quarter of all turns.
func TestStretchAt(t *testing.T) {
	const length, every, rounds = 10, 250, 4000
	begins, gaps := map[time.Duration]bool{}, [stretches + 1]int{}
	for round := range time.Duration(rounds) {
		var order []uint32
		long := map[uint32]int{}
		for at := range time.Duration(every) {
			number := stretchAt((round+1)*every+at, length, every)
			if long[number]++; long[number] == 1 {
				order = append(order, number)
			}
			if number>>1&7 == 1 && long[number] == 1 {
				begins[at] = true
			}
		}
		gap := 0
		for i, number := range order[len(order)-stretches-1:] {
			place := (i + 1) % (stretches + 1)
			if number>>turnAt != uint32(round+1) || int(number>>1&7) != place || place > 0 && long[number] != length {
				t.Fatalf("turn %d has %d of %d at %d; want stretch after stretch of %d each, of this turn", round+1, long[number], number, i, length)
			}
			if number&1 == 1 {
				gap += place
			}
		}
		if first := order[0] >> turnAt; gap == 0 || len(order) > stretches+2 || len(order) == stretches+2 && first != uint32(round) {
			t.Fatalf("turn %d: gap %d in %v; want a gap, and at most %d numbers, with that many the first one of the turn before", round+1, gap, order, stretches+2)
		}
		gaps[gap]++
	}
	if len(begins) < every/2 {
		t.Errorf("turns begin at %d places, want at least %v", len(begins), every/2)
	}
	for place := 1; place <= stretches; place++ {
		if n := gaps[place]; n < rounds/5 || n > rounds*3/10 {
			t.Errorf("place %d is the gap %d times of %d, want n at least %v and n at most %v", place, n, rounds, rounds/5, rounds*3/10)
		}
	}
}
