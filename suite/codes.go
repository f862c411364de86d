package suite

import "github.com/pentode-dev/pentode/core/diag"

var ambiguous = &diag.Code{
	ID: "suite/ambiguous", Severity: diag.Error,
	Title: "a run folder has two files for one part",
	Doc:   "A run has one target, plan, pipeline, specification tree and trace configuration. Of several files the one that the plan or the pipeline names is taken; here none is named.",
	Bad:   "heat.pipe, a.pinsight and b.pinsight in one folder",
	Good:  "heat.pipe and heat.pinsight",
}
