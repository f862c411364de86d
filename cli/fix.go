package cli

import (
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/pentode-dev/pentode/core/diag/render"
	"github.com/pentode-dev/pentode/workspace"
)

// fix applies safe fixes, also in included files, and reports what is left.
// With diffOnly it shows what would change and writes nothing.
func (a *app) fix(w *workspace.Workspace, paths []string, diffOnly bool) (*render.Report, error) {
	fromStdin := slices.Contains(paths, "-")
	if fromStdin && len(paths) > 1 {
		return nil, errors.New("--fix takes either files, or - alone")
	}
	draft := w.Draft()
	report := &render.Report{}
	configs, err := a.configs(w, paths, report)
	if err != nil {
		return nil, err
	}
	if err := a.unsound(w); err != nil {
		return nil, err
	}
	var done []string
	for i, c := range configs {
		fixed, err := draft.Fix(c)
		if err != nil {
			return nil, err
		}
		path := c.Document.File.Path()
		if configs[i] = fixed.Config; fixed.Made > 0 {
			done = append(done, fmt.Sprintf("%s: %d fixed, %d left\n", path, fixed.Made, fixed.Config.Diagnostics().Total()))
		}
		if fixed.Refused > 0 {
			done = append(done, fmt.Sprintf("%s: %s not made, because other settings would change with it or more would be wrong\n", path, count(fixed.Refused, "fix is", "fixes are")))
		}
	}
	if err := a.gather(w, paths, configs, report); err != nil {
		return nil, err
	}
	switch {
	case diffOnly:
		err = writeDiff(a.out, draft.Changes())
	case fromStdin:
		_, err = io.WriteString(a.exact(), configs[0].Document.File.Text())
	default:
		err = draft.Write()
	}
	if err != nil {
		return nil, err
	}
	fmt.Fprint(a.err, strings.Join(done, ""))
	return report, nil
}
