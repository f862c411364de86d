package live

import (
	"context"
	"fmt"
	"io"
	"os"
	"strings"
	"testing"
	"time"

	tea "charm.land/bubbletea/v2"
	"charm.land/lipgloss/v2"
	"github.com/charmbracelet/x/ansi"

	"github.com/pentode-dev/pentode/internal/golden"
	"github.com/pentode-dev/pentode/internal/leaf/quantity"
	"github.com/pentode-dev/pentode/run/flow"
	"github.com/pentode-dev/pentode/run/flow/catalog"
	"github.com/pentode-dev/pentode/run/flow/figures"
	"github.com/pentode-dev/pentode/run/launch"
	"github.com/pentode-dev/pentode/run/launch/state"
)

func counts() *flow.Stats {
	return &flow.Stats{
		Version: 1, State: flow.Running, Wall: 4 * time.Second,
		Processes: []flow.ProcessStats{
			{Name: "src", Type: "numbers", Steps: 20_000_000, Out: 20_000_000, Busy: 2 * time.Second},
			{Name: "snk", Type: "sink", Steps: 20_000_001, In: 19_000_000, Busy: time.Second, Done: true},
			{Name: "alone", Type: "orphan", Steps: 3, Blocked: 2 * time.Second},
			{Name: "asks", Type: "exec", Steps: 3, Busy: time.Second, Program: 900 * time.Millisecond},
		},
		Edges: []flow.EdgeStats{{
			From: "src.number", To: "snk.sink", Capacity: 40, High: 40, Mean: 22.6, Pushed: 20_000_000, Taken: 19_000_000,
			Dropped: 999_970, Left: 30, Full: time.Second, Empty: 3 * time.Second,
		}},
	}
}

func TestTable(t *testing.T) {
	want := `
process   steps   in/s   out/s   busy   blocked on                 drops
src       20.0M      –    5.0M   50 %   snk (full) 25 %                –
snk       20.0M   4.8M       –   25 %   src (empty) 75 %         999,970
alone         3      –       –    0 %   something outside 50 %         –
asks          3      –       –   25 %   its program 22 %               –
edge src.number → snk.sink   capacity 40   high 40   mean 23
bottleneck: src, busy 50 % of the time
19,000,000 data in 4 s, 999,970 dropped
`
	whole := counts()
	whole.State = flow.Finished
	if have := "\n" + tabled(whole); have != want {
		t.Errorf("have%s\nwant%s", have, want)
	}
	whole.State = flow.Paused
	if have := tabled(whole); !strings.HasSuffix(have, "\npaused: 19,000,000 data in 4 s, 999,970 dropped\n") {
		t.Errorf("the run is paused, but: %s", have)
	}
	idle := counts()
	idle.Processes[0].Busy = 1900 * time.Millisecond
	if have := tabled(idle); strings.Contains(have, "bottleneck") {
		t.Errorf("no process works most of the time, but: %s", have)
	}
	alone := counts()
	alone.Processes, alone.Edges = alone.Processes[:1], append(alone.Edges, flow.EdgeStats{From: "src.number", To: "snk.more", Taken: 1})
	if have := tabled(alone); strings.Contains(have, "bottleneck") || !strings.Contains(have, "capacity unlimited") || !strings.HasSuffix(have, "19,000,001 data over 2 edges in 4 s, 999,970 dropped\n") {
		t.Errorf("one process and two edges: %s; want no %q in have, %q in have and have = %q at the end", have, "bottleneck", "capacity unlimited", "19,000,001 data over 2 edges in 4 s, 999,970 dropped\n")
	}
	if have := tabled(&flow.Stats{}); !strings.Contains(have, "0 data in 0 s") {
		t.Errorf("nothing happened, but: %s", have)
	}
}

// TestRest: if a process knows how many steps it will make, the remaining time is estimated from its average speed so far.
func TestRest(t *testing.T) {
	s := counts()
	if have := line(s); strings.Contains(have, "left") {
		t.Errorf("no end is known, but: %s", have)
	}
	s.Processes[1].Total = 1_000_000_000 // the process has made all of its steps
	s.Processes[0].Total = 60_000_000
	if have := line(s); !strings.HasSuffix(have, ", about 8 s left") {
		t.Errorf("20 of 60 million steps in 4 s: %s; want %q at the end", have, ", about 8 s left")
	}
	s.Processes[2].Total = 93
	if have := line(s); !strings.HasSuffix(have, ", about 2m0s left") {
		t.Errorf("the slowest counts: %s; want %q at the end", have, ", about 2m0s left")
	}
	s.Processes[0].Total = 1 << 62
	if have := line(s); !strings.HasSuffix(have, ", about 53,376 days left") {
		t.Errorf("a run without an end: %s", have)
	}
}

// pictured returns the picture of a whole run.
func pictured(s *flow.Stats) Picture {
	f := figures.Of(s)
	return PipelinePicture(&f, &f)
}

// tabled returns the table of a whole run.
func tabled(s *flow.Stats) string {
	f := figures.Of(s)
	return Table(&f, 0)
}

// line returns a whole run in one line.
func line(s *flow.Stats) string {
	f := figures.Of(s)
	return Line(&f)
}

// framed returns a view that shows counts.
func framed(now *flow.Stats, width, height int, keys bool) *model {
	return &model{source: &Source{Title: "a.pipe"}, picture: pictured(now), width: width, height: height, keys: keys}
}

// TestFrameFits: the picture fits a terminal of any size.
func TestFrameFits(t *testing.T) {
	now := counts()
	for range 50 {
		now.Edges = append(now.Edges, now.Edges[0])
	}
	for width := 20; width < 100; width += 7 {
		for height := 4; height < 80; height += 5 {
			picture := framed(now, width, height, width%2 == 0).frame()
			if have := lipgloss.Height(picture); have >= height {
				t.Errorf("%d lines on a terminal of %d, want less than %v", have, height, height)
			}
			if have := lipgloss.Width(picture); have > width {
				t.Errorf("%d columns on a terminal of %d, want at most %v", have, width, width)
			}
		}
	}
	picture := framed(now, 120, 80, false).frame()
	if strings.Contains(ansi.Strip(picture), "u001b") {
		t.Errorf("colours are shown as text:\n%s\nwant no %q in it", picture, "u001b")
	}
	for _, want := range []string{"a.pipe", "20.0M", "30 of 40", "999,970 dropped", "done"} {
		if !strings.Contains(picture, want) {
			t.Errorf("the picture lacks %q:\n%s", want, picture)
		}
	}
}

// TestPaused: every view shows that a run is paused, whoever paused it.
func TestPaused(t *testing.T) {
	now := counts()
	now.State = flow.Paused
	m := framed(now, 100, 40, true)
	m.source.Pause = func(bool) error { return nil }
	if have := ansi.Strip(m.frame()); !strings.Contains(have, "a.pipe  paused, 4 s: ") || !strings.Contains(have, "p resume") {
		t.Errorf("the run is paused, but the picture has\n%s", have)
	}
}

// TestKeys: every key does what the help says.
func TestKeys(t *testing.T) {
	var did []string
	done := func(what string) func() error { return func() error { did = append(did, what); return nil } }
	m := framed(counts(), 100, 40, true)
	m.source = &Source{
		Title: "a.pipe", Log: func() []string { return []string{"first line", "\x1b[2Jsecond"} },
		Stop: done("stop"), Pause: func(on bool) error { return done(fmt.Sprint("pause ", on))() }, Restart: func(name string) error { return done("restart " + name)() },
	}
	press := func(keys ...string) string {
		for _, k := range keys {
			msg := tea.KeyPressMsg{Text: k}
			switch {
			case k == "enter":
				msg = tea.KeyPressMsg{Code: tea.KeyEnter}
			case k == "esc":
				msg = tea.KeyPressMsg{Code: tea.KeyEscape}
			case k == "down":
				msg = tea.KeyPressMsg{Code: tea.KeyDown}
			default:
				msg.Code = []rune(k)[0]
			}
			if _, cmd := m.Update(msg); cmd != nil {
				m.Update(cmd())
			}
		}
		return ansi.Strip(m.frame())
	}
	for _, c := range []struct {
		keys       []string
		has, lacks string
	}{
		{[]string{"?"}, "Ctrl-C", "src.number"},
		{[]string{"?"}, "src.number", "Ctrl-C"},
		{[]string{"enter"}, "src :: numbers", "alone"},
		{[]string{"esc", "down", "enter"}, "snk :: sink", "alone"},
		{[]string{"esc", "l"}, "first line\n·[2Jsecond", "src.number"},
		{[]string{"l", "/", "a", "l", "o", "enter"}, "shown: alo", "src.number"},
		{[]string{"esc", "s"}, "stop a.pipe? (y/n)", "? keys"},
		{[]string{"n"}, "? keys", "(y/n)"},
	} {
		if have := press(c.keys...); !strings.Contains(have, c.has) || strings.Contains(have, c.lacks) {
			t.Errorf("after %v:\n%s", c.keys, have)
		}
	}
	press("s", "y", "p", "r", "y")
	m.picture.Paused = true
	press("p")
	if have := strings.Join(did, ", "); have != "stop, pause true, restart alone, pause false" {
		t.Errorf("it did %s; want %q", have, "stop, pause true, restart alone, pause false")
	}
}

// TestChosenRow: one row is marked, keys move the mark within the rows, and without keys no row is marked.
func TestChosenRow(t *testing.T) {
	m := framed(counts(), 100, 40, true)
	marked := func() string {
		var rows []string
		for line := range strings.Lines(m.frame()) {
			if strings.Contains(line, "\x1b[7m") {
				rows = append(rows, strings.Fields(ansi.Strip(line))[0])
			}
		}
		return strings.Join(rows, " ")
	}
	for _, c := range []struct {
		key  rune
		want string
	}{{'k', "src"}, {'j', "snk"}, {'j', "alone"}, {'k', "snk"}, {'j', "alone"}, {'j', "asks"}, {'j', "asks"}, {'j', "asks"}, {'k', "alone"}} {
		m.Update(tea.KeyPressMsg{Code: c.key, Text: string(c.key)})
		if have := marked(); have != c.want {
			t.Errorf("after %c, `%s` is marked, want `%s`", c.key, have, c.want)
		}
	}
	m.keys = false
	if have := marked(); have != "" {
		t.Errorf("no keys are read, but `%s` is marked", have)
	}
}

// TestHottest: the bottleneck comes first and stands out.
func TestHottest(t *testing.T) {
	for _, c := range []struct {
		busy time.Duration
		want string // the first row
		hot  bool
	}{{4900 * time.Millisecond, "src", false}, {5100 * time.Millisecond, "snk", true}} {
		now := &flow.Stats{State: flow.Running, Wall: 10 * time.Second, Processes: []flow.ProcessStats{{Name: "src"}, {Name: "snk", Busy: c.busy}}}
		first := pictured(now).Sections[0].Rows[0]
		if first.Name != c.want || first.Hot != c.hot {
			t.Errorf("with %v of 10 s the first row is %+v, want first.Name = %v and first.Hot = %v", c.busy, first, c.want, c.hot)
		}
	}
}

// TestPicture: the whole picture of a pipeline, and the details of its processes.
func TestPicture(t *testing.T) {
	now := counts()
	now.Wall += 6 * time.Millisecond
	now.Processes[0].Busy += 6 * time.Millisecond
	now.Processes[0].Total = 40_000_000
	now.Edges = append(now.Edges, flow.EdgeStats{From: "src.number", To: "asks.in", Left: 7, High: 1234})
	want := `
a.pipe  running, 4.01 s: 19,000,000 data, 4.7M/s, 999,970 dropped, about 4 s left
process   steps   in/s   out/s   busy   waits for
src       20.0M      –    5.0M   50 %   snk (full) 25 %
snk       20.0M   4.7M       –   done   –
alone         3      –       –    0 %   something outside 50 %
asks          3      0       –   25 %   its program 22 %
src.number → snk.sink   ███████████████░░░░░   30 of 40, 999,970 dropped   4.7M/s
src.number → asks.in    ░░░░░░░░░░░░░░░░░░░░   7 of unlimited                 0/s`
	m := framed(now, 0, 0, false)
	if have := "\n" + ansi.Strip(m.frame()); have != want {
		t.Errorf("have%s\nwant%s", have, want)
	}
	if rows := m.picture.Sections[0].Rows; !rows[0].Hot || rows[1].Hot {
		t.Errorf("the first process holds up the others, but: %+v", rows)
	}
	for name, want := range map[string]string{
		"src": `
src :: numbers
20,000,000 steps of 40,000,000, 50 %, 100 ns each when busy
busy 50 %, waiting 0 % of 4.01 s
waited most for snk (full) 25 %
src.number → snk.sink  30 of 40, highest 40, 19,000,000 taken, 999,970 dropped
src.number → asks.in  7 of unlimited, highest 1,234, 0 taken, 0 dropped`,
		"asks": `
asks :: exec
3 steps, 333 ms each when busy
busy 25 %, waiting 0 % of 4.01 s
waited most for its program 22 %
src.number → asks.in  7 of unlimited, highest 1,234, 0 taken, 0 dropped`,
	} {
		m.shows, m.name = showDetail, name
		if _, have, _ := strings.Cut(ansi.Strip(m.frame()), "\n"); "\n"+have != want {
			t.Errorf("have\n%s\nwant%s", have, want)
		}
	}
	m.name = "gone\n"
	if have := ansi.Strip(m.frame()); !strings.HasSuffix(have, "` no longer exists") || strings.Count(have, "\n") != 1 {
		t.Errorf("of what has gone: %q, want have = %q at the end and strings.Count(have, \"\\n\") = 1", have, "` no longer exists")
	}
	// The copies of a process have no edges of their own, but they count data.
	copies := &flow.Stats{State: flow.Running, Wall: time.Second, Processes: []flow.ProcessStats{{Name: "a", In: 1, Out: 1}, {Name: "b"}}}
	rows := pictured(copies).Sections[0].Rows
	if have := strings.Join(rows[0].Cells, " ") + "; " + strings.Join(rows[1].Cells, " "); have != "a  0 1 1 0 % –; b  0 – – 0 % –" {
		t.Errorf("the copies are %s; want %q", have, "a  0 1 1 0 % –; b  0 – – 0 % –")
	}
	if have := tabled(copies); !strings.Contains(have, "\na             0      1       1    0 %   –                0\nb             0      –       –    0 %   –                –\n") {
		t.Errorf("the copies are\n%s\nwant %q in it", have, "\na             0      1       1    0 %   –                0\nb             0      –       –    0 %   –                –\n")
	}
	one := &flow.Stats{State: flow.Running, Wall: time.Second, Processes: []flow.ProcessStats{{Name: "a", Busy: time.Second, Program: time.Second / 2}}}
	if row := pictured(one).Sections[0].Rows[0]; row.Hot || row.Cells[6] != quantity.None {
		t.Errorf("one process holds up nobody, and half of its work is its own: %+v", row)
	}
}

// TestRoom: if a picture is too long, as much as fits is shown, with the number of hidden lines.
func TestRoom(t *testing.T) {
	now := counts()
	for range 50 {
		now.Edges = append(now.Edges, now.Edges[0])
	}
	for _, c := range []struct {
		height int
		keys   bool
		lines  int
		last   string
	}{
		{30, false, 29, "and 29 lines more"}, {30, true, 28, "and 30 lines more"}, {2, false, 2, "and 56 lines more"},
		{58, false, 57, "src.number"}, {57, false, 56, "and 2 lines more"},
	} {
		m := framed(now, 120, c.height, c.keys)
		lines := strings.Split(ansi.Strip(m.frame()), "\n")
		if c.keys {
			lines = lines[:len(lines)-1] // the foot
		}
		if len(lines) != c.lines || !strings.HasPrefix(lines[len(lines)-1], c.last) {
			t.Errorf("height %d, keys %v: %d lines, the last is %q; want %d and %q", c.height, c.keys, len(lines), lines[len(lines)-1], c.lines, c.last)
		}
	}
}

// TestColours: the chosen row, the bottleneck and full edges stand out.
func TestColours(t *testing.T) {
	now := counts()
	now.Edges = append([]flow.EdgeStats{{From: "src.number", To: "asks.in", Left: 4, Capacity: 5}}, now.Edges...)
	now.Edges = append(now.Edges, flow.EdgeStats{From: "src.number", To: "asks.in", Left: 37, Capacity: 40})
	now.Processes[3].Busy = 3 * time.Second
	m := framed(now, 0, 0, true)
	m.Update(tea.KeyPressMsg{Code: 'j', Text: "j"})
	var have []string
	for line := range strings.Lines(m.frame()) {
		for _, style := range []struct{ begin, name string }{{"\x1b[7m", "chosen"}, {"\x1b[31m", "red"}, {"\x1b[32m", "green"}} {
			if strings.Contains(line, style.begin) {
				have = append(have, strings.Fields(ansi.Strip(line))[0]+" "+style.name)
			}
		}
	}
	if have := strings.Join(have, ", "); have != "asks red, src chosen, src.number green, src.number red, src.number red" {
		t.Errorf("the lines are %s; want %q", have, "asks red, src chosen, src.number green, src.number red, src.number red")
	}
}

// TestFoot: the foot has the keys that have an effect, and the typed text or the last error.
func TestFoot(t *testing.T) {
	do := func() error { return nil }
	m := framed(counts(), 0, 0, true)
	last := func() string {
		text := ansi.Strip(m.frame())
		return text[strings.LastIndexByte(text, '\n')+1:]
	}
	keys := "? keys  q leave  ↵ detail  l log  / filter"
	check := func(want string) {
		t.Helper()
		if have := last(); have != want {
			t.Errorf("the foot is %q, want %q", have, want)
		}
	}
	press := func(key tea.KeyPressMsg) tea.Cmd {
		_, cmd := m.Update(key)
		return cmd
	}
	letter := func(r rune) tea.KeyPressMsg { return tea.KeyPressMsg{Code: r, Text: string(r)} }
	check(keys)
	for _, r := range "spr" { // none of these actions is possible
		if cmd := press(letter(r)); cmd != nil {
			t.Errorf("%c does something, want none", r)
		}
		check(keys)
	}
	m.source.Stop, m.source.Restart, m.source.Pause = do, func(string) error { return nil }, func(bool) error { return nil }
	check(keys + "  s stop  r restart  p pause")
	m.picture.Over = true
	check(keys + "  r restart")
	m.picture.Over = false
	for _, r := range "/SÄb" {
		press(letter(r))
	}
	check("/SÄb█")
	press(tea.KeyPressMsg{Code: tea.KeyBackspace})
	press(tea.KeyPressMsg{Code: tea.KeyBackspace})
	check("/S█")
	press(letter('n'))
	press(tea.KeyPressMsg{Code: tea.KeyEnter})
	check(keys + "  s stop  r restart  p pause  shown: Sn")
	if have := ansi.Strip(m.frame()); !strings.Contains(have, "snk  ") || strings.Contains(have, "alone") || !strings.Contains(have, "src.number → snk.sink") {
		t.Errorf("the lines with `sn` are\n%s\nwant %q in have, no %q in have and %q in have", have, "snk  ", "alone", "src.number → snk.sink")
	}
	press(letter('/'))
	press(letter('x'))
	press(tea.KeyPressMsg{Code: tea.KeyEscape})
	press(tea.KeyPressMsg{Code: tea.KeyBackspace})
	check(keys + "  s stop  r restart  p pause")
	press(letter('/'))
	press(tea.KeyPressMsg{Code: tea.KeyBackspace})
	check("/█")
	press(tea.KeyPressMsg{Code: tea.KeyEnter})
	m.source.Stop = func() error { return fmt.Errorf("it does\nnot stop") }
	press(letter('s'))
	check("stop a.pipe? (y/n)")
	m.Update(press(letter('y'))())
	if have := last(); !strings.HasPrefix(have, "it does") || !strings.HasSuffix(have, "not stop") {
		t.Errorf("the failure is %q, want have = %q at the start and have = %q at the end", have, "it does", "not stop")
	}
	m.Update(failure{})
	check(keys + "  s stop  r restart  p pause")
	m.Update(failure{fmt.Errorf("no")})
	press(letter('j'))
	check(keys + "  s stop  r restart  p pause")
	if cmd := press(letter('q')); cmd == nil || cmd() != (tea.QuitMsg{}) {
		t.Error("q does not leave")
	}
	stopped := false
	m.stop = func() { stopped = true }
	if press(tea.KeyPressMsg{Code: 'c', Mod: tea.ModCtrl}); !stopped {
		t.Error("Ctrl-C does not stop")
	}
}

// TestTail: the log shows its last lines that fit and pass the filter.
func TestTail(t *testing.T) {
	m := framed(counts(), 0, 6, false)
	m.shows = showLog
	var log []string
	check := func(want string) {
		t.Helper()
		if _, have, _ := strings.Cut(ansi.Strip(m.frame()), "\n"); have != want {
			t.Errorf("the log is %q, want %q", have, want)
		}
	}
	check("there is no log")
	m.source.Log = func() []string { return log }
	check("nothing has been written yet")
	log = []string{"One", "two", "three", "f\tour\x07"}
	check("two\nthree\nf our·")
	m.filter = "oN"
	check("One")
	log, m.filter = []string{"\x1b[36mwest\x1b[0m | ready\x1b[1;31m!\x1b[m \x1b[2J", "other"}, "west | ready!"
	check("west | ready! ·[2J") // colours are removed, control characters are shown
	log = []string{"One", "two", "three", "f\tour\x07"}
	m.height, m.filter = 1, ""
	check("f our·")
}

// TestLogOfARow: the details of a program end with its log.
func TestLogOfARow(t *testing.T) {
	m := framed(counts(), 0, 8, false)
	m.shows, m.name = showDetail, "alone"
	m.source.LogOf = func(name string) []string { return []string{"old", name + " \x1b[32mone\x1b[0m", name + " two"} }
	if have := strings.Split(ansi.Strip(m.frame()), "\n"); strings.Join(have[len(have)-2:], "; ") != "alone one; alone two" {
		t.Errorf("the detail is %q, want %q", have, "alone one; alone two")
	}
}

// TestLastPicture: at the end, the list without the keys remains on the terminal, or nothing if the end is reported in another way.
func TestLastPicture(t *testing.T) {
	for _, brief := range []bool{false, true} {
		m := framed(counts(), 0, 0, true)
		m.source.Brief = brief
		m.source.Look = func() Picture { return pictured(counts()) }
		if v := m.View(); v.Content != "" || v.AltScreen || m.ready.Load() {
			t.Errorf("before the first look there is %q", v.Content)
		}
		m.whole, m.flush = true, func() {}
		if _, cmd := m.Update(tick{}); cmd == nil {
			t.Error("there is no next look")
		}
		if v := m.View(); !strings.Contains(v.Content, "? keys") || !v.AltScreen || !m.ready.Load() || strings.HasSuffix(v.Content, "\n") {
			t.Errorf("the picture is %q, want `? keys` in it, no line break at its end, the alternate screen, and the model ready", v.Content)
		}
		m.shows, m.filter, m.typing = showHelp, "x", true
		if _, cmd := m.Update(finished{}); cmd == nil || cmd() != (tea.QuitMsg{}) {
			t.Error("the view does not end")
		}
		have := m.View().Content
		if brief && have != "" || !brief && (!strings.Contains(have, "src.number") || strings.Contains(have, "? keys") || !strings.HasSuffix(have, "\n")) {
			t.Errorf("brief %v: at the end there is %q, want nothing of a brief view, else the table without its keys", brief, have)
		}
	}
}

// TestSinceTheLookBefore: the rates of a live run are computed since the previous picture, and the rates of an ended run over the
// whole run.
func TestSinceTheLookBefore(t *testing.T) {
	looks := []*flow.Stats{counts(), counts(), counts()}
	for i, s := range looks[1:] {
		s.Wall += time.Duration(i+1) * 2 * time.Second
		s.Processes[0].Out += 4_000_000
		s.Processes[1].In += 3_000_000
		s.Edges[0].Taken += 1_000_000
	}
	looks[2].State = flow.Finished
	look := Pipeline(func() flow.Stats {
		s := looks[0]
		looks = looks[1:]
		return *s
	})
	for i, want := range []string{"5.0M 4.8M 4.8M/s", "2.0M 1.5M 500.0k/s", "3.0M 2.8M 2.5M/s"} {
		p := look()
		rows := map[string][]string{}
		for _, r := range p.Sections[0].Rows {
			rows[r.Name] = r.Cells
		}
		if have := rows["src"][4] + " " + rows["snk"][3] + " " + p.Sections[1].Rows[0].Cells[3]; have != want {
			t.Errorf("look %d: %s, want %s", i, have, want)
		}
	}
}

// TestBar: an edge with data shows at least one cell, and a full edge shows all.
func TestBar(t *testing.T) {
	for _, c := range []struct {
		fill float64
		want int
	}{{0, 0}, {1. / 40, 1}, {0.5, 10}, {1. / 19, 2}, {39. / 40, 20}, {1, 20}} {
		if have := strings.Count(bar(c.fill), filled); have != c.want || len([]rune(bar(c.fill))) != barWidth {
			t.Errorf("%v of 1 has %d cells, want %d", c.fill, have, c.want)
		}
	}
}

// TestLog: lines are complete and in order, however they were written, and only the newest are kept.
func TestLog(t *testing.T) {
	var l Log
	for _, text := range []string{"one\ntwo\nth", "re", "e\n\nlast\nnot ended"} {
		if n, err := io.WriteString(&l, text); n != len(text) || err != nil {
			t.Errorf("%d bytes of %q: %v", n, text, err)
		}
	}
	if have := strings.Join(l.Lines(), "|"); have != "one|two|three||last" {
		t.Errorf("the log has %s; want %q", have, "one|two|three||last")
	}
	const many = 3*maxLog + 7
	for i := range many {
		fmt.Fprintf(&l, " %d\n", i)
	}
	have := l.Lines()
	if len(have) != maxLog || have[0] != fmt.Sprint(" ", many-maxLog) || have[maxLog-1] != fmt.Sprint(" ", many-1) {
		t.Errorf("%d lines from %q to %q, want len(have) = %v, have[0] = %v and have[maxLog-1] = %v", len(have), have[0], have[len(have)-1], maxLog, fmt.Sprint(" ", many-maxLog), fmt.Sprint(" ", many-1))
	}
}

// TestEnvironment: the terminal library sees only the user's colour settings in the environment.
func TestEnvironment(t *testing.T) {
	for _, name := range []string{"CLICOLOR", "CLICOLOR_FORCE"} {
		t.Setenv(name, "") // t.Setenv restores it at the end
		os.Unsetenv(name)
	}
	t.Setenv("NO_COLOR", "1")
	t.Setenv("TERM_PROGRAM", "one that is asked for its version")
	if have := strings.Join(environment(), " "); have != "TERM=xterm-256color SSH_TTY=none NO_COLOR=1" {
		t.Errorf("the library sees %s; want %q", have, "TERM=xterm-256color SSH_TTY=none NO_COLOR=1")
	}
}

// TestPlanPicture: failed programs stand out, stopped ones do not.
func TestPlanPicture(t *testing.T) {
	now := time.Now()
	p := new(Plan).Picture("running", []launch.Status{
		{ID: "a", Kind: launch.KindProcess, State: launch.Running, Pid: 7, Started: now.Add(-90 * time.Second), Usage: &state.Usage{CPU: 2 * time.Second, MemoryKB: 2048, PeakKB: 3072}},
		{ID: "b", Kind: launch.KindProcess, Host: "n1", State: launch.Ended, Exit: launch.Exit{Code: 3, User: time.Second, System: 2 * time.Second, PeakKB: 1536}},
		{ID: "c", Kind: launch.KindDaemon, State: launch.Ended, Exit: launch.Exit{Signal: 15}, Note: "the run has ended"},
	}, now)
	if p.Summary != "running: 1 of 3 programs run, 1 failed" || p.Over {
		t.Errorf("%+v, want 1 of 3 programs going on, 1 failed, and the run not over", p)
	}
	for i, hot := range []bool{false, true, false} {
		if p.Sections[0].Rows[i].Hot != hot {
			t.Errorf("%+v, want %v", p.Sections[0].Rows[i], hot)
		}
	}
	for i, want := range []string{"a running  7 1m30s 2.2 % 2 s 2MB 0 ", "b ended, 3 n1 – – – 3 s 1.5MB 0 ", "c ended, 143  – – – 0 s 0B 0 the run has ended"} {
		if have := strings.Join(p.Sections[0].Rows[i].Cells, " "); have != want {
			t.Errorf("have %q, want %q", have, want)
		}
	}
	if have := strings.Join(p.Sections[0].Rows[1].Detail, "; "); have != "process b on n1; ended, 3; processor time 3 s, peak memory 1.5MB" {
		t.Errorf("what is said about `b`: %s; want %q", have, "process b on n1; ended, 3; processor time 3 s, peak memory 1.5MB")
	}
	if have := strings.Join(p.Sections[0].Rows[0].Detail, "; "); !strings.HasSuffix(have, ", 1m30s ago; processor time 2 s, memory 2MB, at most 3MB") {
		t.Errorf("what is said about `a`: %s; want %q at the end", have, ", 1m30s ago; processor time 2 s, memory 2MB, at most 3MB")
	}
}

// TestPausedPlan: a plan is paused if all its running programs are; programs that were never started do not count.
func TestPausedPlan(t *testing.T) {
	begin := time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC)
	nodes := []launch.Status{
		{ID: "a", State: launch.Running, Paused: true, Started: begin, Restarts: 2}, {ID: "b", State: launch.Running, Paused: true},
		{ID: "c", State: launch.Skipped, Note: "not needed"}, {ID: "d", State: launch.Declared},
		{ID: "e", State: launch.Ended, Started: begin, Ended: begin.Add(2 * time.Second)},
	}
	p := new(Plan).Picture("running", nodes, begin.Add(time.Minute))
	if p.Summary != "running: 2 of 5 programs run, 2 paused" || !p.Paused || p.Over {
		t.Errorf("%+v, want 2 of 5 programs going on, 2 paused, and the run paused and not over", p)
	}
	for i, want := range []string{"a paused  – 1m0s – – – 2 ", "b paused  – – – – – 0 ", "c skipped  – – – – – 0 not needed", "d declared  – – – – – 0 ", "e ended, 0  – 2 s – 0 s 0B 0 "} {
		if have := strings.Join(p.Sections[0].Rows[i].Cells, " "); have != want || p.Sections[0].Rows[i].Hot {
			t.Errorf("have %q, want %q", have, want)
		}
	}
	if have := p.Sections[0].Rows[2].Detail; len(have) != 2 || have[1] != "skipped not needed" {
		t.Errorf("what is said about `c`: %q, want 2 lines, the second %q", have, "skipped not needed")
	}
	nodes[1].Paused = false
	if p := new(Plan).Picture("over", nodes, begin); p.Summary != "over: 2 of 5 programs run, 1 paused" || p.Paused || !p.Over {
		t.Errorf("%+v, want 2 of 5 programs going on, 1 paused, and the run over and not paused", p)
	}
	if p := new(Plan).Picture("over", nil, begin); p.Summary != "over: 0 of 0 programs run" || p.Paused {
		t.Errorf("%+v, want 0 of 0 programs going on, and the run not paused", p)
	}
}

// view shows a run that never ends on something like a terminal; read returns the final content.
func view(t *testing.T) (v *View, read func() string) {
	r, w, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	text := make(chan string)
	go func() {
		all, _ := io.ReadAll(r)
		text <- string(all)
	}()
	p := flow.New(catalog.Standard())
	p.AddProcess("o", "orphan", nil)
	run, err := p.Start(context.Background(), flow.Options{})
	if err != nil {
		t.Fatal(err)
	}
	return Start(w, nil, &Source{Title: "a.pipe", Look: Pipeline(run.Stats)}), func() string {
		run.Stop()
		run.Wait()
		w.Close()
		defer r.Close()
		return <-text
	}
}

// TestViewOfAMoment: a run that ends at once has no picture, only its text.
func TestViewOfAMoment(t *testing.T) {
	defer golden.NothingRuns(t)
	v, read := view(t)
	for !v.delay.Stop() { // the machine was so slow that the picture is already shown
		v.Close()
		read()
		v, read = view(t)
	}
	io.WriteString(v, "first line\nsecond ")
	io.WriteString(v, "line\nwithout an end")
	v.Close()
	io.WriteString(v, "\nlate\n")
	if have := read(); have != "first line\nsecond line\nwithout an end\nlate\n" {
		t.Errorf("the terminal has %q, want %q", have, "first line\nsecond line\nwithout an end\nlate\n")
	}
}

// TestViewOfNothing: writing to a closed terminal returns an error.
func TestViewOfNothing(t *testing.T) {
	_, w, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	w.Close()
	v := Start(w, nil, &Source{})
	if n, err := io.WriteString(v, "half"); n != 4 || err != nil {
		t.Errorf("%d, %v", n, err)
	}
	if _, err := io.WriteString(v, " a line\n"); err == nil {
		t.Error("a line is lost without a word")
	}
	v.Close()
}

// TestView: no line is lost or out of order while the picture appears.
func TestView(t *testing.T) {
	defer golden.NothingRuns(t)
	v, read := view(t)
	const lines = 1000
	for i := range lines {
		fmt.Fprintf(v, "line %d.\n", i)
		if i%10 == 0 {
			time.Sleep(after / lines * 20) // writing takes twice the delay before the first picture
		}
	}
	golden.Until(t, "there is a picture", v.drawn.Load)
	io.WriteString(v, "last words")
	v.Close()
	have := read()
	at := 0
	for i := range lines {
		next := strings.Index(have[at:], fmt.Sprintf("line %d.", i))
		if next < 0 {
			t.Fatalf("line %d is lost or out of order", i)
		}
		at += next
	}
	if !strings.Contains(have[at:], "last words") {
		t.Error("the last words are lost")
	}
}

// TestViewThatEndsAtOnce: lines that waited for the first picture are written even if the run ends before it.
func TestViewThatEndsAtOnce(t *testing.T) {
	defer golden.NothingRuns(t)
	v, read := view(t)
	v.delay.Stop()
	v.show()
	io.WriteString(v, "first words\nand a line without an end")
	v.Close()
	if have := read(); !strings.Contains(have, "first words") || !strings.Contains(have, "and a line without an end") {
		t.Errorf("the terminal has %q, want %q in have and %q in have", have, "first words", "and a line without an end")
	}
}

// TestSites: in a run on several sites, each process is shown with its site, and a lost site with its last message.
func TestSites(t *testing.T) {
	s := counts()
	s.Processes = s.Processes[:2]
	s.Processes[0].Site, s.Processes[1].Site = "deck", "gpu"
	s.Sites = []flow.SiteStats{
		{Name: "deck", Host: "n1", State: "running"},
		{Name: "gpu", Host: "n2", State: "away", Silent: 3 * time.Second, Last: "warning: it is hot"},
		{Name: "main", State: "missing"},
	}
	want := `
process   site   steps   in/s   out/s   busy   blocked on           drops
src       deck   20.0M      –    5.0M   50 %   snk (full) 25 %          –
snk       gpu    20.0M   4.8M       –   25 %   src (empty) 75 %   999,970
edge src.number → snk.sink   capacity 40   high 40   mean 23
site   state          host   last heard
deck   running        n1
gpu    away for 3 s   n2     warning: it is hot
main   missing
bottleneck: src, busy 50 % of the time
running: 19,000,000 data in 4 s, 999,970 dropped
`
	if have := "\n" + tabled(s); have != want {
		t.Errorf("have%s\nwant%s", have, want)
	}
	rows := pictured(s).Sections[2].Rows
	if len(rows) != 3 || rows[0].Hot || !rows[1].Hot || rows[1].Cells[1] != "away for 3 s" {
		t.Errorf("%+v, want 3 rows, the first not hot, the second hot and %q", rows, "away for 3 s")
	}
	for i := range s.Sites {
		s.Sites[i].State = "ended"
	}
	if have := tabled(s); strings.Contains(have, "last heard") {
		t.Errorf("all have ended: %s; want no %q in it", have, "last heard")
	}
}
