package live

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	tea "charm.land/bubbletea/v2"
	"charm.land/lipgloss/v2"
	"golang.org/x/tools/txtar"

	"github.com/pentode-dev/pentode/internal/golden"
	"github.com/pentode-dev/pentode/internal/leaf/columns"
	"github.com/pentode-dev/pentode/internal/leaf/visible"
	"github.com/pentode-dev/pentode/run/launch"
	"github.com/pentode-dev/pentode/run/launch/state"
)

// planSource is a plan whose names, notes and logs contain control characters.
func planSource() *Source {
	began := time.Date(2026, 3, 4, 5, 6, 7, 0, time.Local)
	nodes := []launch.Status{
		{ID: "broker", Kind: launch.KindDaemon, Host: "node01", State: launch.Running, Pid: 4711, Started: began, Restarts: 1,
			Argv:  []string{"/usr/bin/broker", "--listen", "127.0.0.1:4000", "--verbose"},
			Usage: &state.Usage{CPU: 3 * time.Second, MemoryKB: 40 << 10, PeakKB: 48 << 10}},
		{ID: "solver\x1b[2J日本", Kind: launch.KindProcess, Host: "node01", State: launch.Running, Pid: 4712, Started: began,
			Argv:  []string{"./solver", "--grid", "4096x4096", "a blank\nand \x1b]0;title\x07"},
			Usage: &state.Usage{CPU: 171 * time.Second, MemoryKB: 900 << 10, PeakKB: 2100 << 10}},
		{ID: "viewer", Kind: launch.KindProcess, Host: "node02", State: launch.Ended, Started: began, Ended: began.Add(2 * time.Second), Exit: launch.Exit{Code: 3, User: time.Second, PeakKB: 9000}},
		{ID: "archive", Kind: launch.KindProcess, Host: "node02", State: launch.Skipped, Note: "not needed: `solver` writes no \x1b[31mcheckpoints in this run"},
	}
	var log []string
	for i := range 40 {
		log = append(log, fmt.Sprintf("step %d of 400: residual 1.%04de-03, \x1b[36mmass\x1b[0m conserved to 12 digits, next output in %d steps\x1b[1A", i, i*37, 100-i))
	}
	return &Source{
		Title: "heat-1  heat", Look: func() Picture { return new(Plan).Picture("running", nodes, began.Add(90*time.Second)) },
		Log: func() []string { return log },
		LogOf: func(name string) []string {
			if !strings.HasPrefix(name, "solver") {
				return nil
			}
			return log
		},
		Stop: func() error { return nil }, Pause: func(bool) error { return nil }, Restart: func(string) error { return nil },
	}
}

// pipelineSource is a pipeline.
func pipelineSource() *Source {
	return &Source{Title: "heat.pipe", Look: func() Picture { return pictured(counts()) }, Log: func() []string { return []string{"warning: src: it is hot"} }, Stop: func() error { return nil }}
}

// pagedSource is a list with pages, such as the list of recorded runs.
func pagedSource() *Source {
	s := Section{
		Head:    []string{"started", "what", "state", "took", "findings", "run"},
		Columns: []columns.Column{{}, {Kind: columns.Name, Keep: 8}, {Keep: 7}, {Keep: 6}, {Kind: columns.Line, Keep: 5}, {Keep: 3}},
	}
	for i, state := range []string{"running", "ok", "exit 1"} {
		id := fmt.Sprintf("20260304-05060%d-abcdef", i)
		s.Rows = append(s.Rows, Row{Name: id, Hot: i == 2, Cells: []string{fmt.Sprintf("03-04 05:0%d", i), "heat\x1b[2J.pipe", state, "12.345s", "2 errors, 1 warning", id}})
	}
	text := func(chosen, marked string) ([]string, error) {
		if chosen == marked {
			return nil, fmt.Errorf("this is the marked one")
		}
		lines := []string{"chosen " + chosen, "marked " + marked, "setting  thin:skip  1  → 3  \x1b]0;title\x07 in a line that is longer than forty columns"}
		for i := range 40 {
			lines = append(lines, fmt.Sprint("line ", i))
		}
		return lines, nil
	}
	return &Source{
		Title: "runs", Look: func() Picture {
			return Picture{Summary: "3 runs are recorded, 1 running, 1 failed", Sections: []Section{s}}
		},
		Pages: []Page{
			{Key: "enter", Name: "show", Does: "show the record: programs, findings, results", Text: text},
			{Key: "c", Name: "compare", Does: "compare with the marked run, else with the previous one", Text: text},
		},
	}
}

// shown returns the view of a source on a whole terminal after some keys were pressed.
func shown(source *Source, width, height int, keys ...rune) *model {
	m := &model{source: source, picture: source.Look(), width: width, height: height, keys: true, whole: true}
	for _, k := range keys {
		msg := tea.KeyPressMsg{Code: k}
		if k < 0x7f && k >= ' ' {
			msg.Text = string(k)
		}
		if _, cmd := m.Update(msg); cmd != nil {
			m.Update(cmd())
		}
		m.frame()
	}
	return m
}

// legible reports lines that are too wide for a terminal of that size, and control characters.
func legible(t *testing.T, picture string, width, height int) {
	t.Helper()
	if have := lipgloss.Height(picture); have >= height {
		t.Errorf("%d lines on a terminal of %d, want less than %v", have, height, height)
	}
	for line := range strings.Lines(picture) {
		if have := lipgloss.Width(line); have > width {
			t.Errorf("%d columns on a terminal of %d: %q, want at most %v", have, width, line, width)
		}
		for _, r := range strings.TrimSuffix(colours().ReplaceAllString(line, ""), "\n") {
			if !visible.Shows(r) {
				t.Errorf("the terminal would obey %q in %q; want only what it shows", r, line)
			}
		}
	}
}

// TestGoldenScreens: every view at 40, 80 and 160 columns matches testdata.
func TestGoldenScreens(t *testing.T) {
	path := filepath.Join("testdata", "screens.txtar")
	archive, err := txtar.ParseFile(path)
	if err != nil && !golden.Updating() {
		t.Fatal(err)
	}
	want := map[string]string{}
	if archive != nil {
		for _, f := range archive.Files {
			want[f.Name] = string(f.Data)
		}
	}
	made := &txtar.Archive{Comment: []byte("The views of internal/live at several widths; `go test -update` rewrites them.\n")}
	for _, view := range []struct {
		name   string
		source func() *Source
		keys   []rune
	}{
		{"plan", planSource, []rune{'j'}},
		{"program", planSource, []rune{'j', tea.KeyEnter}},
		{"log", planSource, []rune{'l'}},
		{"scrolled log", planSource, []rune{'l', tea.KeyPgUp, tea.KeyUp}},
		{"keys", planSource, []rune{'?'}},
		{"question", planSource, []rune{'s'}},
		{"pipeline", pipelineSource, nil},
		{"runs", pagedSource, []rune{tea.KeySpace, 'j'}},
		{"page", pagedSource, []rune{tea.KeySpace, 'j', 'c', tea.KeyDown}},
		{"keys of runs", pagedSource, []rune{'?'}},
	} {
		for _, width := range []int{40, 80, 160} {
			picture := shown(view.source(), width, 24, view.keys...).frame()
			legible(t, picture, width, 24)
			name := fmt.Sprintf("%s, %d columns", view.name, width)
			text := colours().ReplaceAllString(picture, "") + "\n"
			made.Files = append(made.Files, txtar.File{Name: name, Data: []byte(text)})
			if !golden.Updating() && want[name] != text {
				t.Errorf("%s differs:\n--- got\n%s--- want\n%s", name, text, want[name])
			}
		}
	}
	if golden.Updating() {
		if err := os.MkdirAll("testdata", 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, txtar.Format(made), 0o644); err != nil {
			t.Fatal(err)
		}
	}
}

// TestSmallScreens: on terminals of any size, no view has lines that are too wide or too many lines, even while the size
// changes.
func TestSmallScreens(t *testing.T) {
	for _, keys := range [][]rune{nil, {'j', tea.KeyEnter}, {'l', tea.KeyPgUp}, {'?'}, {'/', 'x'}} {
		for _, source := range []*Source{planSource(), pipelineSource(), pagedSource()} {
			m := shown(source, 200, 50, keys...)
			for width := 200; width >= 20; width -= 9 {
				for _, height := range []int{4, 7, 12, 30} {
					m.Update(tea.WindowSizeMsg{Width: width, Height: height})
					legible(t, m.frame(), width, height)
				}
			}
		}
	}
}

// TestColumnsGive: if a table is too wide, its texts are shortened first, then the least important columns are dropped;
// the columns that identify a row stay.
func TestColumnsGive(t *testing.T) {
	s := Section{
		Head:    []string{"name", "much", "text", "some"},
		Columns: []columns.Column{{Kind: columns.Name}, {Kind: columns.Figure, Keep: 3}, {Kind: columns.Line, Keep: 2}, {Kind: columns.Figure, Keep: 1}},
		Rows:    []Row{{Cells: []string{"the first of all rows", "12345678", "a text that is rather long", "87654321"}}},
	}
	for width, want := range map[int]string{
		100: "the first of all rows   12345678   a text that is rather long   87654321",
		66:  "the first of all rows  12345678  a text that is rather …  87654321",
		50:  "the fir…l rows  12345678  a text that i…  87654321",
		40:  "the fir…l rows  12345678  a text that i…",
		30:  "the first …all rows   12345678",
		20:  "the first …all rows",
		6:   "the…ws",
	} {
		var b strings.Builder
		s.Write(&b, width)
		if _, have, _ := strings.Cut(b.String(), "\n"); have != want+"\n" {
			t.Errorf("at %d columns: %q, want %q", width, have, want)
		}
	}
}

// TestScroll: the view follows the end of a log, and stands still after the user has scrolled away from the end.
func TestScroll(t *testing.T) {
	var log []string
	add := func(n int) {
		for range n {
			log = append(log, fmt.Sprint("line ", len(log)))
		}
	}
	add(100)
	source := &Source{Look: func() Picture { return Picture{} }, Log: func() []string { return append([]string(nil), log...) }}
	m := shown(source, 40, 12, 'l')
	check := func(key rune, first, last string) {
		t.Helper()
		if key != 0 {
			m.Update(tea.KeyPressMsg{Code: key})
		}
		lines := strings.Split(colours().ReplaceAllString(m.frame(), ""), "\n")
		if lines[1] != first || lines[len(lines)-2] != last {
			t.Errorf("after %q the log is from %q to %q, want %q and %q", key, lines[1], lines[len(lines)-2], first, last)
		}
	}
	check(0, "line 92", "line 99")
	add(10)
	check(0, "line 102", "line 109")
	check(tea.KeyUp, "line 101", "line 108")
	add(10)
	check(0, "line 101", "line 108")
	check(tea.KeyPgUp, "line 94", "line 101")
	check(tea.KeyHome, "line 0", "line 7")
	check(tea.KeyUp, "line 0", "line 7")
	check(tea.KeyDown, "line 1", "line 8")
	check(tea.KeyPgDown, "line 8", "line 15")
	if have := colours().ReplaceAllString(m.frame(), ""); !strings.Contains(have, "end follows") {
		t.Errorf("the way back is not told:\n%s", have)
	}
	check(tea.KeyEnd, "line 112", "line 119")
	add(1)
	check(0, "line 113", "line 120")
}

// TestChosenInSight: if a list is longer than the terminal, it scrolls so that the chosen row is visible.
func TestChosenInSight(t *testing.T) {
	var p Picture
	s := Section{Head: []string{"name"}}
	for i := range 50 {
		s.Rows = append(s.Rows, Row{Name: fmt.Sprint(i), Cells: []string{fmt.Sprintf("row %d.", i)}})
	}
	p.Sections = []Section{s}
	m := shown(&Source{Look: func() Picture { return p }}, 40, 12)
	for i := range 50 {
		if have := m.frame(); !strings.Contains(have, "\x1b[7m"+fmt.Sprintf("row %d.", i)) || !strings.Contains(have, "name") {
			t.Fatalf("row %d is not in sight:\n%s", i, have)
		}
		m.Update(tea.KeyPressMsg{Code: tea.KeyDown})
	}
	m.Update(tea.KeyPressMsg{Code: tea.KeyHome})
	if have := m.frame(); !strings.Contains(have, "\x1b[7mrow 0.") {
		t.Errorf("the first row is not in sight:\n%s", have)
	}
}

// TestShare: the processor share is computed over the last second or more, or, at the first picture, since the start of
// the program.
func TestShare(t *testing.T) {
	var u Usage
	start := time.Unix(1000, 0)
	for _, c := range []struct {
		at, cpu time.Duration
		want    float64
	}{
		{10 * time.Second, 5 * time.Second, 0.5}, {10200 * time.Millisecond, 5200 * time.Millisecond, 0.5}, {12 * time.Second, 9 * time.Second, 2},
		{12500 * time.Millisecond, 9 * time.Second, 2}, {13 * time.Second, 9 * time.Second, 0}, {14 * time.Second, 7 * time.Second, 0.5}, // less time than before: another program has the process ID
	} {
		if have := u.share(7, c.cpu, start, start.Add(c.at)); have != c.want {
			t.Errorf("after %v with %v: %v, want %v", c.at, c.cpu, have, c.want)
		}
	}
}

// TestPages: a page opens at its beginning, can be scrolled, and can be left again. Only one row is marked, and errors
// are shown.
func TestPages(t *testing.T) {
	m := shown(pagedSource(), 80, 12)
	check := func(key rune, has, lacks string) {
		t.Helper()
		msg := tea.KeyPressMsg{Code: key}
		if key < 0x7f && key >= ' ' {
			msg.Text = string(key)
		}
		if _, cmd := m.Update(msg); cmd != nil {
			m.Update(cmd())
		}
		if have := colours().ReplaceAllString(m.frame(), ""); !strings.Contains(have, has) || strings.Contains(have, lacks) {
			t.Errorf("after %q there is no %q, or %q:\n%s", key, has, lacks, have)
		}
	}
	check(tea.KeyEnter, "chosen 20260304-050600-abcdef\nmarked \n", "line 8")
	check(tea.KeyDown, "line 4", "chosen")
	check(tea.KeyEnd, "line 39", "line 20")
	check('c', "line 39", "runs are recorded, 1 running, 1 failed\n  started")
	check(tea.KeyEscape, "started", "line")
	check(tea.KeySpace, "● 03-04 05:00", "● 03-04 05:01")
	check('c', "this is the marked one", "chosen")
	check('j', "● 03-04 05:00", "this is")
	check('c', "chosen 20260304-050601-abcdef\nmarked 20260304-050600-abcdef\n", "line 8")
	check(tea.KeyEnter, "started", "line")
	check(tea.KeySpace, "● 03-04 05:01", "● 03-04 05:00")
	check(tea.KeySpace, "03-04 05:01", "●")
	check('l', "03-04 05:01", "log")
	check('?', "leave the view\n", "the run goes on")
}
