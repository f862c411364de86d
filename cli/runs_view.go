package cli

import (
	"bytes"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/pentode-dev/pentode/internal/live"
	"github.com/pentode-dev/pentode/runs/compare"
	"github.com/pentode-dev/pentode/runs/record"
)

// listEvery is the time between two looks at the records: reading all of them takes a while.
const listEvery = 2 * time.Second

// runsSource is the recorded runs as a view, the newest first.
func runsSource(store record.Store) *live.Source {
	var last live.Picture
	var looked time.Time
	return &live.Source{
		Title: "runs",
		Look: func() live.Picture {
			if now := time.Now(); now.Sub(looked) >= listEvery {
				last, looked = lookAtRuns(store, now), now
			}
			return last
		},
		Pages: []live.Page{
			{Key: "enter", Name: "show", Does: "the record: what ran, what was found, what it made", Text: recordPage(store, false)},
			{Key: "c", Name: "compare", Does: "compare with the marked run, else with the one before it", Text: comparePage(store)},
			{Key: "o", Name: "open", Does: "the whole record, with every setting and its line", Text: recordPage(store, true)},
		},
	}
}

// lookAtRuns is the list.
func lookAtRuns(store record.Store, now time.Time) live.Picture {
	list, err := store.List()
	if err != nil {
		return live.Picture{Summary: err.Error()}
	}
	t := live.Section{
		Head:    []string{"started", "what", "state", "took", "findings", "results", "run", "tags"},
		Columns: []live.Column{{}, {Keep: 8, Text: true}, {Keep: 7}, {Keep: 6}, {Keep: 5, Text: true}, {Keep: 2}, {Keep: 3}, {Keep: 4, Text: true}},
	}
	going, failed := 0, 0
	for _, r := range slices.Backward(list) {
		stage, state := r.Stage(), exitText(r)
		bad := stage == record.Killed || stage == record.Ended && r.Exit != 0
		switch {
		case bad:
			failed++
		case stage == record.Running:
			going++
		}
		if stage == record.Ended {
			state = "ok"
			if bad {
				state = "exit " + strconv.Itoa(r.Exit)
			}
		}
		t.Rows = append(t.Rows, live.Row{Name: r.ID, Hot: bad, Cells: []string{
			startedText(r.Started, now), r.What(), state, took(r), findingsText(r.Findings), strconv.Itoa(len(r.Results)), r.ID, strings.Join(r.Tags, " "),
		}})
	}
	summary := count(len(list), "run is recorded", "runs are recorded")
	if going > 0 {
		summary += fmt.Sprintf(", %d running", going)
	}
	if failed > 0 {
		summary += fmt.Sprintf(", %d failed", failed)
	}
	return live.Picture{Summary: summary, Sections: []live.Section{t}}
}

// startedText is when a run was started, in as few characters as tell it.
func startedText(at, now time.Time) string {
	at, now = at.Local(), now.Local()
	switch {
	case at.Format(time.DateOnly) == now.Format(time.DateOnly):
		return at.Format(time.TimeOnly)
	case at.Year() == now.Year():
		return at.Format("01-02 15:04")
	}
	return at.Format(time.DateOnly)
}

// findingsText is how many findings there are of each weight.
func findingsText(list []record.Finding) string {
	var parts []string
	for _, severity := range []string{"error", "warning", "info"} {
		n := 0
		for i := range list {
			if list[i].Severity == severity {
				n++
			}
		}
		if n > 0 {
			parts = append(parts, count(n, severity, severity+"s"))
		}
	}
	if parts == nil {
		return "–"
	}
	return strings.Join(parts, ", ")
}

// recordPage is what `runs show` prints of the chosen run.
func recordPage(store record.Store, settings bool) func(chosen, _ string) ([]string, error) {
	return func(chosen, _ string) ([]string, error) {
		r, err := store.Open(chosen)
		if err != nil {
			return nil, err
		}
		return printed(func(a *app) { a.showRecord(r, settings) }), nil
	}
}

// comparePage is what `runs diff` prints of the marked run and the chosen one; without a mark, of the one before and the
// chosen one.
func comparePage(store record.Store) func(chosen, marked string) ([]string, error) {
	return func(chosen, marked string) ([]string, error) {
		list, err := store.List()
		if err != nil {
			return nil, err
		}
		at := func(id string) int {
			return slices.IndexFunc(list, func(r *record.Record) bool { return r.ID == id })
		}
		is, was := at(chosen), at(marked)
		if marked == "" {
			was = is - 1
		}
		switch {
		case is < 0 || marked != "" && was < 0:
			return nil, errors.New("the record of a run that was chosen is not there any more")
		case was < 0:
			return nil, errors.New("this is the first run: mark another with space, then choose one to compare it with")
		case was == is:
			return nil, errors.New("this run is the marked one: choose another to compare it with")
		}
		d := compare.Runs(list[min(was, is)], list[max(was, is)], list)
		return printed(func(a *app) { a.printDiff(d) }), nil
	}
}

// printed are the lines that a verb prints.
func printed(print func(*app)) []string {
	var b bytes.Buffer
	print(&app{out: &b})
	return strings.Split(strings.TrimSuffix(b.String(), "\n"), "\n")
}
