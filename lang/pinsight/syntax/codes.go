package syntax

import "github.com/pentode-dev/pentode/core/diag"

// MissingBracket reports a header without its closing bracket.
var MissingBracket = &diag.Code{
	ID: "pinsight/missing-bracket", Severity: diag.Error,
	Title: "a section header has no `]`",
	Doc: "Without the closing bracket the target of the section is unknown, so its keys up to the next header are dropped. " +
		"An installed PInsight stops reading the file here, and everything below is lost.",
	Bad:  "[OpenMP.default\n    omp_work = off\n",
	Good: "[OpenMP.default]\n    omp_work = off\n",
}

// MissingEquals reports a line that is neither a header nor a key.
var MissingEquals = &diag.Code{
	ID: "pinsight/missing-equals", Severity: diag.Error,
	Title: "a line is neither a section nor `key = value`",
	Doc:   "Every line is a section header in brackets, `key = value`, a comment after `#`, or empty. An installed PInsight silently skips other lines.",
	Bad:   "[OpenMP.default]\n    omp_work off\n",
	Good:  "[OpenMP.default]\n    omp_work = off\n",
}

// MissingKey reports a line that begins with `=`.
var MissingKey = &diag.Code{
	ID: "pinsight/missing-key", Severity: diag.Error,
	Title: "a value without a key",
	Doc:   "The key comes before the `=`.",
	Bad:   "[OpenMP.default]\n    = off\n",
	Good:  "[OpenMP.default]\n    omp_work = off\n",
}

// TextAfterHeader reports text after a header that is not allowed there.
var TextAfterHeader = &diag.Code{
	ID: "pinsight/text-after-header", Severity: diag.Error,
	Title: "text after a section header has no meaning",
	Doc:   "After the `]` come at most two parts, each after a `:`: the defaults to inherit events from, then the units.",
	Bad:   "[Lexgion(0x400500)] OpenMP.default\n",
	Good:  "[Lexgion(0x400500)] : OpenMP.default\n",
}

// Codes lists all codes of the syntax.
var Codes = []*diag.Code{MissingBracket, MissingEquals, MissingKey, TextAfterHeader}
