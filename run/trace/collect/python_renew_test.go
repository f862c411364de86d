//go:build linux

package collect

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/pentode-dev/pentode/internal/golden"
	"github.com/pentode-dev/pentode/internal/need"
	"github.com/pentode-dev/pentode/run/trace"
	"github.com/pentode-dev/pentode/run/trace/agent"
)

// onlySection returns a configuration that traces one function, at most traces times.
func onlySection(name string, traces uint32) *trace.Config {
	c := pythonConfig("none")
	c.Regions = []trace.RegionEntry{{Match: trace.Match{Name: name}, RegionLayer: trace.RegionLayer{Rate: trace.RateLayer{Max: trace.Number{Value: traces, Set: true}}}}}
	return c
}

// From 3.12 on, Python stops reporting a function when no rule can select it: after it was traced as often
// as allowed on the live threads, or at once if neither a section nor a module selects it.
func TestPythonExhausted(t *testing.T) {
	b, interpreters := newPython(t)
	script := pythonScript(t, `
import os, threading, time

def called():
    pass

def ignored():
    pass

def worker():
    for _ in range(1000):
        ignored()

for _ in range(1000):
    called()
t = threading.Thread(target=worker)
t.start()
t.join()
while len(os.listdir("/proc/self/task")) > 1:
    time.sleep(0.001)
for _ in range(1000):
    called()
`)
	for _, interpreter := range interpreters {
		want := map[string]int{"called": 2000, "ignored": 1000}
		if has(interpreter, "import sys; sys.monitoring") {
			want = map[string]int{"called": 10 + 1 + 1, "ignored": 1} // a new thread may select functions, so all are reported again
		}
		dir, _, _ := b.python(onlySection("called", 10), func(o *Options) { o.Audit = true }, interpreter, script)
		streams := b.read(dir)
		got := map[string]int{}
		for name, line := range map[string]int{"called": 4, "ignored": 7} {
			region := trace.NameHash(fmt.Sprintf("%s:%d:%s", script, line, name))
			for _, stream := range streams {
				for _, o := range stream {
					if o.Event == agent.AuditRecord && o.Fields[auditStep].Number == stepBegin && o.Fields[auditRegion].Number == region {
						got[name]++
					}
				}
			}
		}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("%s: %s; want nothing", interpreter, diff)
		}
		if n := counted(pythonEvents(streams))["calls called"]; n != 10 {
			t.Errorf("%s: traced %d times, want 10", interpreter, n)
		}
	}
}

// The child of a fork counts from 0, and gets reports about functions that its parent had exhausted.
func TestPythonForkExhausted(t *testing.T) {
	b, interpreters := newPython(t)
	script := pythonScript(t, `
import os

def called():
    pass

def rounds():
    for _ in range(10):
        called()

rounds()
if os.fork() == 0:
    rounds()
    if os.fork() == 0:
        rounds()
        os._exit(0)
    os.wait()
    os._exit(0)
os.wait()
`)
	for _, interpreter := range interpreters {
		dir, _, _ := b.python(onlySection("called", 3), nil, interpreter, script)
		if n := counted(pythonEvents(b.read(dir)))["calls called"]; n != 3*3 {
			t.Errorf("%s: %d calls are in the trace of three processes, want 3 of each", interpreter, n)
		}
	}
}

// After a reload, two kinds of programs trace functions again: programs whose functions were exhausted and no longer reported, and
// programs in which Python was in standby. Functions of newly selected modules are traced, too.
func TestPythonReload(t *testing.T) {
	need.Slow(t)
	b, interpreters := newPython(t)
	script := pythonScript(t, `
import os, sys

def called():
    pass

def asked():
    pass

asked()
print("ready", flush=True)
while True:
    called()
    try:
        os.stat(sys.argv[1])
        break
    except FileNotFoundError:
        pass
for _ in range(20):
    called()
    asked()
`)
	compile := func(c *trace.Config) Options {
		p, err := trace.Compile(b.catalog, c)
		if err != nil {
			t.Fatal(err)
		}
		o := b.options(p)
		o.Audit = false
		return o
	}
	second := onlySection("called", 8)
	second.Domains = pythonConfig("__main__").Domains
	after := compile(second)
	for how, before := range map[string]Options{
		"exhausted": compile(onlySection("called", 3)),
		"asleep":    compile(&trace.Config{Domains: map[string]trace.DomainLayer{trace.Python: {Mode: trace.Standby}}}),
	} {
		for _, interpreter := range interpreters {
			dir, goOn := filepath.Join(t.TempDir(), "trace"), filepath.Join(t.TempDir(), "go on")
			var out, errs golden.Buffer
			code, _, err := Run(context.Background(), before, Program{
				Args: []string{interpreter, script, goOn}, Library: b.library, Dir: dir, Host: "node", Out: &out, Err: &errs,
				Started: func(s *Session) func() {
					stop, stopped := make(chan struct{}), make(chan struct{})
					until := func(holds func() bool) {
						for begun := time.Now(); !holds() && time.Since(begun) < golden.Patience; {
							select {
							case <-stop:
								return
							case <-time.After(time.Millisecond):
							}
						}
					}
					go func() {
						defer close(stopped)
						until(func() bool { return strings.Contains(out.String(), "ready") })
						if err := s.Publish(after.Policy, after.Table); err != nil {
							t.Error(err)
						}
						until(func() bool {
							heard := s.word(processAt(0) + processHeard).Load()
							return heard == 0 || heard == s.word(processAt(0)+processGeneration).Load()
						})
						if err := os.WriteFile(goOn, nil, 0o600); err != nil {
							t.Error(err)
						}
					}()
					return func() { close(stop); <-stopped }
				},
			})
			if err != nil || code != 0 {
				t.Fatalf("%s ended with %d, %v: %s", interpreter, code, err, errs.String())
			}
			if got := counted(pythonEvents(b.read(dir))); got["calls called"] != 8 || got["calls asked"] != 20 {
				t.Errorf("%s, %s: called is in the trace %d times, want 8; asked %d times, want 20", interpreter, how, got["calls called"], got["calls asked"])
			}
		}
	}
}
