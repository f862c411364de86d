package live

import (
	"github.com/pentode-dev/pentode/internal/leaf/columns"
)

// Source is a run as the view shows and steers it. What is nil cannot be done,
// and has no key.
type Source struct {
	Title   string
	Look    func() Picture
	Log     func() []string            // the newest last
	LogOf   func(name string) []string // of one row
	Stop    func() error
	Pause   func(on bool) error // off: a paused run goes on
	Restart func(name string) error
	Pages   []Page // texts about rows; with them, a row can be marked
	Brief   bool   // no last picture stays on the terminal: the end is told in another way
}

// Page is a text about the chosen row, and perhaps the marked one, under a key of its own.
type Page struct {
	Key, Name, Does string // as the foot and the help have them
	Text            func(chosen, marked string) ([]string, error)
}

// Picture is a run at one moment.
type Picture struct {
	Summary  string // the run in one line
	Over     bool
	Paused   bool
	Sections []Section // the first is the list that a row is chosen from
}

// Section is rows under their heads.
type Section struct {
	Head    []string         // nil: it has none
	Columns []columns.Column // how they are set, and give way on a narrow terminal
	Rows    []Row
}

// Row is one thing of a run.
type Row struct {
	Name   string
	Cells  []string
	Hot    bool     // it holds up the others, or has failed
	Full   bool     // of a row with a bar: its edge is full, or drops data
	Detail []string // what there is to say about it alone
}

// Cells are the heads and the rows, for a table.
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
