package cli

import (
	"fmt"
	"strings"

	"github.com/spf13/cobra"

	"github.com/pentode-dev/pentode/core/fingerprint"
	"github.com/pentode-dev/pentode/lang"
	"github.com/pentode-dev/pentode/suite"
	"github.com/pentode-dev/pentode/workspace"
)

func (a *app) fingerprintVerb() *cobra.Command {
	var as format
	cmd := &cobra.Command{
		Use:   "fingerprint PATH",
		Short: "Print one number that changes when the meaning of a file or a run does",
		Long: "Print a SHA-256 of what a file means: comments, blanks, macros, includes and any order without a meaning do\n" +
			"not change it. A folder has one for each file and one for the whole run. A file with errors has none.",
		Example: examples("pentode fingerprint examples/heat/heat.pipe", "pentode fingerprint --format json examples/heat"),
		RunE: func(_ *cobra.Command, paths []string) error {
			w, err := a.workspace()
			if err != nil {
				return err
			}
			if len(paths) == 1 && isFolder(paths[0]) {
				return a.fingerprintFolder(w, paths[0], as)
			}
			c, problems, err := a.config(w, paths)
			if err != nil {
				return err
			}
			if err := a.refuse(append(problems, c.Diagnostics()...)); err != nil {
				return err
			}
			sum, err := c.Fingerprint()
			if err != nil {
				return a.no(fmt.Errorf("`%s` has no fingerprint: %w", c.Document.File.Path(), err))
			}
			if as == asJSON {
				return a.json(struct {
					Version     int             `json:"version"`
					Path        string          `json:"path"`
					Role        lang.Role       `json:"role"`
					Fingerprint fingerprint.Sum `json:"fingerprint"`
				}{1, c.Document.File.Path(), c.Document.Language.Role, sum})
			}
			_, err = fmt.Fprintln(a.out, sum)
			return err
		},
	}
	cmd.Flags().StringVar((*string)(&as), "format", string(asText), "`text|json`")
	return a.reads(cmd)
}

// fingerprintFolder prints the fingerprints of a run.
func (a *app) fingerprintFolder(w *workspace.Workspace, dir string, as format) error {
	run, err := a.openWhole(w, dir)
	if err != nil {
		return err
	}
	if err := a.judge(run); err != nil {
		return err
	}
	parts, whole := suite.Fingerprints(run)
	if as == asJSON {
		return a.json(struct {
			Version     int             `json:"version"`
			Path        string          `json:"path"`
			Fingerprint fingerprint.Sum `json:"fingerprint"`
			Parts       []suite.Print   `json:"parts"`
		}{1, dir, whole, parts})
	}
	for _, p := range parts {
		fmt.Fprintf(a.out, "%s  %-6s  %s\n", p.Fingerprint, strings.ToLower(string(p.Role)), p.Path)
	}
	_, err = fmt.Fprintf(a.out, "%s  whole\n", whole)
	return err
}
