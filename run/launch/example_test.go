package launch_test

import (
	"context"
	"fmt"
	"os"

	"github.com/pentode-dev/pentode/run/launch"
)

// A run of one process under one daemon, without any file.
func Example() {
	plan, problems := launch.NewPlan(launch.Decls{
		Tunables:  []launch.Tunable{{Name: "maxEval", Value: "3"}},
		Daemons:   []launch.Daemon{{Name: "d", Command: "sleep 60", Host: "localhost"}},
		Processes: []launch.Process{{Name: "hello", Command: "sh", Args: []string{"-c", "echo maxEval is $PARADYN_TUNABLE_maxEval"}, Host: "localhost", Daemon: "sleep 60"}},
	}, launch.Options{Ready: launch.Ready{Probe: launch.ProbeNone}})
	for _, p := range problems {
		fmt.Println(p)
	}
	run, err := launch.Start(context.Background(), plan, launch.RunOptions{Output: os.Stdout})
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println("code", run.Wait().Code)
	// Output:
	// hello | maxEval is 3
	// code 0
}
