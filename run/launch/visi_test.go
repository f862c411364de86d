package launch

import (
	"encoding/json"
	"fmt"
	"path/filepath"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/pentode-dev/pentode/run/launch/state"
)

// TestStandIns: the page shows a visualisation that is not installed on this machine if its program, or else its name, is one of Paradyn's views. The
// plan, its state and the status of its nodes say so.
func TestStandIns(t *testing.T) {
	host := nowhere
	host.Find = func(program, dir string) error {
		switch {
		case dir != "/run":
			return fmt.Errorf("looked for in %s", dir)
		case program == "./mine/barChart":
			return nil
		case program == "/opt/rthist":
			return &StartError{126, "it is not executable"}
		}
		return &StartError{127, "it is not there"}
	}
	plan, problems := NewPlan(Decls{
		Processes: []Process{{Command: "rthist", Host: "localhost", Daemon: Self}},
		Visis: []Visi{
			{Name: "a", Command: "rthist"}, {Name: "b", Command: "/p/paradyn/bin/barChart", Args: []string{"-w"}}, {Name: "terrain", Command: "land"}, {Name: "tableVisi", Command: "phaseTable"},
			{Name: "installed", Command: "./mine/barChart"}, {Name: "forbidden", Command: "/opt/rthist"}, {Name: "away", Command: "rthist", Host: "poona"},
			{Name: "other", Command: "plotter"}, {Name: "near", Command: "barchart"},
		},
	}, Options{Dir: "/run", Host: host})
	if len(problems) > 0 {
		t.Fatalf("%v; want at most 0", problems)
	}
	var have []string
	for _, n := range plan.Nodes {
		if n.StandIn != "" {
			have = append(have, n.ID+"="+string(n.StandIn))
		}
	}
	if got := strings.Join(have, " "); got != "a=rthist b=barChart terrain=terrain tableVisi=phaseTable" {
		t.Errorf("the page shows %s; want %q", got, "a=rthist b=barChart terrain=terrain tableVisi=phaseTable")
	}
	var text strings.Builder
	if err := plan.WriteText(&text); err != nil || !strings.Contains(text.String(), "  run    rthist\n  but    program `rthist` is not installed: `pentode serve` shows its view in its place\n  in     /run\n") {
		t.Errorf("the plan is %s; want err nil and %q in text.String()", text.String(), "  run    rthist\n  but    program `rthist` is not installed: `pentode serve` shows its view in its place\n  in     /run\n")
	}
	text.Reset()
	if err := plan.WriteJSON(&text); err != nil || strings.Count(text.String(), `"view": "rthist"`) != 1 {
		t.Errorf("the plan is %s; want err nil and strings.Count(text.String(), `\"view\": \"rthist\"`) = 1", text.String())
	}
	d, err := plan.NewState(filepath.Join(t.TempDir(), "state"), "", time.Now())
	if err != nil {
		t.Fatal(err)
	}
	recorded, err := Recorded(d)
	if err != nil {
		t.Fatal(err)
	}
	for _, n := range recorded {
		if want := map[string]View{"a": Histogram, "b": BarChart, "terrain": Terrain, "tableVisi": PhaseTable}[n.ID]; n.View != want {
			t.Errorf("%s is recorded with view %q, want %q", n.ID, n.View, want)
		}
	}
}

// TestStandInStatus: the status says that the page shows a visualisation, whether or not it was requested.
func TestStandInStatus(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		missing := script{broken: &StartError{127, "it is not there"}}
		s := newStage(map[string]script{"prc": {lives: time.Second}, "rthist": missing, "plotter": missing})
		d := one("dmn", "prc")
		d.Visis = []Visi{{Name: "asked", Command: "rthist"}, {Name: "declared", Command: "rthist"}, {Name: "other", Command: "plotter"}}
		p, problems := NewPlan(d, Options{Visis: []string{"asked"}, Host: s.host()})
		if err := problems.Err(); err != nil {
			t.Fatal(err)
		}
		sup, err := Start(t.Context(), p, RunOptions{Host: s.host()})
		if err != nil {
			t.Fatal(err)
		}
		const shown = "program `rthist` is not installed: `pentode serve` shows its view in its place"
		want := map[string]Status{"asked": {State: Skipped, View: Histogram, Note: shown}, "declared": {State: Declared, View: Histogram, Note: shown}, "other": {State: Declared}}
		for _, n := range sup.Wait().Nodes {
			if n.Kind != KindVisi {
				continue
			}
			if missing := map[string]string{"asked": "program `rthist` is not installed", "declared": "program `rthist` is not installed"}[n.ID]; n.Missing() != missing {
				t.Errorf("of %s is missing %q", n.ID, n.Missing())
			}
			if w := want[n.ID]; n.State != w.State || n.View != w.View || n.Note != w.Note || !n.Started.IsZero() {
				t.Errorf("%s is %+v, want %+v, never started", n.ID, n, w)
			}
		}
	})
}

// TestReadyWithStandIn: a run becomes ready if the page shows a requested visualisation; it never does if the visualisation was skipped for another
// reason.
func TestReadyWithStandIn(t *testing.T) {
	for view, want := range map[View]string{Histogram: "", "": "`v` was not started: because"} {
		d, err := state.Create(filepath.Join(t.TempDir(), "state"), state.Run{ID: "r"})
		if err != nil {
			t.Fatal(err)
		}
		result, err := json.Marshal(Result{Nodes: []Status{{ID: "p", State: Ended}, {ID: "v", State: Skipped, View: view, Note: "because"}}})
		if err != nil {
			t.Fatal(err)
		}
		if err := d.WriteFile(resultFile, result); err != nil {
			t.Fatal(err)
		}
		if got := errText(WaitReady(t.Context(), d, "")); got != want {
			t.Errorf("view %q: %q, want %q", view, got, want)
		}
	}
}
