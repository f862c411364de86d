//go:build linux

package collect

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"golang.org/x/sys/unix"

	"github.com/pentode-dev/pentode/internal/golden"
	"github.com/pentode-dev/pentode/internal/need"
	"github.com/pentode-dev/pentode/run/trace"
	"github.com/pentode-dev/pentode/run/trace/layout"
)

func TestFaults(t *testing.T) {
	need.Slow(t)
	b := newFaults(t)
	threads, crowd := 200, 100
	if need.Full() {
		threads, crowd = 2000, 2000
	}
	for _, c := range []struct {
		kind   string
		count  int // passed to the program
		code   int
		begins int // regions that begin in the trace; -1: any number
	}{
		{"some", 10, 0, 10},
		{"kill", 0, 128 + int(syscall.SIGKILL), 1000},
		{"threads", threads, 0, 10 * threads},
		{"fork", 0, 0, 30},
		{"exec", 0, 0, 20},
		{"crowd", crowd, 0, 10 * crowd},
		{"scribble", 0, 0, -1},
	} {
		t.Run(c.kind, func(t *testing.T) {
			readable := babeltrace(t)
			code, dir, counts := b.collect(b.everything(), c.kind, strconv.Itoa(c.count))
			if code != c.code {
				t.Errorf("the program ended with %d, want %d", code, c.code)
			}
			if c.begins < 0 {
				if counts.Damaged == 0 {
					t.Error("nobody noticed that the rings were written over")
				}
				return
			}
			if got := count(b.read(dir))["region_begin"]; got != c.begins || counts.Dropped+counts.Damaged != 0 {
				t.Errorf("%d regions began, want %d; %+v", got, c.begins, counts)
			}
			readable(dir)
		})
	}
}

// With a ring of one page, events are lost and counted, or the program waits, depending on the options.
func TestSmallRing(t *testing.T) {
	need.Slow(t)
	b := newFaults(t)
	o := b.everything()
	o.RingBytes = os.Getpagesize()
	const regions = 200_000
	_, dir, counts := b.collect(o, "some", "200000")
	if got := count(b.read(dir)); counts.Dropped == 0 || uint64(got["region_begin"]+got["region_end"])+counts.Dropped < 2*regions {
		t.Errorf("%d and %d in the trace and %d dropped of %d, want counts.Dropped other than 0 and uint64(got[\"region_begin\"]+got[\"region_end\"]) + counts.Dropped at least %v", got["region_begin"], got["region_end"], counts.Dropped, 2*regions, 2*regions)
	}
	o.Wait = true
	_, dir, counts = b.collect(o, "some", "20000")
	if got := count(b.read(dir)); counts.Dropped != 0 || got["region_begin"] != 20000 {
		t.Errorf("%d in the trace and %d dropped, although the program waits; want counts.Dropped = 0 and got[\"region_begin\"] = 20000", got["region_begin"], counts.Dropped)
	}
}

// If there are more threads than rings, or no memory for rings, some threads are not traced, and are counted.
func TestRefusedThreads(t *testing.T) {
	need.Slow(t)
	b := newFaults(t)
	o := b.everything()
	o.RingBytes = os.Getpagesize()
	code, dir, counts := b.collect(o, "crowd", strconv.Itoa(layout.MaxSlots+100))
	if got := count(b.read(dir))["region_begin"]; code != 0 || counts.Refused == 0 || got != 10*int(layout.MaxSlots+100-counts.Refused) {
		t.Errorf("ended with %d; %d regions began, %d threads refused", code, got, counts.Refused)
	}
}

// A full /dev/shm is detected when a ring is claimed, not by a signal at the first record.
func TestFullMemory(t *testing.T) {
	b := newFaults(t)
	b.compile("faults.c", "gcc", "-DMEMORY=3", "-rdynamic", "-lpthread")
	code, dir, counts := b.collect(b.everything(), "threads", "10")
	if got := count(b.read(dir))["region_begin"]; code != 0 || got != 30 || counts.Refused != 7 {
		t.Errorf("ended with %d; %d regions of 3 threads began, want 30; %d threads refused, want 7", code, got, counts.Refused)
	}
}

// If the disk is full (here: a limit on file sizes), the program continues, unwritten
// events are counted, and the rest of the trace can be read. The limit would affect the
// output of `go test` too, so the test runs in another process.
func TestFullDisk(t *testing.T) {
	if !need.Child(t) {
		return
	}
	b, readable := newFaults(t), babeltrace(t)
	o := b.everything()
	o.Wait = true
	var old unix.Rlimit
	if err := unix.Getrlimit(unix.RLIMIT_FSIZE, &old); err != nil {
		t.Fatal(err)
	}
	defer unix.Setrlimit(unix.RLIMIT_FSIZE, &old)
	dir := filepath.Join(t.TempDir(), "trace")
	code, c, err := Run(context.Background(), o, Program{
		Args: []string{b.program, "some", "50000"}, Library: b.library, Dir: dir, Host: "node", Out: io.Discard, Err: os.Stderr,
		Started: func(*Session) func() {
			if err := unix.Setrlimit(unix.RLIMIT_FSIZE, &unix.Rlimit{Cur: 1 << 20, Max: old.Max}); err != nil {
				t.Error(err)
			}
			return func() {}
		},
	})
	if code != 0 || err == nil || !strings.Contains(err.Error(), "cannot be written") {
		t.Errorf("ended with %d, %v", code, err)
	}
	got := count(b.read(dir))
	if n := uint64(got["region_begin"] + got["region_end"]); n == 0 || n != c.Counts.Events || n+c.Counts.Unwritten != 100_000 {
		t.Errorf("%d events in the trace, %d counted, %d unwritten, of 100000; want n other than 0, n = %v and n + c.Counts.Unwritten = 100_000", n, c.Counts.Events, c.Counts.Unwritten, c.Counts.Events)
	}
	readable(dir)
}

// A program killed at any moment leaves a readable trace.
func TestKilledAnywhere(t *testing.T) {
	need.Slow(t)
	b, readable := newFaults(t), babeltrace(t)
	kills := 5
	if need.Full() {
		kills = 12
	}
	for i := range kills {
		o := b.everything()
		o.Wait = i%2 == 0
		dir := filepath.Join(t.TempDir(), "trace")
		code, c, err := Run(context.Background(), o, Program{
			Args:    []string{"timeout", "--preserve-status", "-s", "KILL", fmt.Sprintf("%.4f", 0.01+0.0017*float64(i)), b.program, "forever"},
			Library: b.library, Dir: dir, Host: "node", Out: io.Discard, Err: os.Stderr,
		})
		if code != 128+int(syscall.SIGKILL) || err != nil || c.Counts.Damaged != 0 {
			t.Fatalf("kill %d: ended with %d, %v, %+v", i, code, err, c.Counts)
		}
		b.read(dir)
		readable(dir)
	}
}

// TestContextEnds: when the context ends, the program is ended, and its trace is complete.
func TestContextEnds(t *testing.T) {
	b := newTestBed(t, "")
	dir := filepath.Join(t.TempDir(), "trace")
	ctx, end := context.WithCancel(t.Context())
	code, _, err := Run(ctx, b.everything(), Program{
		Args: []string{b.program, "until", filepath.Join(t.TempDir(), "never")}, Library: b.library, Dir: dir, Host: "node", Out: io.Discard, Err: os.Stderr,
		Started: func(*Session) func() { end(); return func() {} },
	})
	if err != nil || code != 128+int(syscall.SIGTERM) {
		t.Errorf("the program ended with %d, %v; want %d and no error", code, err, 128+int(syscall.SIGTERM))
	}
	b.read(dir)
	if _, _, err := Run(ctx, b.everything(), Program{Args: []string{b.program}, Library: b.library, Dir: dir}); !errors.Is(err, context.Canceled) {
		t.Errorf("a program is started after the end of the context: %v", err)
	}
}

// A trace can be read while it grows, and never gets shorter.
func TestGrowing(t *testing.T) {
	need.Slow(t)
	b, readable := newFaults(t), babeltrace(t)
	stop := filepath.Join(t.TempDir(), "stop")
	dir := filepath.Join(t.TempDir(), "trace")
	code, c, err := Run(context.Background(), b.everything(), Program{
		Args: []string{b.program, "until", stop}, Library: b.library, Dir: dir, Host: "node", Out: io.Discard, Err: os.Stderr, Flush: 5 * time.Millisecond,
		Started: func(*Session) func() {
			done := make(chan struct{})
			go func() {
				defer close(done)
				seen, reads := 0, 0
				_ = golden.Comes(func() bool { // on a busy machine the trace may be seen growing fewer times
					n := count(b.read(dir))["region_begin"]
					if n < seen {
						t.Errorf("the trace had %d regions, and then %d; want at least %v", seen, n, seen)
					}
					if n > seen {
						if reads++; reads%20 == 0 {
							readable(dir)
						}
					}
					seen = n
					return reads == 40 || t.Failed()
				})
				if seen == 0 {
					t.Error("nothing was in the trace before the program ended")
				}
				if err := os.WriteFile(stop, nil, 0o600); err != nil {
					t.Error(err)
				}
			}()
			return func() { <-done }
		},
	})
	if code != 0 || err != nil || c.Counts.Events != uint64(2*(count(b.read(dir))["region_begin"])) {
		t.Errorf("ended with %d, %v, %+v", code, err, c.Counts)
	}
}

// Without a flush interval, an event waits for others; with one it does not.
func TestFlush(t *testing.T) {
	for _, every := range []time.Duration{0, time.Nanosecond} {
		h := newFakeAgent(t, 4096)
		h.collector.every = every
		h.begin(3, 2, uint32(os.Getpid()), 8, 9, 1)
		h.put(3, eventRecord(kind("region_begin"), 5, 0, 1))
		h.collector.Drain()
		if got, want := len(h.read(h.dir)[0]), map[bool]int{false: 0, true: 1}[every > 0]; got != want {
			t.Errorf("flushed every %v: %d events on the disk, want %d", every, got, want)
		}
	}
}

// Two collectors at the same time trace their own programs, and do not remove each other's memory.
func TestTwoCollectors(t *testing.T) {
	b := newFaults(t)
	var group sync.WaitGroup
	for i := range 4 {
		group.Go(func() {
			dir := filepath.Join(t.TempDir(), "trace")
			regions := 10 + i
			code, c, err := Run(context.Background(), b.everything(), Program{
				Args: []string{b.program, "some", strconv.Itoa(regions)}, Library: b.library, Dir: dir, Host: "node", Out: io.Discard, Err: os.Stderr,
			})
			if code != 0 || err != nil || c.Counts.Events != uint64(2*regions) || c.Counts.Processes != 1 {
				t.Errorf("ended with %d, %v; %+v, want %d events of one process", code, err, c.Counts, 2*regions)
			}
		})
	}
	group.Wait()
}

// A collector removes the memory that killed collectors left, unless their process ids are not visible here.
func TestLeftMemory(t *testing.T) {
	b := newFaults(t)
	const nobody = 1 << 30 // larger than any process id
	left, err := os.MkdirTemp(sharedMemory, fmt.Sprintf("%s%d-", folder, nobody))
	if err != nil {
		t.Fatal(err)
	}
	defer os.RemoveAll(left)
	f, err := os.Create(filepath.Join(left, "session"))
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	next := func() {
		t.Helper()
		s, err := NewSession(b.everything())
		if err != nil {
			t.Fatal(err)
		}
		s.Close()
	}
	if err := unix.Flock(int(f.Fd()), unix.LOCK_EX); err != nil {
		t.Fatal(err)
	}
	if next(); !exist(left) {
		t.Error("the memory of a collector that works is gone")
	}
	f.Close()
	if next(); exist(left) {
		t.Error("the memory of a collector that is gone is still there")
	}
}

func exist(path string) bool {
	_, err := os.Stat(path)
	return err == nil
}

// The program continues when its collector dies, even if it was waiting for the collector.
func TestCollectorDies(t *testing.T) {
	need.Slow(t)
	b := newFaults(t)
	t.Parallel()
	o := b.everything()
	o.RingBytes, o.Wait = os.Getpagesize(), true
	s, err := NewSession(o)
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	cmd := exec.Command(b.program, "some", "2000")
	cmd.Env = Environment(os.Environ(), b.library, s.Path)
	done := make(chan error, 1)
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	go func() { done <- cmd.Wait() }()
	select {
	case err := <-done:
		if err != nil {
			t.Error(err)
		}
	case <-time.After(golden.Patience):
		_ = cmd.Process.Kill()
		t.Error("the program still waits for a collector that never worked")
	}
}

// The policy changes a thousand times while the program runs: each policy takes effect, none is freed while a thread
// reads it, and the last one stays in force.
func TestManyReloads(t *testing.T) {
	need.Slow(t)
	b := newFaults(t)
	t.Parallel()
	o := b.everything()
	o.Wait = true // the collector may not get a processor for a while
	dir, enough := filepath.Join(t.TempDir(), "trace"), filepath.Join(t.TempDir(), "enough")
	published := 0
	code, c, err := Run(context.Background(), o, Program{
		Args: []string{b.program, "slow", enough}, Library: b.library, Dir: dir, Host: "node", Out: io.Discard, Err: os.Stderr,
		Started: func(s *Session) func() {
			stop, stopped := make(chan struct{}), make(chan struct{})
			go func() {
				defer close(stopped)
				for err := error(nil); err == nil; time.Sleep(time.Millisecond) { // records between two policies
					select {
					case <-stop:
						return
					default:
					}
					if err = s.Publish(o.Policy, o.Table); err != nil {
						t.Error(err)
					} else {
						published++
					}
					if published == 1000 || err != nil {
						if err := os.WriteFile(enough, nil, 0o600); err != nil {
							t.Error(err)
						}
					}
				}
			}()
			return func() { close(stop); <-stopped }
		},
	})
	if err != nil || code != 0 {
		t.Fatal(code, err)
	}
	if got := count(b.read(dir))["region_begin"]; got != 2000 || published < 1000 || c.Counts.Dropped != 0 {
		t.Errorf("%d regions began under %d policies, want 2000; %d dropped", got, published, c.Counts.Dropped)
	}
}

// The memory is accessible to its owner only.
func TestPrivateMemory(t *testing.T) {
	b := newFaults(t)
	s, err := NewSession(b.everything())
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	info, err := os.Stat(s.Path)
	if err != nil || info.Mode().Perm() != 0o600 {
		t.Fatal(info.Mode(), err)
	}
	joined := func() bool {
		t.Helper()
		cmd := exec.Command(b.program, "some")
		cmd.Env = Environment(os.Environ(), b.library, s.Path)
		if err := cmd.Run(); err != nil {
			t.Fatal(err)
		}
		return s.half(processAt(0)+processPID).Swap(0) != 0
	}
	if err := os.Chmod(s.Path, 0o666); err != nil {
		t.Fatal(err)
	}
	if joined() {
		t.Error("the agent joined a session whose memory others may write to")
	}
	if err := os.Chmod(s.Path, 0o600); err != nil {
		t.Fatal(err)
	}
	if os.Geteuid() == 0 { // only root can give a file away
		if err := os.Chown(s.Path, 1234, -1); err != nil {
			t.Fatal(err)
		}
		if joined() {
			t.Error("the agent joined a session of another user")
		}
		if err := os.Chown(s.Path, 0, -1); err != nil {
			t.Fatal(err)
		}
	}
	if !joined() {
		t.Error("the agent did not join a session that is its own")
	}
}

// The options of the session reach the agents.
func TestSessionOptions(t *testing.T) {
	b := newFaults(t)
	o := b.everything()
	o.RingBytes, o.Wait, o.Audit, o.Upstream = 128<<10, true, false, true
	o.Team, o.Thread, o.Rank = 11, 12, 13 // as in a catalogue with other kinds before these
	s, err := NewSession(o)
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	for name, c := range map[string]struct {
		at   int
		want uint32
	}{
		"bytes of a ring": {sessionRingBytes, 128 << 10}, "wait": {sessionWait, 1}, "audit": {sessionAudit, 0}, "upstream": {sessionUpstream, 1},
		"team": {sessionTeam, 11}, "thread": {sessionThread, 12}, "rank": {sessionRank, 13},
	} {
		if got := s.half(c.at).Load(); got != c.want {
			t.Errorf("%s: agents read %d, want %d", name, got, c.want)
		}
	}
}

// Programs can read the knobs of the configuration.
func TestKnobs(t *testing.T) {
	b := newFaults(t)
	o := b.everything()
	f := b.flat()
	f.Knobs = []trace.Knob{{Name: "threads", Integer: 8, Number: 8, Text: "8"}, {Name: "factor", Number: 2.5, Text: "2.5"}, {Name: "name", Text: "fine"}}
	var err error
	if o.Table, err = f.Table(o.Policy); err != nil {
		t.Fatal(err)
	}
	var out bytes.Buffer
	if _, _, err := Run(context.Background(), o, Program{Args: []string{b.program, "knobs"}, Library: b.library, Dir: filepath.Join(t.TempDir(), "trace"), Out: &out, Err: os.Stderr}); err != nil {
		t.Fatal(err)
	}
	if got := strings.TrimSpace(out.String()); got != "8 2.5 fine\n8 2.5 fine" {
		t.Errorf("the program read %s; want %q", got, "8 2.5 fine\n8 2.5 fine")
	}
}

// The words that every event reads, the words that every event writes, and the words that the collector writes are on
// different cache lines, so that threads do not wait for each other.
func TestCacheLines(t *testing.T) {
	const line = 64
	holders := map[int]string{}
	for name, at := range map[string]int{
		"the clock, read by every event": sessionClock, "the heartbeat, written by the collector": sessionHeartbeat,
		"the generation, read by every event": processAt(0) + processGeneration, "the signals, written by the collector": processAt(0) + processSignals,
		"a thread's state": slotAt(0) + slotState, "its head, written by every event": slotAt(0) + slotHead,
		"its tail, written by the collector": slotAt(0) + slotTail, "the policy it reads": slotAt(0) + slotReading,
		"the next thread's state": slotAt(1) + slotState, "the next process": processAt(1),
	} {
		if other, taken := holders[at/line]; taken {
			t.Errorf("%s and %s share a cache line, want one each", name, other)
		}
		holders[at/line] = name
	}
}

// A process that has ended does not count as existing, even before its parent has waited for it. A process of which
// only the first thread has ended does.
func TestExists(t *testing.T) {
	b := newFaults(t)
	for kind, want := range map[string]bool{"some": false, "headless": true} {
		cmd := exec.Command(b.program, kind)
		if err := cmd.Start(); err != nil {
			t.Fatal(err)
		}
		ended := func() bool { // of the process, or at least of its first thread
			stat, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", cmd.Process.Pid))
			if err != nil {
				t.Fatal(err)
			}
			return strings.Contains(string(stat), ") Z ")
		}
		golden.Until(t, "the process ends", ended)
		if got := exists(uint32(cmd.Process.Pid)); got != want {
			t.Errorf("%s: the process goes on: %v, want %v", kind, got, want)
		}
		_ = cmd.Process.Kill()
		_ = cmd.Wait()
	}
}
