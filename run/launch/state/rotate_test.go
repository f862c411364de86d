package state

import (
	"bytes"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/pentode-dev/pentode/internal/need"
)

// TestRotate: a log that has reached its size becomes a compressed piece, the oldest pieces are dropped, and reading returns the remaining lines in
// order, also for a follower.
func TestRotate(t *testing.T) {
	d, err := Create(t.TempDir(), Run{ID: "r", Started: time.Now(), Nodes: []Node{{ID: "n"}}})
	if err != nil {
		t.Fatal(err)
	}
	path := d.LogFile("n", "out")
	w, err := OpenLog(path, Rotation{Size: 100})
	if err != nil {
		t.Fatal(err)
	}
	var all []string
	for i := range 200 {
		line := fmt.Sprintf("line %04d\n", i) // ten bytes
		all = append(all, line)
		if _, err := w.Write([]byte(line)); err != nil {
			t.Fatal(err)
		}
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	pieces, _ := filepath.Glob(path + ".*.gz")
	info, err := os.Stat(path)
	if err != nil || len(pieces) != DefaultKept || info.Size() != 100 {
		t.Errorf("%d pieces, %v, %v", len(pieces), info, err)
	}
	var got bytes.Buffer
	if err := d.Logs(t.Context(), &got, Query{Node: "n"}); err != nil || got.String() != strings.Join(all[200-10*(DefaultKept+1):], "") {
		t.Errorf("%v\n%s", err, got.String())
	}
	// It is opened again at its end.
	if w, err = OpenLog(path, Rotation{Size: 100}); err != nil {
		t.Fatal(err)
	}
	defer w.Close()
	if _, err := w.Write([]byte("more\n")); err != nil {
		t.Fatal(err)
	}
	got.Reset()
	if err := d.Logs(t.Context(), &got, Query{Node: "n"}); err != nil || got.String() != strings.Join(all[200-10*DefaultKept:], "")+"more\n" {
		t.Errorf("%v\n%s", err, got.String())
	}
}

// TestRotateOneWrite: the pieces are the same whether lines are written one by one, all at once, or in any other groups of whole lines.
func TestRotateOneWrite(t *testing.T) {
	long := strings.Repeat("x", 250) + "\n"
	var lines []string
	for i := range 300 {
		lines = append(lines, fmt.Sprintf("line %d\n", i))
	}
	lines = append(lines, "before\n", long, "between\n", long, long, "after\n")
	files := func(writes []string) (contents []string) {
		path := filepath.Join(t.TempDir(), "log")
		w, err := OpenLog(path, Rotation{Size: 200})
		if err != nil {
			t.Fatal(err)
		}
		for _, text := range writes {
			if n, err := w.Write([]byte(text)); n != len(text) || err != nil {
				t.Fatalf("%d bytes of %d, %v", n, len(text), err)
			}
		}
		if err := w.Close(); err != nil {
			t.Fatal(err)
		}
		first, last, err := pieces(path)
		if err != nil {
			t.Fatal(err)
		}
		for number := first; number <= last+1; number++ {
			f, from, err := openLog(path, number, number <= last)
			if err != nil {
				t.Fatal(err)
			}
			text, err := io.ReadAll(from)
			if err != nil {
				t.Fatal(err)
			}
			f.Close()
			contents = append(contents, string(text))
		}
		return contents
	}
	want := []string{"line 298\nline 299\nbefore\n", long, "between\n", long, long, "after\n"}
	for _, n := range []int{1, 2, 7, 50, len(lines)} {
		var writes []string
		for chunk := range slices.Chunk(lines, n) {
			writes = append(writes, strings.Join(chunk, ""))
		}
		if got := files(writes); !slices.Equal(got, want) {
			t.Errorf("%d lines a write: %q, want %v", n, got, want)
		}
	}
	got := files([]string{strings.Join(lines[:300], "")}) // 2,590 bytes
	for i, text := range got[:DefaultKept] {
		if next, _, _ := strings.Cut(got[i+1], "\n"); len(text) > 200 || len(text)+len(next)+1 <= 200 {
			t.Errorf("a piece of %d bytes before a line of %d", len(text), len(next)+1)
		}
	}
	if all := strings.Join(got, ""); !strings.HasSuffix(strings.Join(lines[:300], ""), all) || !strings.HasPrefix(all, "line ") {
		t.Errorf("the pieces are not the last lines: %q", all)
	}
	if got := files([]string{"no end of a line", "nor here"}); !slices.Equal(got, []string{"no end of a linenor here"}) {
		t.Errorf("%q, want %v", got, []string{"no end of a linenor here"})
	}
}

// TestSharedLog: a process left by an earlier start of a node writes to the same log, and loses nothing when the file becomes a piece or the other
// writer closes it.
func TestSharedLog(t *testing.T) {
	path := filepath.Join(t.TempDir(), "log")
	w := NewLog(path, Rotation{Size: 200})
	var writing sync.WaitGroup
	for _, name := range []string{"a", "b"} {
		writing.Go(func() {
			for i := range 40 {
				if _, err := fmt.Fprintf(w, "%s %02d of forty\n", name, i); err != nil { // 14 bytes
					t.Error(err)
				}
				w.Close()
			}
		})
	}
	writing.Wait()
	first, last, err := pieces(path)
	if first != 1 || last != 5 || err != nil {
		t.Fatalf("pieces %d to %d, %v", first, last, err)
	}
	r, err := newLogReader(path)
	if err != nil {
		t.Fatal(err)
	}
	defer r.Close()
	var got strings.Builder
	if err := r.copy(&got); err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{"a", "b"} {
		at := -1
		for i := range 40 {
			next := strings.Index(got.String(), fmt.Sprintf("%s %02d of forty\n", name, i))
			if next <= at {
				t.Fatalf("line %d of %s: %s; want more than %v", i, name, got.String(), at)
			}
			at = next
		}
	}
}

// TestRotateByAge: a file becomes a piece with the first line that comes when its own first line is too old, and the configured number of pieces is
// kept.
func TestRotateByAge(t *testing.T) {
	path := filepath.Join(t.TempDir(), "log")
	w := NewLog(path, Rotation{Age: time.Hour, Keep: 2})
	now := time.Now()
	w.now = func() time.Time { return now }
	defer w.Close()
	for i, later := range []time.Duration{0, 59 * time.Minute, time.Minute, 0, 2 * time.Hour, time.Hour, time.Minute} {
		now = now.Add(later)
		if _, err := fmt.Fprintf(w, "line %d\n", i); err != nil {
			t.Fatal(err)
		}
		if i == 3 {
			w.Close() // a program that starts again continues in the same file
		}
	}
	first, last, err := pieces(path)
	if err != nil || first != 2 || last != 3 {
		t.Fatalf("pieces %d to %d, %v", first, last, err)
	}
	for number, want := range map[int]string{2: "line 2\nline 3\n", 3: "line 4\n", 4: "line 5\nline 6\n"} {
		f, from, err := openLog(path, number, number <= last)
		if err != nil {
			t.Fatal(err)
		}
		if text, err := io.ReadAll(from); string(text) != want || err != nil {
			t.Errorf("piece %d: %q, %v", number, text, err)
		}
		f.Close()
	}
}

// TestHold: pieces are kept only for a live reader; a reader removes its hold.
func TestHold(t *testing.T) {
	need.File(t, "/proc/self/stat") // needed to see that the reader is alive
	dir := t.TempDir()
	path := filepath.Join(dir, "a log [1]*")
	w := NewLog(path, Rotation{Size: 10, Keep: 1})
	defer w.Close()
	kept := func(lines int) string {
		for range lines {
			if _, err := io.WriteString(w, "line ten.\n"); err != nil {
				t.Fatal(err)
			}
		}
		first, last, err := pieces(path)
		if err != nil {
			t.Fatal(err)
		}
		return fmt.Sprintf("%d-%d", first, last)
	}
	r, err := newLogReader(path)
	if err != nil {
		t.Fatal(err)
	}
	if got := kept(5); got != "1-4" {
		t.Errorf("for one who has read nothing: pieces %s", got)
	}
	if err := r.copy(io.Discard); err != nil {
		t.Fatal(err)
	}
	if got := kept(1); got != "5-5" {
		t.Errorf("for one who has read all: pieces %s; want %q", got, "5-5")
	}
	dead := &hold{self: Identity{Pid: Self().Pid, Start: 1}}
	if dead.file, err = os.Create(path + holdMark + "1"); err != nil {
		t.Fatal(err)
	}
	dead.move(0)
	if got := kept(1); got != "6-6" {
		t.Errorf("for one who is dead: pieces %s; want %q", got, "6-6")
	}
	r.Close()
	if files, err := os.ReadDir(dir); len(files) != 2 || err != nil {
		t.Errorf("left are %v, %v", files, err)
	}
}
