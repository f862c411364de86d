package launch

import (
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/pentode-dev/pentode/internal/golden"
)

// The log contains a program's output to the last line, even if the reader is slow or another process keeps the output open.
func TestRealLastLines(t *testing.T) {
	const lines = 4000
	for _, held := range []bool{false, true} {
		t.Run(fmt.Sprintf("held %v", held), func(t *testing.T) {
			t.Parallel()
			w := newWorkshop(t)
			w.slow = 700 * time.Millisecond
			process := w.script("process", fmt.Sprintf(`echo $$ > pid.new; mv pid.new pid; until [ -e go ]; do sleep 0.02; done
i=0; while [ $i -lt %d ]; do echo "line $i"; i=$((i+1)); done`, lines))
			r := w.start(lone(process), Options{}, RunOptions{Grace: time.Second})
			if held {
				var pid []byte
				r.until("the process is there", func() (ok bool) {
					var err error
					pid, err = os.ReadFile(filepath.Join(w.dir, "pid"))
					return err == nil
				})
				output, err := os.OpenFile("/proc/"+strings.TrimSpace(string(pid))+"/fd/1", os.O_WRONLY, 0)
				if err != nil {
					t.Fatal(err)
				}
				defer output.Close()
			}
			if err := os.WriteFile(filepath.Join(w.dir, "go"), nil, 0o600); err != nil {
				t.Fatal(err)
			}
			if result := r.wait(); result.Code != 0 {
				t.Errorf("code %d\n%s\nwant 0", result.Code, r.story())
			}
			text, err := os.ReadFile(r.dir.LogFile("p", "out"))
			if err != nil {
				t.Fatal(err)
			}
			if got := strings.Count(string(text), "\n"); got != lines || !strings.HasSuffix(string(text), "\nline "+strconv.Itoa(lines-1)+"\n") {
				t.Errorf("the log has %d lines, want %d; it ends with %q", got, lines, text[max(0, len(text)-40):])
			}
			if got := strings.Count(r.output.String(), "\n"); got != lines {
				t.Errorf("%d lines were passed on, want %d", got, lines)
			}
		})
	}
}

// countedReads counts its reads.
type countedReads struct {
	io.Reader
	n atomic.Int32
}

func (c *countedReads) Read(b []byte) (int, error) {
	c.n.Add(1)
	return c.Reader.Read(b)
}

// Reading a drained pipe ends after what it contains, or after the size of a pipe if another process continues to write.
func TestDrainedOutput(t *testing.T) {
	open := func() (*output, *os.File) {
		r, w, err := os.Pipe()
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { r.Close(); w.Close() })
		return &output{file: r}, w
	}
	o, w := open()
	waiting := make(chan string)
	counted := &countedReads{Reader: o}
	go func() {
		text, err := io.ReadAll(counted)
		waiting <- fmt.Sprintf("%q %v", text, err)
	}()
	w.WriteString("first\n")
	golden.Until(t, "it has read the first line and waits for more", func() bool { return counted.n.Load() == 2 && golden.Waits("(*countedReads).Read", "IO wait") })
	o.drain()
	if got := <-waiting; got != `"first\n" <nil>` {
		t.Errorf("who waited got %s; want %q", got, `"first\n" <nil>`)
	}

	o, w = open()
	w.WriteString(strings.Repeat("x", 50_000))
	o.drain()
	o.drain()
	if text, err := io.ReadAll(o); len(text) != 50_000 || err != nil {
		t.Errorf("%d bytes were read, %v", len(text), err)
	}

	o, w = open()
	go func() {
		for {
			if _, err := w.Write(make([]byte, 1<<16)); errors.Is(err, os.ErrClosed) {
				return
			}
		}
	}()
	o.drain()
	if text, err := io.ReadAll(o); len(text) > maxPiped || err != nil {
		t.Errorf("%d bytes were read, %v", len(text), err)
	}
}
