package launch

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"testing/iotest"
	"time"

	"github.com/pentode-dev/pentode/run/launch/state"
	"pgregory.net/rapid"
)

func newTestStream(dir string, to io.Writer) *stream {
	s := &stream{mux: &mux{to: []*sink{{w: to}}}, label: newLabels([]*Node{{ID: "n"}})[0], failed: func(error) {}}
	if dir != "" {
		s.log = state.NewLog(filepath.Join(dir, "n.out"), state.Rotation{})
	}
	return s
}

// However the output is split, the file gets its bytes and the mux its lines.
func TestStreamKeepsEverything(t *testing.T) {
	dir := t.TempDir()
	rapid.Check(t, func(t *rapid.T) {
		text := rapid.StringMatching(`([a-c]{0,9}\r?\n|[^\n]{0,40}|\n){0,20}`).Draw(t, "text")
		r := io.Reader(strings.NewReader(text))
		switch rapid.IntRange(0, 2).Draw(t, "reader") {
		case 1:
			r = iotest.OneByteReader(r)
		case 2:
			r = iotest.DataErrReader(r)
		}
		var out bytes.Buffer
		s := newTestStream(dir, &out)
		s.copy(r)
		var want strings.Builder
		for line := range strings.Lines(text) {
			want.WriteString("n | " + strings.TrimSuffix(line, "\n") + "\n")
		}
		if out.String() != want.String() {
			t.Fatalf("lines %q, want %q", &out, &want)
		}
		got, _ := os.ReadFile(filepath.Join(dir, "n.out"))
		os.Remove(filepath.Join(dir, "n.out"))
		if string(got) != text {
			t.Fatalf("file %q, want %q", got, text)
		}
	})
}

func TestStreamLongLine(t *testing.T) {
	t.Parallel()
	text := strings.Repeat("x", 3*longestLine+17) + "\nshort\n"
	var out bytes.Buffer
	dir := t.TempDir()
	s := newTestStream(dir, &out)
	s.copy(strings.NewReader(text))
	if got, err := os.ReadFile(filepath.Join(dir, "n.out")); err != nil || string(got) != text {
		t.Errorf("the file has %d bytes (%v), want %d", len(got), err, len(text))
	}
	lines := strings.Split(strings.TrimSuffix(out.String(), "\n"), "\n")
	if len(lines) > 6 || lines[len(lines)-1] != "n | short" {
		t.Errorf("%d lines, the last is %.40q; want len(lines) at most 6 and lines[len(lines)-1] = %q", len(lines), lines[len(lines)-1], "n | short")
	}
	if joined := strings.ReplaceAll(strings.ReplaceAll(out.String(), "n | ", ""), "\n", ""); joined != strings.ReplaceAll(text, "\n", "") {
		t.Error("a long line lost something")
	}
}

func TestStreamMarkAndWait(t *testing.T) {
	var out bytes.Buffer
	s := newTestStream("", &out)
	pid, found := 0, 0
	s.mark, s.marked, s.found = "PENTODE-r1 ", func(p int, _ *time.Duration) { pid = p }, func() { found++ }
	s.want.Store(regexp.MustCompile("^up$"))
	s.copy(iotest.OneByteReader(strings.NewReader("welcome\nPENTODE-r1 x\nPENTODE-r1 42\nnot up\nup\r\nup\nPENTODE-r1 43\n")))
	if pid != 42 || found != 1 {
		t.Errorf("pid %d, found %d times; want pid = 42 and found = 1", pid, found)
	}
	if want := "n | welcome\nn | PENTODE-r1 x\nn | not up\nn | up\r\nn | up\nn | PENTODE-r1 43\n"; out.String() != want {
		t.Errorf("got %q, want %v", &out, want)
	}
}

type failingWriter struct{ calls int }

func (f *failingWriter) Write([]byte) (int, error) {
	f.calls++
	return 0, errors.New("full")
}

func TestStreamFailures(t *testing.T) {
	bad := &failingWriter{}
	var good bytes.Buffer
	s := newTestStream(filepath.Join(t.TempDir(), "missing"), bad)
	s.mux.to = append(s.mux.to, &sink{w: &good, colour: true})
	complaints := 0
	s.failed = func(error) { complaints++ }
	s.copy(iotest.OneByteReader(strings.NewReader("a\nb\n")))
	if bad.calls != 1 || complaints != 1 {
		t.Errorf("a failed writer was asked %d times, a failed file reported %d times", bad.calls, complaints)
	}
	if want := "\x1b[31mn | \x1b[0ma\n\x1b[31mn | \x1b[0mb\n"; good.String() != want {
		t.Errorf("got %q, want %v", &good, want)
	}
}

func BenchmarkMux(b *testing.B) {
	var lines []byte
	for i := range 1000 {
		lines = fmt.Appendf(lines, "this is line number %d of some program\n", i)
	}
	l := newLabels([]*Node{{ID: "process"}})[0]
	for _, stamped := range []bool{false, true} {
		b.Run(map[bool]string{false: "names", true: "times"}[stamped], func(b *testing.B) {
			m := &mux{to: []*sink{{w: io.Discard, stamped: stamped}}, now: time.Now}
			b.SetBytes(int64(len(lines)))
			b.ReportAllocs()
			for b.Loop() {
				m.write(l, "out", lines)
			}
		})
	}
}

// The names before lines are as wide as the widest name, up to a limit, and their colours repeat.
func TestLabels(t *testing.T) {
	var nodes []*Node
	for _, id := range []string{"a", "bb", "c", "d", "e", "f", "g", strings.Repeat("x", 30)} {
		nodes = append(nodes, &Node{ID: id})
	}
	labels := newLabels(nodes)
	if got, want := string(labels[1].plain), "bb"+strings.Repeat(" ", 22)+" | "; got != want {
		t.Errorf("got %q, want %q", got, want)
	}
	for i, l := range labels {
		want := fmt.Sprintf("\x1b[%dm%s\x1b[0m", []int{31, 32, 33, 34, 35, 36, 31, 32}[i], l.plain)
		if string(l.colour) != want {
			t.Errorf("got %q, want %q", l.colour, want)
		}
	}
}
