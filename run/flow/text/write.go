package text

import (
	"bufio"
	"fmt"
	"os"
	"sync"
	"time"

	"github.com/pentode-dev/pentode/run/flow"
)

func writeType() *flow.Type {
	return &flow.Type{
		Name: "text_write",
		Doc:  "Writes everything it gets as text, one datum on a line, within a second.",
		In:   []flow.Port{{Name: "text", Type: flow.AnyType, Flags: flow.Required, Doc: "Line to write; numbers are written as digits."}},
		Keys: []flow.Key{
			{Name: "file_name", Kind: flow.String, Required: true, Doc: "The file; - is standard output."},
			{Name: "append", Kind: flow.Bool, Default: "false", Doc: "Whether to keep what the file holds."},
			{Name: "prefix", Kind: flow.String, Tunable: true, Doc: "Text before each line."},
		},
		New: func() flow.Process { return &writer{} },
	}
}

// writer buffers lines for a file, for a second at most, and writes lines to
// standard output at once.
type writer struct {
	name, prefix string
	file         *os.File
	in           *flow.In

	mu      sync.Mutex
	w       *bufio.Writer
	waiting *time.Timer // until the buffer is written, or nil
}

// maxDelay is how long a line may stay in the buffer.
const maxDelay = time.Second

func (w *writer) Setup(s *flow.Setup) error {
	w.name, w.in, w.prefix = s.Value("file_name"), s.In("text"), s.Value("prefix")
	if w.name == "-" {
		w.w = bufio.NewWriter(s.Stdout())
		return nil
	}
	mode := os.O_TRUNC
	if s.Bool("append") {
		mode = os.O_APPEND
	}
	f, err := os.OpenFile(s.OutPath(w.name), os.O_CREATE|os.O_WRONLY|mode, 0o666)
	if err != nil {
		return s.Errorf("file_name", "the file `%s` cannot be written: %w", w.name, flow.Reason(err))
	}
	w.file, w.w = f, bufio.NewWriter(f)
	return nil
}

func (w *writer) Reconfigure(s *flow.Setup) error {
	w.prefix = s.Value("prefix")
	return nil
}

func (w *writer) Step(*flow.Step) error {
	line := w.in.Take().Text()
	w.mu.Lock()
	defer w.mu.Unlock()
	w.w.WriteString(w.prefix)
	w.w.WriteString(line)
	err := w.w.WriteByte('\n') // a bufio.Writer keeps its first error
	switch {
	case err != nil:
	case w.file == nil:
		err = w.w.Flush()
	case w.waiting == nil:
		w.waiting = time.AfterFunc(maxDelay, w.overdue)
	}
	return w.failed(err)
}

// overdue writes what has waited long enough. The next step reports a failure.
func (w *writer) overdue() {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.waiting = nil
	w.w.Flush()
}

func (w *writer) Finalize(*flow.Step) error {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.failed(w.w.Flush())
}

func (w *writer) Close() error {
	if w.file == nil {
		return nil
	}
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.waiting != nil {
		w.waiting.Stop()
	}
	w.w.Flush() // what an aborted run has written so far; Finalize reported its own failure
	return w.failed(w.file.Close())
}

func (w *writer) failed(err error) error {
	if err == nil {
		return nil
	}
	return fmt.Errorf("the file `%s` cannot be written: %w", w.name, flow.Reason(err))
}
