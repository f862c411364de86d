package registry

import (
	"encoding/json"
	"slices"
	"testing"
	"time"

	"github.com/pentode-dev/pentode/run/launch/state"
	"github.com/pentode-dev/pentode/runs/record"
)

// TestList: a run is listed once, whether it is registered, recorded or both; deleting states and logs keeps the records.
func TestList(t *testing.T) {
	g := Registry{t.TempDir()}
	at := func(minute int) time.Time { return time.Date(2026, 1, 2, 3, minute, 0, 0, time.UTC) }
	register := func(id string, r state.Run) *state.Dir {
		r.ID, r.Directory = id, "/folder"
		d, err := state.Create(g.Dir, r)
		if err != nil {
			t.Fatal(err)
		}
		return d
	}
	keep := func(id string, started time.Time) {
		if err := record.Store(g).Write(&record.Record{ID: id, Started: started, Ended: started.Add(time.Second)}, nil); err != nil {
			t.Fatal(err)
		}
	}
	over := func(d *state.Dir) {
		j, err := d.Journal()
		if err == nil {
			err = j.Append(state.Event{Time: time.Now(), What: state.Over})
		}
		if err != nil {
			t.Fatal(err)
		}
		j.Close()
		d.Run.Supervisor.Start++ // it has ended
		text, err := json.Marshal(d.Run)
		if err == nil {
			err = d.WriteFile("run.json", text)
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	over(register("20260102-030100-aaaaaa", state.Run{Started: at(1), Nodes: []state.Node{{ID: "n"}}}))
	keep("20260102-030100-aaaaaa", at(1))
	keep("20260102-030200-bbbbbb", at(2))
	register("20260102-030300-cccccc", state.Run{Started: at(3), Pipeline: "/folder/heat.pipe"})
	register("20260102-030400-dddddd", state.Run{Started: at(4), Pipeline: "/folder/part.pipe", Launch: "20260102-030100-aaaaaa"})
	over(register("20260102-030500-eeeeee", state.Run{Started: at(5)}))
	check := func(when string, want ...string) {
		t.Helper()
		list, err := g.List()
		if err != nil {
			t.Fatal(err)
		}
		var got []string
		for _, r := range list {
			got = append(got, r.ID[16:17]+" "+r.Phase()+" "+r.What())
		}
		if !slices.Equal(got, want) {
			t.Errorf("%s the runs are %q, want %q", when, got, want)
		}
	}
	check("before", "a over ", "b over ", "c running heat.pipe", "e over folder")
	gone, err := g.Prune(0)
	if err != nil || len(gone) != 2 {
		t.Errorf("%d states were deleted, want 2: %v", len(gone), err)
	}
	check("after that", "a over ", "b over ", "c running heat.pipe")
}
