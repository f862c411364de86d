package replay_test

import (
	"fmt"

	"github.com/pentode-dev/pentode/run/data"
	"github.com/pentode-dev/pentode/run/data/replay"
)

// This script shares a number in a store and evaluates an expression of it.
func ExamplePlayer() {
	spec := data.Tree(data.Map("logging", "error", "metadata", data.Map("n", "int")))
	player, err := replay.NewPlayer(func() (*data.Store, error) { return data.New(spec, data.Options{}) })
	if err != nil {
		fmt.Println(err)
		return
	}
	script, err := replay.Parse(data.List(data.List("expose", "n", "OUT", "3"), data.List("expr", "$n + 1"), data.List("finalize")))
	if err != nil {
		fmt.Println(err)
		return
	}
	for _, call := range script {
		fmt.Println(player.Play(call))
	}
	// Output:
	// expose n OUT 3: ok
	// expr $n + 1 = 4
	// finalize: ok
}
