package cli

import (
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/pentode-dev/pentode/runs/record"
)

// TestRunsView: the list shows the newest run first, each with its state, duration and findings. A page shows one run, and
// two runs can be compared, whichever of them is marked.
func TestRunsView(t *testing.T) {
	store := record.Store{Dir: filepath.Join(t.TempDir(), "state")}
	now := time.Date(2026, 3, 4, 12, 0, 0, 0, time.Local)
	for i, r := range []*record.Record{
		{ID: "20250102-000000-aaaaaa", Started: now.AddDate(-1, 0, 0), Exit: 0, Settings: []record.Setting{{File: "a.pipe", Part: "flow", Key: "thin:skip", Value: "1", At: "a.pipe:5:3"}}},
		{ID: "20260102-000000-bbbbbb", Started: now.AddDate(0, -1, 0), Exit: 3, End: "it is \x1b[2Jtoo hot", Tags: []string{"paper"},
			Findings: []record.Finding{{Severity: "warning", At: "a.pipe:1:1", Message: "odd"}, {Severity: "error", At: "a.pipe:2:1", Message: "bad"}, {Severity: "warning", At: "a.pipe:3:1", Message: "odd"}},
			Settings: []record.Setting{{File: "a.pipe", Part: "flow", Key: "thin:skip", Value: "3", At: "a.pipe:5:3"}}},
		{ID: "20260304-000000-cccccc", Started: now.Add(-time.Minute), Paths: []string{"/somewhere/heat"}},
	} {
		if r.Paths == nil {
			r.Paths = []string{"/somewhere/a.pipe"}
		}
		if i < 2 {
			r.Ended = r.Started.Add(1500 * time.Millisecond)
		}
		r.Version, r.Kind = 1, record.Pipeline
		if err := store.Write(r, nil); err != nil {
			t.Fatal(err)
		}
	}
	p := lookAtRuns(store, now)
	want := []string{
		"11:59:00 | heat | unfinished | - | – | 0 | 20260304-000000-cccccc | ",
		"02-04 12:00 | a.pipe | exit 3 | 1.5 s | 1 error, 2 warnings | 0 | 20260102-000000-bbbbbb | paper",
		"2025-03-04 | a.pipe | ok | 1.5 s | – | 0 | 20250102-000000-aaaaaa | ",
	}
	for i, row := range p.Sections[0].Rows {
		if have := strings.Join(row.Cells, " | "); i >= len(want) || have != want[i] || row.Hot != (i == 1) {
			t.Errorf("row %d is %s, %v; want i less than %v, have = %v and row.Hot = %v", i, have, row.Hot, len(want), want[i], (i == 1))
		}
	}
	if p.Summary != "3 runs are recorded, 1 failed" || len(p.Sections[0].Rows) != len(want) {
		t.Errorf("%s: %d rows, want p.Summary = %q and len(p.Sections[0].Rows) = %v", p.Summary, len(p.Sections[0].Rows), "3 runs are recorded, 1 failed", len(want))
	}
	source := runsSource(store)
	if have := source.Look(); have.Summary != p.Summary {
		t.Errorf("the view has %s; want %v", have.Summary, p.Summary)
	}
	page := func(key, chosen, marked string) string {
		for _, page := range source.Pages {
			if page.Key == key {
				lines, err := page.Text(chosen, marked)
				if err != nil {
					return err.Error()
				}
				return strings.Join(lines, "\n")
			}
		}
		return "no such key"
	}
	const first, second, third = "20250102-000000-aaaaaa", "20260102-000000-bbbbbb", "20260304-000000-cccccc"
	for _, c := range []struct{ key, chosen, marked, has, lacks string }{
		{"enter", second, "", `exit     3: it is \u001b[2Jtoo hot`, "settings:"},
		{"o", second, "", "  thin:skip = 3  a.pipe:5:3", "\x1b"},
		{"c", second, "", "from " + first + " to " + second + "\nsetting  thin:skip  1  → 3  a.pipe:5:3", third},
		{"c", third, first, "from " + first + " to " + third, second},
		{"c", first, third, "from " + first + " to " + third, second},
		{"c", first, "", "this is the first run: mark a run with space", "from"},
		{"c", first, first, "this run is marked", "from"},
		{"c", first, "gone", "no longer exists", "from"},
		{"enter", "gone", "", "no run `gone` is recorded", "from"},
	} {
		if have := page(c.key, c.chosen, c.marked); !strings.Contains(have, c.has) || strings.Contains(have, c.lacks) {
			t.Errorf("%s of %s and `%s`:\n%s\nwant %q in have and no %q in have", c.key, c.chosen, c.marked, have, c.has, c.lacks)
		}
	}
	if p := lookAtRuns(record.Store{Dir: filepath.Join(t.TempDir(), "none")}, now); p.Summary != "0 runs are recorded" {
		t.Errorf("without records: %s", p.Summary)
	}
}
