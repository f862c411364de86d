package cli

import (
	"bytes"
	"fmt"
	"iter"
	"strings"

	"github.com/spf13/cobra"

	"github.com/pentode-dev/pentode/core/fingerprint"
	"github.com/pentode-dev/pentode/core/jsontext"
	"github.com/pentode-dev/pentode/core/origin"
	"github.com/pentode-dev/pentode/lang"
	"github.com/pentode-dev/pentode/suite"
	"github.com/pentode-dev/pentode/workspace"
)

func (a *app) showVerb() *cobra.Command {
	var as format
	var everything, origins bool
	cmd := &cobra.Command{
		Use:     "show PATH",
		Short:   "Show the resolved settings of a file, or a run on one screen",
		Example: examples("pentode show --origin examples/trace/trace_config.txt", "pentode show examples/heat"),
		RunE: func(_ *cobra.Command, paths []string) error {
			w, err := a.workspace()
			if err != nil {
				return err
			}
			if len(paths) == 1 && isFolder(paths[0]) {
				return a.showFolder(w, paths[0], as)
			}
			c, problems, err := a.config(w, paths)
			if err != nil {
				return err
			}
			entries := func(yield func(origin.Entry) bool) {
				for e := range c.Values() {
					if (everything || !e.Implicit) && !yield(e) {
						return
					}
				}
			}
			parts := c.Parts()
			if !everything {
				parts = func(func(lang.Part) bool) {}
			}
			if err := a.buffered(func() error { return a.printSettings(c, parts, entries, as, origins) }); err != nil {
				return err
			}
			return a.refuse(append(problems, c.Diagnostics()...))
		},
	}
	cmd.Flags().StringVar((*string)(&as), "format", string(asText), "`text|json|yaml`")
	cmd.Flags().BoolVar(&everything, "all", false, "with the processes and connections of a pipeline, defaults and what is computed")
	cmd.Flags().BoolVar(&origins, "origin", false, "with the steps that every value comes from")
	return a.reads(cmd)
}

func (a *app) printSettings(c *lang.Config, parts iter.Seq[lang.Part], entries iter.Seq[origin.Entry], as format, origins bool) error {
	switch as {
	case asJSON:
		return a.jsonSettings(c, parts, entries)
	case asText:
		for p := range parts {
			fmt.Fprintln(a.out, p.Text)
			if origins {
				fmt.Fprintf(a.out, "  %s\n\n", p.Span)
			}
		}
		for e := range entries {
			fmt.Fprintln(a.out, settingLine(&e))
			if origins {
				a.steps("", &e)
				fmt.Fprintln(a.out)
			}
		}
	case asYAML:
		for p := range parts {
			fmt.Fprintf(a.out, "%s: %s\n", yamlText(p.Key), yamlText(p.Value))
			if origins {
				fmt.Fprintf(a.out, "# %s\n", p.Span)
			}
		}
		for e := range entries {
			fmt.Fprintf(a.out, "%s: %s\n", yamlText(e.Key), yamlText(e.Value))
			if origins {
				a.steps("#", &e)
			}
		}
	}
	return nil
}

// yamlText quotes a text so that every YAML reader sees the same string.
func yamlText(s string) string { return jsontext.Line(s) }

// jsonPart is a part of a document as `show --all --format json` has it.
type jsonPart struct {
	Text   string `json:"text"`
	Key    string `json:"key"`
	Value  string `json:"value"`
	Path   string `json:"path"`
	Line   int    `json:"line"`
	Column int    `json:"column"`
}

// jsonSettings writes the settings one by one: a large file has millions.
func (a *app) jsonSettings(c *lang.Config, parts iter.Seq[lang.Part], entries iter.Seq[origin.Entry]) error {
	var list []jsonPart
	for p := range parts {
		at := p.Span.Position()
		list = append(list, jsonPart{p.Text, p.Key, p.Value, p.Span.File.Path(), at.Line, at.Column})
	}
	var b bytes.Buffer
	if err := jsontext.Write(&b, struct {
		Version  int        `json:"version"`
		Path     string     `json:"path"`
		Language string     `json:"language"`
		Parts    []jsonPart `json:"parts,omitempty"`
	}{1, c.Document.File.Path(), c.Document.Language.Name, list}); err != nil {
		return err
	}
	fmt.Fprintf(a.out, "%s,\n  \"settings\": [", bytes.TrimSuffix(b.Bytes(), []byte("\n}\n")))
	before, after := "\n    ", ""
	var text []byte
	for entry := range entries {
		text = entry.AppendJSON(append(text[:0], before...), "    ")
		if _, err := a.out.Write(text); err != nil {
			return err
		}
		before, after = ",\n    ", "\n  "
	}
	_, err := fmt.Fprintf(a.out, "%s]\n}\n", after)
	return err
}

// showFolder shows a run on one screen.
func (a *app) showFolder(w *workspace.Workspace, dir string, as format) error {
	run, err := a.openWhole(w, dir)
	if err != nil {
		return err
	}
	parts := suite.Summary(run)
	switch as {
	case asText:
		for i, p := range parts {
			if i > 0 {
				fmt.Fprintln(a.out)
			}
			fmt.Fprintf(a.out, "%-7s %s\n", strings.ToLower(string(p.Role)), p.Path)
			for _, line := range p.Lines {
				fmt.Fprintf(a.out, "        %s\n", line)
			}
		}
	case asJSON:
		err = a.json(struct {
			Version int          `json:"version"`
			Path    string       `json:"path"`
			Parts   []suite.Part `json:"parts"`
		}{1, dir, parts})
	default:
		err = fmt.Errorf("--format takes text or json for a folder, not `%s`", as)
	}
	if err != nil {
		return err
	}
	return a.judge(run)
}

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
