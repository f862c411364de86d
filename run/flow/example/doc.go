// Package example has the small process types for learning pipelines and testing engines: numbers,
// arithmetic, repeating, skipping, feedback, and one process for every flag that a port can have.
//
// They are upstream's conformance set. Where upstream's implementation hangs or is off by one,
// these do what its documentation says.
package example

import "github.com/pentode-dev/pentode/run/flow/pipe"

// Types lists the process types.
func Types() []*pipe.Type {
	return []*pipe.Type{
		numbersType(), constNumberType(), multiplicationType(), multiplierClusterType(),
		printNumberType(), takeNumberType(), takeStringType(), testProcSeqType(),
		anySourceType(), constType(), sharedType(), mutateType(), orphanType(), orphanClusterType(),
		dataDependentType(), flowDependentType(), taggedFlowDependentType(),
		duplicateType(), skipType(), feedbackType(), expectType(), tunableType(),
	}
}

// The port types of the family.
const (
	integer = pipe.IntegerType
	text    = "string"
)
