package disjoint_test

import (
	"testing"

	"pgregory.net/rapid"

	"github.com/pentode-dev/pentode/internal/leaf/disjoint"
)

// TestSets compares the sets with a simple implementation that lists every number.
func TestSets(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		n := rapid.IntRange(0, 12).Draw(t, "n")
		sets, plain := disjoint.New(n), make([]int, n)
		for i := range plain {
			plain[i] = i
		}
		for range rapid.IntRange(0, 20).Draw(t, "steps") {
			if len(plain) == 0 || rapid.IntRange(0, 5).Draw(t, "what") == 0 {
				if i := sets.Add(); i != len(plain) || sets.Root(i) != i {
					t.Fatalf("%d is added behind %d, want i = %v and sets.Root(i) = %v", i, len(plain), len(plain), i)
				}
				plain = append(plain, len(plain))
				continue
			}
			number := rapid.IntRange(0, len(plain)-1)
			a, b := number.Draw(t, "a"), number.Draw(t, "b")
			sets.Join(a, b)
			from, to := plain[b], plain[a]
			for i, root := range plain {
				if root == from {
					plain[i] = to
				}
			}
			for i, want := range plain {
				if got := sets.Root(i); got != want {
					t.Fatalf("the root of %d is %d, want %d", i, got, want)
				}
			}
		}
	})
}
