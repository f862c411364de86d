package problem_test

import (
	"fmt"

	"github.com/pentode-dev/pentode/core/problem"
)

// An engine reports a kind and a message, and the name that was probably intended.
func Example() {
	p := &problem.Problem{Kind: "unknown-port", Severity: problem.Error, Message: "there is no port `imgae`"}
	p.Suggestion, _ = problem.Nearest("imgae", []string{"image", "timestamp"})
	fmt.Println(problem.List{p}.Err())
	// Output:
	// there is no port `imgae`: did you mean `image`?
}
