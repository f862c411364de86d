package web

import (
	"encoding/json"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/pentode-dev/pentode/internal/web/watch"
	"github.com/pentode-dev/pentode/run/launch"
	"github.com/pentode-dev/pentode/run/launch/state"
)

// after returns a time after the start of a run, in seconds.
func after(seconds float64) time.Time {
	return time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC).Add(time.Duration(seconds * float64(time.Second)))
}

// TestVisiAnswers requests the visualisations of a plan that has ended.
func TestVisiAnswers(t *testing.T) {
	base := filepath.Join(t.TempDir(), "state")
	s, dir := newPage(t, map[string]string{"a.psdl": ""}, func(o *Options) { o.StateDir = base })
	d, err := state.Create(base, state.Run{ID: "r1", Started: after(0), Directory: dir, Nodes: []state.Node{{ID: "west", Kind: "process"}}})
	if err != nil {
		t.Fatal(err)
	}
	journal, err := d.Journal()
	if err != nil {
		t.Fatal(err)
	}
	for _, e := range []state.Event{{Time: after(0.2), Node: "west", What: state.Started}, {Time: after(1), Node: "west", What: state.Ended}, {Time: after(1.5), What: state.Over}} {
		if err := journal.Append(e); err != nil {
			t.Fatal(err)
		}
	}
	journal.Close()
	west := launch.Status{ID: "west", Kind: launch.KindProcess, State: launch.Ended, Started: after(0.2), Ended: after(1), Exit: launch.Exit{User: 400 * time.Millisecond, PeakKB: 1}}
	text, err := json.Marshal(launch.Result{Run: "r1", Nodes: []launch.Status{
		west, {ID: "Hist", Kind: launch.KindVisi, State: launch.Declared, View: launch.Histogram, Note: "program `/opt/rthist` is not installed: `pentode serve` shows its view in its place"},
		{ID: "Phases", Kind: launch.KindVisi, State: launch.Declared, View: launch.PhaseTable}, {ID: "other", Kind: launch.KindVisi, State: launch.Declared},
	}})
	if err != nil {
		t.Fatal(err)
	}
	if err := d.WriteFile("result.json", text); err != nil {
		t.Fatal(err)
	}
	for path, want := range map[string]string{
		"/api/visi?run=r1&visi=Hist&metric=cpu": `{"run":"r1","state":"over","name":"Hist","view":"rthist","why":"The page replaces Paradyn's rthist: program ` + "`/opt/rthist`" + ` is not installed.",` +
			`"visis":[{"name":"Hist","view":"rthist"},{"name":"Phases","view":"phaseTable"}],"note":"No page was open during the run: counts are averages over the whole time, and varying values are unknown. A point covers 0.2 s.","width":0.2,` +
			`"metrics":[{"name":"cpu","title":"processor time","unit":"CPUs","total":"CPU seconds"}],"metric":"cpu","unit":"CPUs",` +
			`"series":[{"metric":"cpu","focus":"west","now":null,"mean":0.5,"total":0.4,"bins":[null,0.5,0.5,0.5,0.5]}],"phases":[]}`,
		"/api/visi?run=r1&visi=Phases": `{"run":"r1","state":"over","name":"Phases","view":"phaseTable","why":"The page replaces Paradyn's phaseTable: program ` + "`phaseTable`" + ` is not installed.",` +
			`"visis":[{"name":"Hist","view":"rthist"},{"name":"Phases","view":"phaseTable"}],"note":"States of the programs from the journal of the run, in time since its beginning.","width":0.2,` +
			`"metrics":[{"name":"cpu","title":"processor time","unit":"CPUs","total":"CPU seconds"}],"metric":"cpu","unit":"CPUs",` +
			`"series":[{"metric":"cpu","focus":"west","now":null,"mean":0.5,"total":0.4,"bins":[null,0.5,0.5,0.5,0.5]}],` +
			`"phases":[{"handle":0,"focus":"","name":"the whole run","start":0,"end":1.5},{"handle":1,"focus":"west","name":"waiting","start":0,"end":0.2},{"handle":2,"focus":"west","name":"running","start":0.2,"end":1}]}`,
		"/api/visi?run=r1&visi=other": `{"error":"the plan of this run has no visualisation ` + "`other`" + ` that the page can show"}`,
		"/api/visi?run=r2&visi=Hist":  `{"error":"there is no run ` + "`r2`" + `"}`,
	} {
		if have := strings.TrimSpace(ask(s, "GET", path, "", nil).Body.String()); have != want {
			t.Errorf("%s\nhave %s\nwant %s", path, have, want)
		}
	}
	// Without a name, the first visualisation is returned.
	var first watch.Visi
	if w := ask(s, "GET", "/api/visi?run=r1", "", nil); json.Unmarshal(w.Body.Bytes(), &first) != nil || first.Name != "Hist" {
		t.Errorf("%s; want json.Unmarshal(w.Body.Bytes(), &first) nil and first.Name = %q", w.Body, "Hist")
	}
}
