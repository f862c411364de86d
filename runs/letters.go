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

// letters is the file that takes the data of a run that are errors, a JSON object on each
// line. Nil is none.
type letters struct {
	name string
	file *outfile.File
	mu   sync.Mutex
	text *bufio.Writer
}

// openLetters makes the file where one is asked for.
func (p *pipeRun) openLetters() (*letters, error) {
	name := p.Pipeline.ErrorsTo
	if name == "" {
		return nil, nil
	}
	// As a trace, it may be asked for outside of the results, but no link in them leads it there.
	folder := outfile.Folder{Dir: p.engine.Out, Fenced: p.engine.Fenced && filepath.IsLocal(name), Seal: p.seals, Ledger: p.ledger}
	file, err := folder.Create(name)
	if err != nil {
		return nil, fmt.Errorf("the file of errors `%s` cannot be written: %w", name, problem.Reason(err))
	}
	l := &letters{name: name, file: file, text: bufio.NewWriter(file)}
	p.engine.ErrorDatum = l.take
	return l, nil
}

// take writes a line. A failed write is reported at the end.
func (l *letters) take(e flow.ErrorDatum) {
	line, _ := json.Marshal(e) // texts and a number
	l.mu.Lock()
	defer l.mu.Unlock()
	_, _ = l.text.Write(append(line, '\n'))
}

// close completes the file.
func (l *letters) close() error {
	if l == nil {
		return nil
	}
	if err := errors.Join(l.text.Flush(), l.file.Close()); err != nil {
		return fmt.Errorf("the file of errors `%s` cannot be written: %w", l.name, problem.Reason(err))
	}
	return nil
}

// discard takes the file of a run that did not begin away.
func (l *letters) discard() {
	if l != nil {
		_ = l.file.Discard() // why it did not begin matters more
	}
}
