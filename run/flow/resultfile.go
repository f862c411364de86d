package flow

import (
	"bufio"
	"fmt"

	"github.com/pentode-dev/pentode/core/outfile"
)

// A ResultFile is a file that a process writes bit by bit. It is whole, and has
// its name, when the pipeline has ended. A process that embeds it has its Finalize
// and Close.
type ResultFile struct {
	Out *bufio.Writer // which keeps its first error

	name string
	file *outfile.File
}

// ResultFile begins the file that a key names.
func (s *Setup) ResultFile(key string) (ResultFile, error) {
	name := s.Value(key)
	file, err := s.Results().Create(name)
	if err != nil {
		return ResultFile{}, s.Errorf(key, "the file `%s` cannot be written: %w", name, Reason(err))
	}
	return ResultFile{bufio.NewWriter(file), name, file}, nil
}

// Wrote adds to an error of writing which file it was.
func (f *ResultFile) Wrote(err error) error {
	if err == nil {
		return nil
	}
	return fmt.Errorf("the file `%s` cannot be written: %w", f.name, Reason(err))
}

// Finalize says that the file is complete.
func (f *ResultFile) Finalize(*Step) error {
	f.file.Keep()
	return f.Wrote(f.Out.Flush())
}

// Close ends the file, where there is one.
func (f *ResultFile) Close() error {
	if f.file == nil {
		return nil
	}
	f.Out.Flush() // what an aborted run has written so far; Finalize reported its own failure
	return f.Wrote(f.file.Close())
}
