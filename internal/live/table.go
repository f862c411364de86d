package live

import (
	"fmt"
	"io"
	"math"
	"slices"
	"strings"
	"time"

	"github.com/mattn/go-runewidth"

	"github.com/pentode-dev/pentode/core/visible"
	"github.com/pentode-dev/pentode/run/flow"
)

// Table is the figures of a whole run: where time went, process by process,
// and how full the edges were. The last line has its state, unless it finished.
func Table(s *flow.Stats) string {
	rows := [][]string{{"process", siteHead(s), "steps", "in/s", "out/s", "busy", "blocked on", "drops"}}
	joints := jointsOf(s)
	for i := range s.Processes {
		p := &s.Processes[i]
		j := joints[p.Name]
		in, out, drops := none, none, none
		if j.inputs || p.In > 0 { // of a copy, the edges are those of the process
			in, drops = Quantity(rate(p.In, s.Wall)), Grouped(j.dropped)
		}
		if j.outputs || p.Out > 0 {
			out = Quantity(rate(p.Out, s.Wall))
		}
		rows = append(rows, []string{p.Name, p.Site, Quantity(float64(p.Steps)), in, out, busyCell(p, s.Wall), j.blockedOn(s.Wall), drops})
	}
	var b strings.Builder
	Columns(&b, rows, "   ")
	rows = rows[:0]
	for i := range s.Edges {
		e := &s.Edges[i]
		rows = append(rows, []string{"edge " + edgeName(e), "capacity " + room(e.Capacity),
			"high " + Grouped(e.High), fmt.Sprintf("mean %.0f", math.Round(e.Mean))})
	}
	Columns(&b, rows, "   ")
	if slices.ContainsFunc(s.Sites, func(site flow.SiteStats) bool { return site.State != "ended" }) {
		Columns(&b, siteTable(s).Cells(), "   ")
	}
	if p := bottleneck(s); p != nil {
		fmt.Fprintf(&b, "bottleneck: %s, at work %s of the time\n", visible.Line(p.Name), percent(p.Busy, s.Wall))
	}
	if s.State != flow.Finished {
		b.WriteString(string(s.State) + ": ")
	}
	b.WriteString(Total(s) + "\n")
	return b.String()
}

// bottleneck is the busiest of several processes, if it worked most of the
// time: the others can be no faster than it is.
func bottleneck(s *flow.Stats) *flow.ProcessStats {
	if len(s.Processes) < 2 {
		return nil
	}
	busiest := &s.Processes[0]
	for i := range s.Processes {
		if s.Processes[i].Busy > busiest.Busy {
			busiest = &s.Processes[i]
		}
	}
	if busiest.Busy*2 < s.Wall {
		return nil
	}
	return busiest
}

// busyCell is how much of the time a process worked, and whether that was its
// program.
func busyCell(p *flow.ProcessStats, wall time.Duration) string {
	text := percent(p.Busy, wall)
	if p.Program*2 > p.Busy {
		text += ", waiting for its program"
	}
	return text
}

// Total is a run in one line.
func Total(s *flow.Stats) string {
	over := ""
	if len(s.Edges) > 1 {
		over = fmt.Sprintf(" over %d edges", len(s.Edges))
	}
	text := fmt.Sprintf("%s data%s in %s", Grouped(taken(s)), over, Duration(s.Wall))
	if d := dropped(s); d > 0 {
		text += fmt.Sprintf(", %s dropped", Grouped(d))
	}
	return text
}

func taken(s *flow.Stats) (n uint64) {
	for i := range s.Edges {
		n += s.Edges[i].Taken
	}
	return n
}

func dropped(s *flow.Stats) (n uint64) {
	for i := range s.Edges {
		n += s.Edges[i].Dropped
	}
	return n
}

// joint sums up the edges of a process.
type joint struct {
	inputs, outputs bool
	dropped         uint64
	worst           time.Duration // the longest wait, for neighbour
	neighbour       string
	at              time.Duration // all waits at its edges
	each            map[string]time.Duration
}

func jointsOf(s *flow.Stats) map[string]*joint {
	joints := make(map[string]*joint, len(s.Processes))
	for i := range s.Processes {
		joints[s.Processes[i].Name] = &joint{}
	}
	for i := range s.Edges {
		e := &s.Edges[i]
		from, to := processOf(e.From), processOf(e.To)
		if j := joints[from]; j != nil {
			j.outputs = true
			j.waited(e.Full, to+" (full)")
		}
		if j := joints[to]; j != nil {
			j.inputs = true
			j.dropped += e.Dropped
			j.waited(e.Empty, from+" (empty)")
		}
	}
	for i := range s.Processes {
		// The rest of the time it waited for the socket or terminal behind it.
		j := joints[s.Processes[i].Name]
		j.waited(s.Processes[i].Blocked-j.at, "something outside")
	}
	return joints
}

func (j *joint) waited(d time.Duration, neighbour string) {
	j.at += d
	if j.each == nil {
		j.each = map[string]time.Duration{}
	}
	j.each[neighbour] += d
	if d > j.worst {
		j.worst, j.neighbour = d, neighbour
	}
}

// since is what was waited for after an earlier look, which may be nil.
func (j *joint) since(was *joint) *joint {
	if was == nil {
		return j
	}
	out := *j
	out.worst, out.neighbour = 0, ""
	for on, d := range j.each {
		if d -= was.each[on]; d > out.worst {
			out.worst, out.neighbour = d, on
		}
	}
	return &out
}

func (j *joint) blockedOn(wall time.Duration) string {
	if wall <= 0 || j.worst*200 < wall { // it would read 0 %
		return none
	}
	return j.neighbour + " " + percent(j.worst, wall)
}

// processOf is the process of `process.port`.
func processOf(ref string) string { return flow.ParsePortRef(ref).Process }

func edgeName(e *flow.EdgeStats) string { return e.From + " → " + e.To }

func room(capacity int) string {
	if capacity == 0 {
		return "unlimited"
	}
	return Grouped(uint64(capacity))
}

// Columns writes rows with their cells under each other and a gap between them.
// A column without text takes no room, and a cell is one line.
func Columns(w io.Writer, rows [][]string, gap string) {
	var width []int
	for _, row := range rows {
		for i := range row {
			cell := visible.Line(row[i])
			if i == len(width) {
				width = append(width, 0)
			}
			width[i] = max(width[i], runewidth.StringWidth(cell))
		}
	}
	for _, row := range rows {
		var line strings.Builder
		for i, cell := range row {
			if width[i] > 0 {
				line.WriteString(runewidth.FillRight(visible.Line(cell), width[i]) + gap)
			}
		}
		fmt.Fprintln(w, strings.TrimRight(line.String(), " "))
	}
}
