package text

import (
	"bytes"
	"context"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/pentode-dev/pentode/core/problem"
	"github.com/pentode-dev/pentode/internal/golden"
	"github.com/pentode-dev/pentode/internal/need"
	"github.com/pentode-dev/pentode/run/flow"
	"github.com/pentode-dev/pentode/run/flow/pipe"
)

// copying returns a pipeline that reads lines and writes them.
func copying(read, write pipe.Config) *flow.Pipeline {
	p := flow.New(pipe.NewRegistry(Types()...))
	p.AddProcess("r", "text_read", read)
	p.AddProcess("w", "text_write", write)
	p.Connect("r.text", "w.text")
	return p
}

// TestCopy: lines arrive unchanged, without their line ends, from files and from standard input.
func TestCopy(t *testing.T) {
	long := strings.Repeat("x", 1<<17) // larger than a buffer
	for _, c := range []struct {
		name, in      string
		read, write   []string
		want, problem string
	}{
		{"lines", "a\nb\n\nc\n", nil, nil, "a\nb\n\nc\n", ""},
		{"without an end", "a\nb", nil, nil, "a\nb\n", ""},
		{"of another system", "a\r\nb\r\n", nil, nil, "a\nb\n", ""},
		{"nothing", "", nil, nil, "", ""},
		{"a long line", long + "\nb\n", nil, nil, long + "\nb\n", ""},
		{"as long as it may be", "abc\nab\n", []string{"max_line", "4"}, nil, "abc\nab\n", ""},
		{"longer", "a\nabcd\n", []string{"max_line", "4"}, nil, "", "cannot be read after line 1: the line is longer than max_line, 4 bytes"},
		{"with a prefix", "a\nb\n", nil, []string{"prefix", "> "}, "> a\n> b\n", ""},
		{"behind what is there", "a\n", nil, []string{"append", "true"}, "old\na\n", ""},
	} {
		dir := t.TempDir()
		for _, from := range []string{filepath.Join(dir, "in.txt"), "-"} {
			for name, text := range map[string]string{"in.txt": c.in, "out.txt": "old\n"} {
				if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o666); err != nil {
					t.Fatal(err)
				}
			}
			p := copying(pipe.Set(append([]string{"file_name", from}, c.read...)...), pipe.Set(append([]string{"file_name", "out.txt"}, c.write...)...))
			r, err := p.Start(context.Background(), flow.Options{Dir: dir, Stdin: strings.NewReader(c.in)})
			if err != nil {
				t.Fatal(err)
			}
			err = r.Wait()
			if c.problem != "" {
				if err == nil || !strings.Contains(err.Error(), c.problem) {
					t.Errorf("%s from %s: %v, want %s", c.name, from, err, c.problem)
				}
				continue
			}
			if text, _ := os.ReadFile(filepath.Join(dir, "out.txt")); err != nil || string(text) != c.want {
				t.Errorf("%s from %s: %.100q, %v, want %.100q", c.name, from, text, err, c.want)
			}
		}
	}
}

// TestNoFile: a file that cannot be read or written is an error at its key.
func TestNoFile(t *testing.T) {
	dir := t.TempDir()
	for _, c := range []struct{ read, write, add, want string }{
		{filepath.Join(dir, "none"), "-", "false", "cannot be read: no such file or directory"},
		{os.DevNull, "none/out.txt", "false", "cannot be written: no such file or directory"},
		{os.DevNull, "none/out.txt", "true", "cannot be written: no such file or directory"},
	} {
		_, err := copying(pipe.Set("file_name", c.read), pipe.Set("file_name", c.write, "append", c.add)).Start(context.Background(), flow.Options{Dir: dir})
		if err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%+v: %v", c, err)
		}
	}
	r, err := copying(pipe.Set("file_name", dir), pipe.Set("file_name", "-")).Start(context.Background(), flow.Options{Stdout: io.Discard})
	if err == nil {
		err = r.Wait()
	}
	if err == nil || !strings.Contains(err.Error(), "cannot be read after line 0: is a directory") {
		t.Errorf("a folder: %v", err)
	}
}

// TestFullFile: if the disk is full, that is an error; data are not lost silently.
func TestFullFile(t *testing.T) {
	need.File(t, "/dev/full")
	dir := t.TempDir()
	if err := os.Symlink("/dev/full", filepath.Join(dir, "full")); err != nil {
		t.Fatal(err)
	}
	r, err := copying(pipe.Set("file_name", "-"), pipe.Set("file_name", "full", "append", "true")).
		Start(context.Background(), flow.Options{Dir: dir, Stdin: strings.NewReader("a\n")})
	if err != nil {
		t.Fatal(err)
	}
	if err := r.Wait(); err == nil || !strings.Contains(err.Error(), "the file `full` cannot be written: no space left on device") {
		t.Errorf("%v", err)
	}
}

// TestStandardStreams: a line is on standard output as soon as it has been read, and waiting for
// input does not delay the end of a run.
func TestStandardStreams(t *testing.T) {
	in, feed := io.Pipe()
	defer feed.Close()
	seen, out := io.Pipe()
	defer seen.Close()
	r, err := copying(pipe.Set("file_name", "-"), pipe.Set("file_name", "-")).Start(context.Background(), flow.Options{Stdin: in, Stdout: out})
	if err != nil {
		t.Fatal(err)
	}
	go io.WriteString(feed, "a\nb\n")
	got := make([]byte, 4)
	if _, err := io.ReadFull(seen, got); err != nil || !bytes.Equal(got, []byte("a\nb\n")) {
		t.Errorf("%q, %v", got, err)
	}
	r.Abort()
	select {
	case <-r.Done():
	case <-time.After(golden.Patience):
		t.Fatal("the run still waits for its input")
	}
}

// TestFileIsNamed: a reader or writer without a file is refused before the run.
func TestFileIsNamed(t *testing.T) {
	for _, typ := range Types() {
		if !slices.ContainsFunc(typ.Keys, func(k pipe.Key) bool { return k.Name == "file_name" }) {
			continue
		}
		p := flow.New(pipe.NewRegistry(typ))
		p.AddProcess("t", typ.Name, nil)
		if list := p.Check(); !slices.ContainsFunc(list, func(q *problem.Problem) bool { return q.Severity == problem.Error && q.Subject.Key == "file_name" }) {
			t.Errorf("%s: %v, want an error of file_name", typ.Name, list)
		}
	}
}
