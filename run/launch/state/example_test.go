package state_test

import (
	"fmt"
	"os"
	"time"

	"github.com/pentode-dev/pentode/run/launch/state"
)

// Other programs can read the journal of a run.
func ExampleDir() {
	base, err := os.MkdirTemp("", "state")
	if err != nil {
		fmt.Println(err)
		return
	}
	defer os.RemoveAll(base)
	dir, err := state.Create(base, state.Run{ID: "run-1", Nodes: []state.Node{{ID: "solver"}}})
	if err != nil {
		fmt.Println(err)
		return
	}
	journal, err := dir.Journal()
	if err != nil {
		fmt.Println(err)
		return
	}
	defer journal.Close()
	_ = journal.Append(state.Event{Time: time.Now(), Node: "solver", What: state.Ended, Text: "it ended with code 0"})
	other, err := state.Open(base, "run-1")
	if err != nil {
		fmt.Println(err)
		return
	}
	events, err := other.Events()
	fmt.Println(other.Supervised(), len(events), events[0].Text, err)
	// Output:
	// true 1 it ended with code 0 <nil>
}
