package ctf

import (
	"fmt"
	"math"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/pentode-dev/pentode/internal/golden"
	"github.com/pentode-dev/pentode/internal/need"
)

// recordLTTng traces a program with LTTng, with buffers per user or per process.
func recordLTTng(t *testing.T, buffers string, rounds int) (dir string) {
	t.Helper()
	lttng := need.Program(t, "lttng", "--version")
	daemon := need.Program(t, "lttng-sessiond", "--version")
	compiler := need.Compiler(t, "gcc")
	home, err := os.MkdirTemp("", "lttng") // the paths of its sockets must be short
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { os.RemoveAll(home) })
	dir = filepath.Join(home, "out")
	env := append(os.Environ(), "LTTNG_HOME="+home, "HOME="+home, "LTTNG_UST_REGISTER_TIMEOUT=-1")
	run := func(args ...string) {
		t.Helper()
		cmd := exec.Command(args[0], args[1:]...)
		cmd.Env = env
		if out, err := cmd.CombinedOutput(); err != nil {
			t.Fatalf("%v: %v\n%s", args, err, out)
		}
	}
	program := filepath.Join(home, "many")
	headers := filepath.Join(home, "headers")
	need.Ability(t, "liblttng-ust", exec.Command(compiler, "-xc", "-include", "lttng/tracepoint.h", "-c", os.DevNull, "-o", headers).Run())
	run(compiler, "-Itestdata", "testdata/many.c", "-o", program, "-llttng-ust", "-ldl", "-lpthread")
	if exec.Command(lttng, "--no-sessiond", "list").Run() != nil { // the system's daemon may already run
		server := exec.Command(daemon, "--no-kernel")
		server.Env = env
		if err := server.Start(); err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() {
			_ = server.Process.Signal(os.Interrupt)
			_ = server.Wait()
		})
	}
	session := fmt.Sprintf("pentode-%d-%d", os.Getpid(), time.Now().UnixNano())
	golden.Until(t, "the daemon answers", func() bool {
		cmd := exec.Command(lttng, "--no-sessiond", "create", session, "--output="+dir)
		cmd.Env = env
		return cmd.Run() == nil
	})
	defer run(lttng, "--no-sessiond", "destroy", session)
	run(lttng, "--no-sessiond", "enable-channel", "--session="+session, "--userspace", "--buffers-"+buffers, "--subbuf-size=65536", "--num-subbuf=16", "channel")
	run(lttng, "--no-sessiond", "enable-event", "--session="+session, "--userspace", "--channel=channel", "many:*")
	run(lttng, "--no-sessiond", "add-context", "--session="+session, "--userspace", "--type=vpid", "--type=vtid", "--type=procname")
	run(lttng, "--no-sessiond", "start", session)
	run(program, fmt.Sprint(rounds))
	run(lttng, "--no-sessiond", "stop", session)
	return dir
}

// TestLTTng: a trace of LTTng is read like babeltrace2 reads it, event by event.
func TestLTTng(t *testing.T) {
	need.Slow(t)
	babeltrace := need.Program(t, "babeltrace2", "--version")
	for _, buffers := range []string{"uid", "pid"} {
		dir := recordLTTng(t, buffers, 200)
		out, err := exec.Command(babeltrace, "--clock-cycles", "--no-delta", dir).Output()
		if err != nil {
			t.Fatalf("babeltrace2: %v", err)
		}
		want := strings.Split(strings.TrimSpace(string(out)), "\n")
		line := regexp.MustCompile(`^\[0*(\d+)\] \S+ (\S+): \{ cpu_id = \d+ \}, (.*)$`)
		for i := range want {
			want[i] = line.ReplaceAllString(want[i], "$1 $2: $3")
		}
		var got []string
		err = filepath.WalkDir(dir, func(path string, _ os.DirEntry, err error) error {
			if err == nil && filepath.Base(path) == "metadata" {
				got = append(got, shown(t, filepath.Dir(path))...)
			}
			return err
		})
		if err != nil {
			t.Fatal(err)
		}
		slices.Sort(got)
		slices.Sort(want)
		if len(got) != 2*3*200 {
			t.Errorf("%s: %d events of %d, want %v", buffers, len(got), 2*3*200, 2*3*200)
		}
		for i := range min(len(got), len(want)) {
			if got[i] != want[i] {
				t.Fatalf("%s:\n%s\nbabeltrace2:\n%s", buffers, got[i], want[i])
			}
		}
	}
}

// shown returns the events of a trace as babeltrace2 prints them.
func shown(t *testing.T, dir string) (lines []string) {
	t.Helper()
	r, err := Open(dir)
	if err != nil {
		t.Fatal(err)
	}
	for _, stream := range r.Streams {
		for o, err := range r.Events(stream) {
			if err != nil {
				t.Fatal(err)
			}
			k := r.Kinds[o.Event]
			lines = append(lines, fmt.Sprintf("%d %s: %s, %s", o.Time, k.Name, braced(k.Context, o.Context), braced(k.Fields, o.Fields)))
		}
	}
	return lines
}

func braced(members []Member, values []Value) string {
	var list []string
	for i, m := range members {
		list = append(list, m.Name+" = "+shownValue(m, values[i]))
	}
	return "{ " + strings.Join(list, ", ") + " }"
}

func shownValue(m Member, v Value) string {
	switch {
	case m.Enum != nil:
		label := "<unknown>"
		if l := m.Enum.Label(v.Number); l != "" {
			label = fmt.Sprintf("%q", l)
		}
		return fmt.Sprintf("( %s : container = %d )", label, int64(v.Number))
	case m.Form == String:
		return fmt.Sprintf("%q", v.Text)
	case m.Form == Real:
		return fmt.Sprintf("%g", math.Float64frombits(v.Number))
	case m.Form == Signed:
		return fmt.Sprint(int64(v.Number))
	case m.Form == Address:
		return fmt.Sprintf("0x%X", v.Number)
	case m.Form == List:
		var list []string
		for i, e := range v.List {
			list = append(list, fmt.Sprintf("[%d] = %s", i, shownValue(m.Elem[0], e)))
		}
		return strings.ReplaceAll("[ "+strings.Join(list, ", ")+" ]", "  ", " ")
	}
	return fmt.Sprint(v.Number)
}
