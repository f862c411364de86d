package flow

import (
	"fmt"

	"github.com/pentode-dev/pentode/core/outfile"
	"github.com/pentode-dev/pentode/core/problem"
	"github.com/pentode-dev/pentode/run/flow/pipe"
)

// A ResultFile is a file that a process writes bit by bit. It is whole, and has
// its name, when the pipeline has ended. A process that embeds it has its Finalize
// and Close.
type ResultFile struct {
	Out *Buffer

	name     string
	file     *outfile.File
	complete bool
}

// ResultFile begins the file that a key names.
func (s *Setup) ResultFile(key string) (ResultFile, error) { return s.ResultFileAs(key, s.Value(key)) }

// ResultFileAs begins a file with a name that follows from the value of a key.
func (s *Setup) ResultFileAs(key, name string) (ResultFile, error) {
	file, err := s.Results().Create(name)
	if err != nil {
		return ResultFile{}, s.Errorf(key, "the file `%s` cannot be written: %w", name, problem.Reason(err))
	}
	return ResultFile{Out: NewBuffer(file), name: name, file: file}, nil
}

// Wrote adds to an error of writing which file it was.
func (f *ResultFile) Wrote(err error) error {
	if err == nil {
		return nil
	}
	return fmt.Errorf("the file `%s` cannot be written: %w", f.name, problem.Reason(err))
}

// Finalize says that the file is complete.
func (f *ResultFile) Finalize(pipe.Step) error {
	f.file.Keep()
	f.complete = true
	return f.Wrote(f.Out.Flush())
}

// Close ends the file, where there is one. That of a run that failed or was aborted
// keeps the name of a file that is not complete.
func (f *ResultFile) Close() error {
	if f.file == nil {
		return nil
	}
	_ = f.Out.Flush() // Finalize reported its own failure
	if !f.complete {
		return f.Wrote(f.file.Leave())
	}
	return f.Wrote(f.file.Close())
}
