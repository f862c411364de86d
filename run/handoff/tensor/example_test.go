package tensor_test

import (
	"fmt"

	"github.com/pentode-dev/pentode/run/handoff/tensor"
)

// Lists of equal lengths become an array; its last axis varies fastest.
func ExampleOf() {
	a, err := tensor.Of([]any{[]any{int64(1), int64(2)}, []any{int64(3), 4.5}})
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(a, a.Shape, a.At(3))
	// Output:
	// an array of 2 × 2 float64 [2 2] 4.5
}
