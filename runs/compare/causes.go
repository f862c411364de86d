package compare

import (
	"cmp"
	"slices"
	"strings"

	"github.com/pentode-dev/pentode/runs/record"
)

// Cause is a setting that can have changed a result.
type Cause struct {
	File string `json:"file"`
	Key  string `json:"key"`
	At   string `json:"at,omitempty"`
	// Steps is the number of edges between the setting's process and the process that wrote the result; -1: the setting is for all processes.
	Steps int `json:"steps"`
}

// causes finds, for each result that differs, the settings that can be the cause: the likeliest first.
func (d *Diff) causes() {
	ways := map[string][]record.Step{} // the processes upstream of each process that writes results
	edges := slices.Concat(d.A.Edges, d.B.Edges)
	for _, r := range d.Results {
		if ways[r.Process] == nil {
			ways[r.Process] = record.Upstream(edges, r.Process)
		}
	}
	reach := make([]map[string]int, len(d.Settings)) // for each setting: path of a result → number of edges
	explains, denies := make([]int, len(d.Settings)), make([]int, len(d.Settings))
	for i := range d.Settings {
		reach[i] = map[string]int{}
		for _, r := range d.Results {
			steps, ok := d.Settings[i].reaches(r, ways[r.Process])
			if !ok {
				continue
			}
			reach[i][r.Path] = steps
			switch r.State {
			case Measured:
			case Equal:
				denies[i]++
			default:
				explains[i]++
			}
		}
	}
	for n := range d.Results {
		r := &d.Results[n]
		if r.State == Equal || r.State == Measured {
			continue
		}
		var list []int
		for i := range d.Settings {
			if _, ok := reach[i][r.Path]; ok {
				list = append(list, i)
			}
		}
		slices.SortStableFunc(list, func(i, j int) int {
			a, b := &d.Settings[i], &d.Settings[j]
			return cmp.Or(
				cmp.Compare(a.rank(), b.rank()),
				cmp.Compare(denies[i], denies[j]),     // results that it would also have changed, but that are equal
				cmp.Compare(explains[j], explains[i]), // one cause for many differences is likelier than many causes
				cmp.Compare(reach[i][r.Path], reach[j][r.Path]),
			)
		})
		for _, i := range list {
			c := &d.Settings[i]
			r.Causes = append(r.Causes, Cause{c.File, c.Key, cmp.Or(c.IsAt, c.WasAt), reach[i][r.Path]})
		}
	}
}

// rank orders settings by purpose: data come first, then how they are computed, which usually does not change the data.
func (c *Change) rank() int {
	switch {
	case c.Part == "launch" || c.Part == "target":
		return 1
	case c.howNotWhat():
		return 2
	}
	return 0
}

// howNotWhat reports whether a setting only affects how something is computed: the scheduler, the capacity of edges, log messages.
func (c *Change) howNotWhat() bool {
	if c.Part == "data" {
		return c.Key == "logging" || strings.HasPrefix(c.Key, "logging.")
	}
	return c.Part == "flow" && (strings.HasPrefix(c.Key, "_") || strings.Contains(c.Key, ":_"))
}

// reaches reports whether a path leads from a setting to a result, and with how many edges. up are the process that wrote the result and the
// processes upstream of it.
func (c *Change) reaches(r Result, up []record.Step) (steps int, ok bool) {
	switch {
	case c.Part == "trace":
		return -1, r.trace
	case c.Part == "launch" || c.Part == "target" || r.Process == "" || c.howNotWhat():
		return -1, !r.trace || c.Part != "data"
	}
	for _, s := range up {
		for _, of := range c.of {
			if s.Process == of || strings.HasPrefix(s.Process, of+"/") { // a process inside a cluster
				return s.Edges, true
			}
		}
	}
	return -1, false
}

// traced returns in how many of the runs a result is part of a trace rather than output: every file in the folder of a trace is part of the trace.
func (d *Diff) traced(path string) int {
	if path == "trace.json" || strings.HasSuffix(path, "/trace.json") {
		return 1
	}
	for dir := "/" + path; dir != ""; {
		dir = dir[:strings.LastIndexByte(dir, '/')]
		if n := d.traces[dir]; n > 0 {
			return n
		}
	}
	return 0
}
