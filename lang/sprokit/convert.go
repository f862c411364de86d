package sprokit

import (
	"io"

	"github.com/pentode-dev/pentode/core/diag"
	"github.com/pentode-dev/pentode/lang/sprokit/syntax"
)

func toJSON(_ *syntax.Tree, m *Model, w io.Writer) diag.List     { return nil }
func toNewStyle(t *syntax.Tree, m *Model, w io.Writer) diag.List { return nil }
func flatten(t *syntax.Tree, m *Model, w io.Writer) diag.List    { return nil }
