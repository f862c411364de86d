package text

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"strings"

	"github.com/pentode-dev/pentode/core/problem"
	"github.com/pentode-dev/pentode/run/flow"
	"github.com/pentode-dev/pentode/run/flow/pipe"
)

func readType() *pipe.Type {
	return &pipe.Type{
		Name: "text_read",
		Doc:  "Sends the lines of a file, one per step, without their line ends.",
		Out:  []pipe.Port{{Name: "text", Type: lineType, Flags: pipe.Required, Doc: "The next line."}},
		Keys: []pipe.Key{
			{Name: "file_name", Kind: pipe.String, Reads: true, Required: true, Doc: "The file; - is standard input."},
			{Name: "max_line", Kind: pipe.Unsigned, Default: "1048576", Doc: "Longest line accepted, in bytes."},
		},
		New: func() pipe.Process { return &reader{} },
	}
}

type reader struct {
	name   string
	limit  int64
	number int
	file   *os.File
	lines  *bufio.Reader
	slow   bool // the input is standard input or a pipe, so reading may block
	out    *flow.Out
}

func (r *reader) Setup(s *flow.Setup) error {
	r.name, r.limit, r.out = s.Value("file_name"), s.Int("max_line"), s.Out("text")
	if r.name == "-" {
		r.slow = true
		r.lines = bufio.NewReaderSize(s.Stdin(), 1<<16)
		return nil
	}
	f, err := os.Open(s.Path(r.name))
	if err != nil {
		return s.Errorf("file_name", "the file `%s` cannot be read: %w", r.name, problem.Reason(err))
	}
	s.Reads(f.Name())
	r.file, r.lines = f, bufio.NewReaderSize(f, 1<<16)
	info, err := f.Stat()
	r.slow = err != nil || !info.Mode().IsRegular()
	return nil
}

func (r *reader) Step(s pipe.Step) error {
	var line string
	var err error
	if r.slow && r.lines.Buffered() == 0 {
		s.Await(func(context.Context) { line, err = r.line() })
	} else {
		line, err = r.line()
	}
	if errors.Is(err, io.EOF) {
		s.Complete()
		return nil
	}
	if err != nil {
		return fmt.Errorf("the file `%s` cannot be read after line %d: %w", r.name, r.number, problem.Reason(err))
	}
	r.number++
	r.out.Push(flow.OfText(line))
	return nil
}

// line reads one line. It returns io.EOF when there is none left.
func (r *reader) line() (string, error) {
	var b strings.Builder
	for {
		part, err := r.lines.ReadSlice('\n')
		if int64(b.Len()+len(part)) > r.limit {
			return "", fmt.Errorf("the line is longer than max_line, %d bytes", r.limit)
		}
		b.Write(part)
		switch {
		case errors.Is(err, bufio.ErrBufferFull):
			continue
		case errors.Is(err, io.EOF) && b.Len() == 0, err != nil && !errors.Is(err, io.EOF):
			return "", err
		}
		line := strings.TrimSuffix(b.String(), "\n")
		return strings.TrimSuffix(line, "\r"), nil
	}
}

func (r *reader) Close() error {
	if r.file == nil {
		return nil
	}
	return r.file.Close()
}
