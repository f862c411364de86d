// Package example has the small process types for learning pipelines and testing engines: numbers,
// arithmetic, repeating, skipping, feedback, and one process for every flag that a port can have.
//
// KWIVER's pipeline engine Sprokit has the same types, for its own tests. If its implementation of
// a type hangs or is off by one, the type here follows the documentation.
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
