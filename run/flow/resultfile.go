package flow

import (
	"fmt"

	"github.com/pentode-dev/pentode/core/outfile"
	"github.com/pentode-dev/pentode/core/problem"
	"github.com/pentode-dev/pentode/run/flow/pipe"
)

// A ResultFile is a file that a process writes piece by piece. The file gets its final name when the pipeline
// has ended and the file is complete. A process that embeds a ResultFile inherits its Finalize and Close.
type ResultFile struct {
	Out *Buffer

	name     string
	file     *outfile.File
	complete bool
}

// ResultFile creates a file named by the value of a key.
func (s *Setup) ResultFile(key string) (ResultFile, error) { return s.ResultFileAs(key, s.Value(key)) }

// ResultFileAs creates a file with the given name, which was derived from the value of a key.
func (s *Setup) ResultFileAs(key, name string) (ResultFile, error) {
	file, err := s.Results().Create(name)
	if err != nil {
		return ResultFile{}, s.Errorf(key, "the file `%s` cannot be written: %w", name, problem.Reason(err))
	}
	return ResultFile{Out: NewBuffer(file), name: name, file: file}, nil
}

// Wrote adds the file name to a write error. It returns nil for nil.
func (f *ResultFile) Wrote(err error) error {
	if err == nil {
		return nil
	}
	return fmt.Errorf("the file `%s` cannot be written: %w", f.name, problem.Reason(err))
}

// Finalize marks the file as complete.
func (f *ResultFile) Finalize(pipe.Step) error {
	f.file.Keep()
	f.complete = true
	return f.Wrote(f.Out.Flush())
}

// Close closes the file if it was created. After a failed or aborted run the file keeps its temporary name,
// which marks it as incomplete.
func (f *ResultFile) Close() error {
	if f.file == nil {
		return nil
	}
	_ = f.Out.Flush() // Finalize has already reported a failure to write
	if !f.complete {
		return f.Wrote(f.file.Leave())
	}
	return f.Wrote(f.file.Close())
}
