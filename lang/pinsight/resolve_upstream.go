package pinsight

import (
	"github.com/pentode-dev/pentode/core/diag"
	"github.com/pentode-dev/pentode/core/load"
	"github.com/pentode-dev/pentode/core/origin"
	"github.com/pentode-dev/pentode/lang/pinsight/syntax"
	"github.com/pentode-dev/pentode/run/trace"
)

var upstreamCodes []*diag.Code

// installed is what an installed PInsight makes of a file.
type installed struct{}

func install(o Options, env *load.Env, t *syntax.Tree) *installed { return nil }

func (n *installed) values(yield func(origin.Entry) bool) {}

func (n *installed) layers() trace.Layers { return nil }
