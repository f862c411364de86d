package paradyn_test

import (
	"fmt"
	"os"

	"github.com/pentode-dev/pentode/core/load"
	"github.com/pentode-dev/pentode/core/source"
	"github.com/pentode-dev/pentode/lang/paradyn"
	"github.com/pentode-dev/pentode/run/launch"
)

// A Go program reads a launch file, makes a plan from it and prints the plan.
// launch.Run would start it.
func ExampleRead() {
	m, err := paradyn.Read(source.NewFile("sample.psdl", `
tunable_constant "maxEval" 3;
daemon { command "paradynd -p 4711"; host "poona"; name "d"; }
process { command "solver"; args { "-n" "4" }; host "poona"; daemon "d"; }
`), load.NewEnv())
	if err != nil {
		fmt.Println(err)
		return
	}
	for _, d := range m.Diagnostics() {
		fmt.Println(d.Span, d.Message)
	}
	decls, err := m.Decls()
	if err != nil {
		fmt.Println(err)
		return
	}
	here := launch.Host{Name: func() string { return "poona" }}
	plan, problems := launch.NewPlan(decls, launch.Options{Host: here})
	if err := problems.Err(); err != nil {
		fmt.Println(err)
		return
	}
	_ = plan.WriteText(os.Stdout)
	// Output:
	// tunable maxEval = 3
	//
	// daemon d on poona
	//   run    paradynd -p 4711
	//   with   PENTODE_RUN=RUN
	//          PENTODE_NODE=d
	//          PARADYN_NAME=d
	//          PARADYN_HOST=poona
	//          PARADYN_FLAVOR=pvm
	//          PARADYN_TUNABLE_maxEval=3
	//          PARADYN_DAEMON='paradynd -p 4711'
	//   ready  line:^PARADYND \d+ or alive:1s
	//
	// process solver on poona
	//   run    solver -n 4
	//   with   PENTODE_RUN=RUN
	//          PENTODE_NODE=solver
	//          PARADYN_NAME=solver
	//          PARADYN_HOST=poona
	//          PARADYN_FLAVOR=pvm
	//          PARADYN_TUNABLE_maxEval=3
	//          PARADYN_DAEMON=d
	//          PENTODE_RANK=0
	//          PENTODE_SIZE=1
	//   after  d
}
