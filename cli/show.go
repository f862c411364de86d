package cli

import (
	"bytes"
	"fmt"
	"iter"

	"github.com/spf13/cobra"

	"github.com/pentode-dev/pentode/core/jsontext"
	"github.com/pentode-dev/pentode/core/origin"
	"github.com/pentode-dev/pentode/lang"
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
