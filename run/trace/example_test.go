package trace_test

import (
	"fmt"

	"github.com/pentode-dev/pentode/run/trace"
)

// A program without OpenMP and MPI can trace its own events.
func Example() {
	catalog, err := trace.NewCatalog(trace.Domain{
		Name:   "Solver",
		Events: []trace.Event{{ID: 0, Name: "step", On: true}, {ID: 1, Name: "residual"}},
		Kinds:  []trace.Kind{{Name: "worker", Low: 0, High: 7}},
	})
	if err != nil {
		panic(err)
	}
	policy, err := trace.Compile(catalog, &trace.Config{
		Default: trace.RegionLayer{Rate: trace.RateLayer{Every: trace.Number{Value: 10, Set: true}}},
	})
	if err != nil {
		panic(err)
	}
	engine := trace.NewEngine(policy)
	jacobi, err := engine.Region(trace.Region{Name: "jacobi"})
	if err != nil {
		panic(err)
	}

	unit := engine.Unit() // one for each thread
	for i := range 30 {
		unit.Begin(jacobi)
		if unit.Decide(jacobi, 0) {
			fmt.Println("record step of execution", i)
		}
		unit.End(jacobi)
	}

	changes, err := engine.Reload(&trace.Config{Regions: []trace.RegionEntry{{
		Match: trace.Match{Name: "jacobi"}, Removed: true,
	}}}, trace.Merge)
	fmt.Println(changes, err)
	// Output:
	// record step of execution 9
	// record step of execution 19
	// record step of execution 29
	// [`Lexgion(jacobi)`: now removed] <nil>
}
