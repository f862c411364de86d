package pinsight

import "github.com/pentode-dev/pentode/core/diag"

var upstreamCodes []*diag.Code
