package cli

import (
	"fmt"
	"slices"
)

// sayOther says in one line where the other dialect decides differently: whoever
// runs the program may have that one.
func (a *app) sayOther(c *traceCase, q *traceQuestion) {
	policy, err := policyOf(c.other)
	if err != nil || c.other.Found().HasErrors() {
		fmt.Fprintf(a.err, "--as %s decides differently: it finds errors in the file\n", c.otherDialect)
		return
	}
	other := &traceCase{catalog: policy.Catalog(), policy: policy}
	if err := other.ask(a, q); err != nil {
		fmt.Fprintf(a.err, "--as %s decides differently: %s\n", c.otherDialect, err)
		return
	}
	if theirs := other.executions(q.count, int(q.count)); !slices.Equal(theirs, c.executions(q.count, int(q.count))) {
		fmt.Fprintf(a.err, "--as %s decides differently: it traces %s\n", c.otherDialect, firstOf(theirs, q.count))
	}
}
