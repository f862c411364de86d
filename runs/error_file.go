package runs

import (
	"bufio"
	"encoding/json"
	"errors"
	"fmt"
	"path/filepath"
	"sync"

	"github.com/pentode-dev/pentode/core/outfile"
	"github.com/pentode-dev/pentode/core/problem"
	"github.com/pentode-dev/pentode/run/flow"
)

// errorFile is the file that takes the error data of a run, one JSON object per line. Nil means no file.
type errorFile struct {
	name string
	file *outfile.File
	mu   sync.Mutex
	text *bufio.Writer
}

// openErrorFile creates the file if one is requested.
func (p *pipeRun) openErrorFile() (*errorFile, error) {
	name := p.Pipeline.ErrorsTo
	if name == "" {
		return nil, nil
	}
	// The file may be outside of the results if the user asks for that, but no link in the results may lead it outside.
	folder := outfile.Folder{Dir: p.engine.Out, Fenced: p.engine.Fenced && filepath.IsLocal(name), Seal: p.seals, Ledger: p.ledger}
	file, err := folder.Create(name)
	if err != nil {
		return nil, fmt.Errorf("the file of errors `%s` cannot be written: %w", name, problem.Reason(err))
	}
	l := &errorFile{name: name, file: file, text: bufio.NewWriter(file)}
	p.engine.ErrorDatum = l.take
	return l, nil
}

// take writes a line. Close reports a failed write.
func (l *errorFile) take(e flow.ErrorDatum) {
	line, _ := json.Marshal(e) // it contains only texts and a number, so this cannot fail
	l.mu.Lock()
	defer l.mu.Unlock()
	_, _ = l.text.Write(append(line, '\n'))
}

// close completes the file.
func (l *errorFile) close() error {
	if l == nil {
		return nil
	}
	if err := errors.Join(l.text.Flush(), l.file.Close()); err != nil {
		return fmt.Errorf("the file of errors `%s` cannot be written: %w", l.name, problem.Reason(err))
	}
	return nil
}

// discard removes the file of a run that did not begin.
func (l *errorFile) discard() {
	if l != nil {
		_ = l.file.Discard() // the reason why the run did not begin matters more
	}
}
