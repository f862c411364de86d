package live

import (
	"github.com/pentode-dev/pentode/internal/leaf/columns"
)

// Source is a run as the view shows and controls it. If a function is nil, the action is impossible and has no key.
type Source struct {
	Title   string
	Look    func() Picture
	Log     func() []string            // lines, the newest last
	LogOf   func(name string) []string // of one row
	Stop    func() error
	Pause   func(on bool) error // off: continue a paused run
	Restart func(name string) error
	Pages   []Page // texts about rows; if there are pages, a row can be marked
	Brief   bool   // no last picture stays on the terminal: the end is reported in another way
}

// Page is a text about the chosen row, and perhaps the marked row, with its own key.
type Page struct {
	Key, Name, Does string // for the foot and the help
	Text            func(chosen, marked string) ([]string, error)
}

// Picture is a run at one moment.
type Picture struct {
	Summary  string // the run in one line
	Over     bool
	Paused   bool
	Sections []Section // the first is the list from which a row is chosen
}

// Section is a table of rows.
type Section struct {
	Head    []string         // nil: no heads
	Columns []columns.Column // how columns are aligned, and which are dropped on a narrow terminal
	Rows    []Row
}

// Row is one part of a run.
type Row struct {
	Name   string
	Cells  []string
	Hot    bool     // it delays the others, or has failed
	Full   bool     // for a row with a bar: its edge is full, or drops data
	Detail []string // details about it
}

// Cells returns the heads and the rows for a table.
func (t Section) Cells() [][]string {
	var all [][]string
	if t.Head != nil {
		all = append(all, t.Head)
	}
	for _, r := range t.Rows {
		all = append(all, r.Cells)
	}
	return all
}
