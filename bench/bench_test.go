package main

import "testing"

func TestTable(t *testing.T) {
	results := parse(`goos: linux
pkg: github.com/pentode-dev/pentode/run/trace
cpu: something
BenchmarkDecide-2              	 4420978	        30.00 ns/op	       0 B/op	       0 allocs/op
BenchmarkTwin/decide/1-2       	 3021270	        15.00 ns/op
PASS
ok  	github.com/pentode-dev/pentode/run/trace	1.491s
pkg: github.com/pentode-dev/pentode/run/flow
BenchmarkEdge/thread_per_process-16  	 1549014	       100.0 ns/op	       103.8 cpu-ns/edge	  10000000 data/s	       0 B/op	       0 allocs/op
BenchmarkCheck/10000-16              	       2	 123849927 ns/op
--- BENCH: BenchmarkCheck
`)
	compare(results)
	want := `
engine     benchmark                time    allocations  also                             compared
run/trace  Decide                   30 ns   0                                             2.00 × C
           Twin/decide/1            15 ns
run/flow   Edge/thread_per_process  100 ns  0            103.8 cpu-ns/edge, 10.0M data/s  100 times as fast as the original
           Check/10000              124 ms
`
	if have := "\n" + table(results); have != want {
		t.Errorf("have%s\nwant%s", have, want)
	}
}
