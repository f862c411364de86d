package cli

import (
	"bytes"
	"errors"
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
	var everything, origins, flat, prints bool
	cmd := &cobra.Command{
		Use:   "show PATH",
		Short: "Show the resolved settings of a file, or a run on one screen",
		Long: "Shows the settings that a file means, in order; of a run folder its parts on one screen. With --flat it prints one file with the\n" +
			"same meaning, without includes and macros. With --fingerprint it prints a SHA-256 of what is meant: comments, blanks, macros,\n" +
			"includes and any order without a meaning do not change it. Exit 1 where the file has errors.",
		Example: examples("pentode show --origin examples/trace/trace_config.txt", "pentode show --flat examples/heat/heat.pipe"),
		RunE: func(_ *cobra.Command, paths []string) error {
			switch {
			case flat && prints, (flat || prints) && (everything || origins):
				return errors.New("--flat and --fingerprint are answers of their own: give one of them, without --all and --origin")
			case flat && as != asText:
				return errors.New("--flat prints a file in its own language: leave --format out")
			case prints && as == asYAML:
				return errors.New("--fingerprint is written as text or json, not as yaml")
			}
			w, err := a.workspace()
			if err != nil {
				return err
			}
			folder := len(paths) == 1 && isFolder(paths[0])
			switch {
			case prints && folder:
				return a.fingerprintFolder(w, paths[0], as)
			case prints:
				return a.fingerprint(w, paths, as)
			case flat:
				return a.flatten(w, paths)
			case folder:
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
	cmd.Flags().BoolVar(&flat, "flat", false, "one file without includes and macros")
	cmd.Flags().BoolVar(&prints, "fingerprint", false, "one number that changes when the meaning does, of a run folder one for each part too")
	return a.wideFlag(a.reads(cmd))
}

func (a *app) printSettings(c *lang.Config, parts iter.Seq[lang.Part], entries iter.Seq[origin.Entry], as format, origins bool) error {
	switch as {
	case asJSON:
		return a.jsonSettings(c, parts, entries)
	case asText:
		for p := range parts {
			a.line("%s", p.Text)
			if origins {
				a.line("  %s", p.Span)
				fmt.Fprintln(a.out)
			}
		}
		for e := range entries {
			a.line("%s", settingLine(&e))
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
			fold(a.out, a.room(), 8, fmt.Sprintf("%-7s %s", strings.ToLower(string(p.Role)), p.Path))
			for _, line := range p.Lines {
				a.line("        %s", line)
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

// flatten prints one file with the meaning of the paths.
func (a *app) flatten(w *workspace.Workspace, paths []string) error {
	c, problems, err := a.config(w, paths)
	if err != nil {
		return err
	}
	var b bytes.Buffer
	lost, err := c.Flatten(&b)
	if err != nil {
		return err
	}
	if _, err := a.exact().Write(b.Bytes()); err != nil {
		return err
	}
	a.say(lost)
	return a.broken(c, append(problems, lost...))
}

// fingerprint prints the fingerprint of the paths.
func (a *app) fingerprint(w *workspace.Workspace, paths []string, as format) error {
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

func (a *app) schemaVerb() *cobra.Command {
	var as string
	cmd := &cobra.Command{
		Use:     "schema LANGUAGE",
		Short:   "Write the JSON Schema of a language's resolved form, or the reference of its keys",
		Example: examples("pentode schema pinsight > pinsight.schema.json", "pentode schema --format markdown pinsight"),
		Args:    cobra.ExactArgs(1),
		RunE: func(_ *cobra.Command, args []string) error {
			p, err := a.here()
			if err != nil {
				return err
			}
			languages, err := a.languages(p)
			if err != nil {
				return err
			}
			if err := a.usable(p); err != nil {
				return err
			}
			l, err := lang.ByName(languages, args[0])
			if err != nil {
				return err
			}
			s := l.Schema()
			switch {
			case s == nil:
				return fmt.Errorf("%s has no table of keys", l.Title)
			case as == "markdown":
				return s.Markdown(a.out)
			}
			return s.JSONSchema(a.out)
		},
	}
	cmd.Flags().StringVar(&as, "format", "json", "`json|markdown`; of markdown the reference of the keys")
	return a.projectFlags(cmd)
}
