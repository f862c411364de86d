package debuginfo

import (
	"fmt"
	"slices"
	"testing"
)

// manyNames returns an index of n functions, each with one segment of code.
func manyNames(n int) *index {
	x := &index{}
	for i := range n {
		x.names = append(x.names, named{fmt.Sprintf("app::Solver<int, %d>::step%d<T %d>", i%7, i/3, i%3), fmt.Sprintf("_Z%d", i)})
		x.segments = append(x.segments, segment{uint64(i) * 16, int32(i)})
	}
	x.segments = append(x.segments, segment{uint64(n) * 16, none})
	return x
}

// TestNamesAreIndexed checks that a lookup visits only the functions that share the
// last part of the name, and that it finds all functions that match.
func TestNamesAreIndexed(t *testing.T) {
	x := manyNames(3000)
	for _, name := range []string{
		"step7", "step7<T 1>", "step7<T1>", "Solver::step7", "Solver<int,1>::step7", "app::Solver<int, 1>::step7<T 1>", "_Z22", "other::step7", "step", "absent", "",
	} {
		w := newWanted(name)
		var want []Range
		for i, n := range x.names {
			if !w.means(n) {
				continue
			}
			if last := len(want) - 1; last >= 0 && want[last].High == uint64(i)*16 {
				want[last].High += 16
			} else {
				want = append(want, Range{uint64(i) * 16, uint64(i)*16 + 16})
			}
		}
		if got := x.code(name); !slices.Equal(got, want) {
			t.Errorf("`%s` has the code %v, want %v", name, got, want)
		}
		if n := len(x.lookup().candidates(&w)); n > 3 {
			t.Errorf("for `%s` %d functions are looked at, want at most 3", name, n)
		}
	}
}

func BenchmarkCodeByName(b *testing.B) {
	x := manyNames(100_000)
	for i := 0; b.Loop(); i++ {
		x.code(fmt.Sprintf("step%d", i%33_000))
	}
}
