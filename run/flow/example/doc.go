// Package example holds the small process types on which pipelines are
// learnt and engines are tested: numbers, arithmetic, repeating, skipping,
// feedback, and one process for every flag a port can have.
//
// They are upstream's conformance set. Where upstream's own one hangs or is
// off by one, these do what it documents.
package example

import "github.com/pentode-dev/pentode/run/flow/pipe"

// Types lists them.
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
