package text

import (
	"bufio"
	"fmt"
	"io"
	"os"
	"sync"
	"time"

	"github.com/pentode-dev/pentode/core/outfile"
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
	file         io.Closer
	keep         func() // the file is complete
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
	open := w.create
	if s.Bool("append") {
		open = w.extend
	}
	if err := open(s.Results()); err != nil {
		return s.Errorf("file_name", "the file `%s` cannot be written: %w", w.name, flow.Reason(err))
	}
	return nil
}

func (w *writer) create(out outfile.Folder) error {
	f, err := out.Create(w.name)
	if err != nil {
		return err
	}
	w.file, w.keep, w.w = f, f.Keep, bufio.NewWriter(f)
	return nil
}

// extend goes on with a file that is there.
func (w *writer) extend(out outfile.Folder) error {
	path, err := out.Path(w.name)
	if err != nil {
		return err
	}
	f, err := os.OpenFile(path, os.O_CREATE|os.O_WRONLY|os.O_APPEND, 0o666)
	if err != nil {
		return err
	}
	w.file, w.keep, w.w = f, func() {}, bufio.NewWriter(f)
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
	if w.keep != nil {
		w.keep()
	}
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
