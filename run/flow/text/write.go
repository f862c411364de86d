package text

import (
	"fmt"
	"io"
	"os"

	"github.com/pentode-dev/pentode/core/outfile"
	"github.com/pentode-dev/pentode/core/problem"
	"github.com/pentode-dev/pentode/run/flow"
	"github.com/pentode-dev/pentode/run/flow/pipe"
	"github.com/pentode-dev/pentode/run/handoff/tensor"
)

func writeType() *pipe.Type {
	return &pipe.Type{
		Name: "text_write",
		Doc:  "Writes its input as text within a second, one line per datum; an array gives a line per row.",
		In:   []pipe.Port{{Name: "text", Type: pipe.AnyType, Flags: pipe.Required, Doc: "Line to write; numbers are written as digits, separated by blanks within a row."}},
		Keys: []pipe.Key{
			{Name: "file_name", Kind: pipe.String, Writes: true, Required: true, Doc: "The file; - is standard output."},
			{Name: "append", Kind: pipe.Bool, Default: "false", Doc: "Whether to append to an existing file."},
			{Name: "prefix", Kind: pipe.String, Tunable: true, Doc: "Text before each line."},
		},
		New: func() pipe.Process { return &writer{} },
	}
}

// writer writes lines to a file through a buffer, or to standard output without one.
type writer struct {
	name, prefix string
	w            io.Writer
	flush        func() error // nil for standard output
	finish       func()       // marks the file as complete
	close        func() error
	line         []byte
	in           *flow.In
}

func (w *writer) Setup(s *flow.Setup) error {
	w.name, w.in, w.prefix = s.Value("file_name"), s.In("text"), s.Value("prefix")
	if w.name == "-" {
		w.w = s.Stdout()
		return nil
	}
	open := w.create
	if s.Bool("append") {
		open = w.extend
	}
	if err := open(s.Results()); err != nil {
		return s.Errorf("file_name", "the file `%s` cannot be written: %w", w.name, problem.Reason(err))
	}
	return nil
}

func (w *writer) create(out outfile.Folder) error {
	f, err := out.Create(w.name)
	if err != nil {
		return err
	}
	w.close = f.Leave
	w.finish = func() { f.Keep(); w.close = f.Close }
	w.buffer(f)
	return nil
}

// extend opens an existing file to append to it.
func (w *writer) extend(out outfile.Folder) error {
	path, err := out.Path(w.name)
	if err != nil {
		return err
	}
	out.Seal.Reads(path) // records the run that wrote the existing text as a source of the results
	f, err := os.OpenFile(path, os.O_CREATE|os.O_WRONLY|os.O_APPEND, 0o666)
	if err != nil {
		return err
	}
	w.finish = func() {}
	w.close = func() error {
		err := f.Close()
		outfile.SealFile(path, out.Seal)
		return err
	}
	w.buffer(f)
	return nil
}

func (w *writer) buffer(f io.Writer) {
	b := flow.NewBuffer(f)
	w.w, w.flush = b, b.Flush
}

func (w *writer) Reconfigure(s *flow.Setup) error {
	w.prefix = s.Value("prefix")
	return nil
}

func (w *writer) Step(pipe.Step) error {
	d := w.in.Take()
	switch d.Value().(type) {
	case *tensor.Tensor, []any:
		return w.failed(w.rows(d.Array()))
	}
	return w.failed(w.write(append(w.begin(), d.Text()...)))
}

// rows writes an array. Each line has the numbers along the fastest axis.
func (w *writer) rows(t *tensor.Tensor) error {
	width := t.Count()
	if n := len(t.Shape); n > 0 {
		width = t.Shape[n-1]
	}
	for i := 0; i < t.Count(); i += width {
		line := w.begin()
		for k := range width {
			if k > 0 {
				line = append(line, ' ')
			}
			line = t.AppendText(line, i+k)
		}
		if err := w.write(line); err != nil {
			return err
		}
	}
	return nil
}

func (w *writer) begin() []byte { return append(w.line[:0], w.prefix...) }

func (w *writer) write(line []byte) error {
	w.line = append(line, '\n')
	_, err := w.w.Write(w.line)
	return err
}

func (w *writer) Finalize(pipe.Step) error {
	if w.flush == nil {
		return nil
	}
	w.finish()
	return w.failed(w.flush())
}

// Close closes the file. After a failed or aborted run, the file keeps its temporary
// name, which marks it as incomplete.
func (w *writer) Close() error {
	if w.flush == nil {
		return nil
	}
	_ = w.flush() // Finalize has already reported a failure to write
	return w.failed(w.close())
}

func (w *writer) failed(err error) error {
	if err == nil {
		return nil
	}
	return fmt.Errorf("the file `%s` cannot be written: %w", w.name, problem.Reason(err))
}
