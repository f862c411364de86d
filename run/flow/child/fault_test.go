package child

import (
	"context"
	"fmt"
	"log/slog"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/pentode-dev/pentode/internal/golden"
	"github.com/pentode-dev/pentode/internal/need"
	"github.com/pentode-dev/pentode/run/flow"
	"github.com/pentode-dev/pentode/run/flow/flowtest"
	"github.com/pentode-dev/pentode/run/flow/pipe"
)

// liar is a program that speaks the protocol but breaks it in one way.
func liar(t testing.TB, how string, more ...string) pipe.Config {
	python := need.Python(t)
	script, err := filepath.Abs("testdata/liar.py")
	if err != nil {
		t.Fatal(err)
	}
	return pipe.Set(append([]string{"command", "'" + python + "' -S -E '" + script + "' " + how, "format", "binary"}, more...)...)
}

// TestLies checks that a program which breaks the protocol ends the run with an error that
// describes the mistake.
func TestLies(t *testing.T) {
	need.Slow(t)
	for how, want := range map[string]string{
		"shape":    "an array of 1000 × 1000 float64 needs more than the 8 bytes that were sent with it",
		"huge":     "an array is larger than",
		"strides":  "an array's steps in memory must be positive",
		"outside":  "lies outside the shared memory",
		"overflow": "lies outside the shared memory",
		"channels": "is not an image: expected height, width and 1 to 4 channels",
		"release":  "it releases block 77 of the shared memory, which the program does not have",
		"many":     "200 steps, but 1 were requested",
		"none":     "0 steps, but 1 were requested",
		"kind":     "unknown kind 99 of a value",
		"deep":     "more than 64 levels",
		"count":    "more than 4194304 data in one answer",
		"short":    "it ends too early",
		"frame":    "sent a frame of the unknown kind `?`",
		"length":   "claims to have 2147483648 bytes",
		"text":     "a text is not UTF-8",
		"torn":     "ended before its input did",
		"hang":     "did not answer within 200ms",
		"stay":     "",
		"ok":       "",
	} {
		t.Run(how, func(t *testing.T) {
			config := liar(t, how)
			if how == "hang" {
				config = liar(t, how, "timeout", "0.2")
			}
			_, err := flowtest.Feed(execType(), config, flowtest.Data{"n": ints(1, 2, 3)}, []string{"out"}, 3, flow.Options{})
			if (err == nil) != (want == "") || err != nil && !strings.Contains(err.Error(), want) {
				t.Errorf("have %v\nwant %s", err, want)
			}
		})
	}
}

// TestDiesBetweenSteps checks that the error of a program which ended says how many steps it has
// not answered.
func TestDiesBetweenSteps(t *testing.T) {
	rest := filepath.Join(t.TempDir(), "rest")
	p := flow.New(pipe.NewRegistry(execType(), endlessType(), dropType()))
	p.AddProcess("n", "endless", nil)
	p.AddProcess("e", "exec", liar(t, "partly '"+rest+"'"))
	p.AddProcess("d", "drop", nil)
	p.Connect("n.number", "e.n")
	p.Connect("e.out", "d.value")
	ctx, cancel := context.WithTimeout(t.Context(), golden.Patience)
	defer cancel()
	r, err := p.Start(ctx, flow.Options{})
	if err != nil {
		t.Fatal(err)
	}
	err = r.Wait()
	want, _ := os.ReadFile(rest)
	if err == nil || len(want) == 0 || !strings.Contains(err.Error(), "ended before its input did") || !strings.Contains(err.Error(), string(want)) {
		t.Errorf("have %v, want %s", err, want)
	}
}

// TestSealed checks that a program cannot shrink the shared memory, which would crash the
// pipeline, and cannot write to memory that it may only read.
func TestSealed(t *testing.T) {
	for how, want := range map[string]string{
		"truncate": "it cannot be made smaller: Operation not permitted", "write": "it cannot be written to: Permission denied", "prattle": "more noise",
	} {
		var log golden.Buffer
		_, err := flowtest.Feed(execType(), liar(t, how), flowtest.Data{"n": ints(1)}, []string{"out"}, 3, flow.Options{Log: slog.New(slog.NewTextHandler(&log, nil))})
		if err != nil || !strings.Contains(log.String(), want) {
			t.Errorf("%s: %v, and the log is %.500s", how, err, log.String())
		}
	}
}

// TestNothingIsLeft checks that no descriptors, processes or memory are left after a run, however
// it ends.
func TestNothingIsLeft(t *testing.T) {
	need.Slow(t)
	rounds := 24 // a leak occurs in every round
	if need.FullSize() {
		rounds = 300
	}
	liar(t, "")
	before := left(t)
	for i := range rounds {
		how := []string{"ok", "hang", "torn", "shape"}[i%4]
		p := flow.New(pipe.NewRegistry(execType(), endlessType(), dropType()))
		p.AddProcess("n", "endless", nil)
		p.AddProcess("e", "exec", liar(t, how))
		p.AddProcess("d", "drop", nil)
		p.Connect("n.number", "e.n")
		p.Connect("e.out", "d.value")
		r, err := p.Start(context.Background(), flow.Options{})
		if err != nil {
			t.Fatal(err)
		}
		if i%8 < 4 {
			r.Stop()
		}
		if how == "hang" || how == "ok" {
			r.Abort()
		}
		r.Wait()
	}
	golden.Until(t, fmt.Sprintf("no more is left than %+v", before), func() bool {
		after := left(t)
		return after.descriptors <= before.descriptors && after.children <= before.children && after.memories <= before.memories
	})
}

// remains counts what runs have left in this process.
type remains struct{ descriptors, children, memories int }

// left counts the descriptors, children and memories of this process.
func left(t *testing.T) remains {
	count := func(pattern string) int {
		list, err := filepath.Glob(pattern)
		if err != nil {
			t.Fatal(err)
		}
		return len(list)
	}
	children := 0
	tasks, _ := filepath.Glob("/proc/self/task/*/children")
	for _, task := range tasks {
		text, _ := os.ReadFile(task)
		children += len(strings.Fields(string(text)))
	}
	maps, _ := os.ReadFile("/proc/self/maps")
	return remains{count("/proc/self/fd/*"), children, strings.Count(string(maps), "memfd:pentode")}
}

// TestArena checks that blocks never overlap, and that a released block is used again.
func TestArena(t *testing.T) {
	a := newArena(make([]byte, 64*page))
	type block struct {
		id     uint32
		offset uint64
		size   int
	}
	var held []block
	for i := range 10000 {
		size := 1 + (i*7919)%(5*page)
		buf, id, offset, ok := a.Take(size)
		if ok {
			if len(buf) != size {
				t.Fatalf("have %d bytes, want %d", len(buf), size)
			}
			for _, b := range held {
				if offset < b.offset+uint64(b.size) && b.offset < offset+uint64(size) {
					t.Fatalf("%d at %d overlaps %v, want it apart", size, offset, b)
				}
			}
			held = append(held, block{id, offset, size})
		}
		if !ok || i%3 == 0 {
			k := i % len(held)
			if !a.release(held[k].id) || a.release(held[k].id) {
				t.Fatal("a block is released once")
			}
			held = append(held[:k], held[k+1:]...)
		}
	}
	for _, b := range held {
		a.release(b.id)
	}
	if _, _, _, ok := a.Take(64 * page); !ok {
		t.Error("the whole memory is free again, and cannot be had")
	}
}
