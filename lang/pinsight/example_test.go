package pinsight_test

import (
	"fmt"

	"github.com/pentode-dev/pentode/core/load"
	"github.com/pentode-dev/pentode/core/source"
	"github.com/pentode-dev/pentode/lang/pinsight"
	"github.com/pentode-dev/pentode/run/trace"
)

// A program reads a configuration, compiles it, and asks the engine about each execution of a region.
func ExampleRead() {
	m, err := pinsight.Read(source.NewFile("trace_config.txt", `
[Lexgion(solver)]
    trace_starts_at = 3
    tracing_rate = 2
    max_num_traces = 3
`), load.NewEnv())
	if err != nil {
		fmt.Println(err)
		return
	}
	policy, err := m.Policy()
	if err != nil {
		fmt.Println(err)
		return
	}
	openMP, _ := policy.Catalog().Domain("OpenMP")
	work, _ := policy.Catalog().Event(openMP, "omp_work")

	engine := trace.NewEngine(policy)
	solver, err := engine.Region(trace.Region{Domain: openMP, Name: "solver"})
	if err != nil {
		fmt.Println(err)
		return
	}
	unit := engine.Unit() // one for each thread
	for i := range 10 {
		unit.Begin(solver)
		if unit.Decide(solver, work) {
			fmt.Println("record execution", i)
		}
		unit.End(solver)
	}
	// Output:
	// record execution 3
	// record execution 5
	// record execution 7
}
