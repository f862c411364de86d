package cli

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"iter"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/pentode-dev/pentode/core/diag/render"
	"github.com/pentode-dev/pentode/core/fingerprint"
	"github.com/pentode-dev/pentode/core/origin"
	"github.com/pentode-dev/pentode/core/schema"
	"github.com/pentode-dev/pentode/internal/leaf/jsontext"
	"github.com/pentode-dev/pentode/lang"
	"github.com/pentode-dev/pentode/run/flow/catalog"
	"github.com/pentode-dev/pentode/run/launch"
	"github.com/pentode-dev/pentode/run/launch/state"
	"github.com/pentode-dev/pentode/run/trace/forecast"
	"github.com/pentode-dev/pentode/run/trace/query"
	resultorigin "github.com/pentode-dev/pentode/runs/origin"
	"github.com/pentode-dev/pentode/runs/record"
	"github.com/pentode-dev/pentode/runs/traced"
	"github.com/pentode-dev/pentode/suite"
	"github.com/pentode-dev/pentode/workspace"
)

func (a *app) showVerb() *cobra.Command {
	var as format
	var everything, origins, flat, prints bool
	cmd := &cobra.Command{
		Use:   "show [PATH]",
		Short: "Show the resolved settings of a file, or a run folder on one screen",
		Long: "Shows the resolved settings of a file in order, or the parts of a run folder on one screen; without PATH of this\n" +
			"folder. --flat prints one equivalent file without includes and macros. --fingerprint prints a SHA-256 of the\n" +
			"meaning. Exit 1 if the file has errors.",
		Example: examples("pentode show --origin examples/trace/trace_config.txt", "pentode show --flat examples/heat/heat.pipe"),
		RunE: func(_ *cobra.Command, paths []string) error {
			switch {
			case flat && prints, (flat || prints) && (everything || origins):
				return errors.New("--flat and --fingerprint replace the list of settings: give only one of them, without --all and --origin")
			case flat && as != asText:
				return errors.New("--flat prints a file in its own language: leave --format out")
			case prints && as == asYAML:
				return errors.New("--fingerprint is written as text or json, not as yaml")
			}
			w, err := a.workspace()
			if err != nil {
				return err
			}
			if paths, err = a.orAlone(w, paths); err != nil {
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
	cmd.Flags().BoolVar(&everything, "all", false, "also show defaults, computed values, and the processes and connections of a pipeline")
	cmd.Flags().BoolVar(&origins, "origin", false, "also show the steps that each value comes from")
	cmd.Flags().BoolVar(&flat, "flat", false, "print one equivalent file without includes and macros")
	cmd.Flags().BoolVar(&prints, "fingerprint", false, "print a fingerprint of the meaning, for a run folder one for each part")
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

// jsonPart is a part of a document in `show --all --format json`.
type jsonPart struct {
	Text   string `json:"text"`
	Key    string `json:"key"`
	Value  string `json:"value"`
	Path   string `json:"path"`
	Line   int    `json:"line"`
	Column int    `json:"column"`
}

// jsonShown is a file in `show --format json`.
type jsonShown struct {
	Version  int            `json:"version"`
	Path     string         `json:"path"`
	Language string         `json:"language"`
	Parts    []jsonPart     `json:"parts,omitempty"` // with --all
	Settings []origin.Entry `json:"settings"`
}

// jsonSettings writes the settings one by one, because a large file can have millions.
func (a *app) jsonSettings(c *lang.Config, parts iter.Seq[lang.Part], entries iter.Seq[origin.Entry]) error {
	var list []jsonPart
	for p := range parts {
		at := p.Span.Position()
		list = append(list, jsonPart{p.Text, p.Key, p.Value, p.Span.File.Path(), at.Line, at.Column})
	}
	var b bytes.Buffer
	if err := jsontext.Write(&b, jsonShown{1, c.Document.File.Path(), c.Document.Language.Name, list, []origin.Entry{}}); err != nil {
		return err
	}
	if _, err := a.out.Write(bytes.TrimSuffix(b.Bytes(), []byte("]\n}\n"))); err != nil {
		return err
	}
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

// jsonFolder is a run folder in `show --format json`.
type jsonFolder struct {
	Version int          `json:"version"`
	Path    string       `json:"path"`
	Parts   []suite.Part `json:"parts"`
}

// showFolder shows a run folder on one screen.
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
		err = a.json(jsonFolder{1, dir, append([]suite.Part{}, parts...)})
	default:
		err = fmt.Errorf("--format takes text or json for a folder, not `%s`", as)
	}
	if err != nil {
		return err
	}
	return a.judge(run)
}

// flatten prints one file that means the same as the paths.
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

// jsonFingerprint is a file in `show --fingerprint --format json`.
type jsonFingerprint struct {
	Version     int             `json:"version"`
	Path        string          `json:"path"`
	Role        lang.Role       `json:"role"`
	Fingerprint fingerprint.Sum `json:"fingerprint"`
}

// jsonFingerprints is a run folder in `show --fingerprint --format json`.
type jsonFingerprints struct {
	Version     int             `json:"version"`
	Path        string          `json:"path"`
	Fingerprint fingerprint.Sum `json:"fingerprint"`
	Parts       []suite.Print   `json:"parts"`
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
		return a.json(jsonFingerprint{1, c.Document.File.Path(), c.Document.Language.Role, sum})
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
		return a.json(jsonFingerprints{1, dir, whole, append([]suite.Print{}, parts...)})
	}
	for _, p := range parts {
		fmt.Fprintf(a.out, "%s  %-6s  %s\n", p.Fingerprint, strings.ToLower(string(p.Role)), p.Path)
	}
	_, err = fmt.Fprintf(a.out, "%s  whole\n", whole)
	return err
}

func (a *app) schemaVerb() *cobra.Command {
	var as, of string
	cmd := &cobra.Command{
		Use:   "schema LANGUAGE | --of VERB",
		Short: "Print the JSON Schema of a language or of a verb's output, or a reference of keys",
		Long: "Prints the JSON Schema of a language, as `convert --to json` writes its files, or with --of the schema of a verb's JSON. If the\n" +
			"verb prints a line for each event, it is the schema of one line. With --format markdown it prints the reference of the\n" +
			"language's keys.",
		Example: examples("pentode schema pinsight > pinsight.schema.json", "pentode schema --of 'runs diff' > diff.schema.json"),
		Args: func(cmd *cobra.Command, args []string) error {
			if cmd.Flags().Changed("of") { // the second word of the verb may be an argument
				return nil
			}
			return cobra.ExactArgs(1)(cmd, args)
		},
		RunE: func(cmd *cobra.Command, args []string) error {
			switch ofVerb := cmd.Flags().Changed("of"); {
			case ofVerb && as != "json":
				return errors.New("there is no reference for the output of a verb: leave --format out")
			case ofVerb:
				return a.answerSchema(append(strings.Fields(of), args...))
			}
			s, err := a.schema(args[0])
			switch {
			case err != nil:
				return err
			case as == "markdown":
				return s.Markdown(a.out)
			}
			return s.JSONSchema(a.out)
		},
	}
	cmd.Flags().StringVar(&of, "of", "", "print the schema of the JSON output of `VERB`, such as check or 'runs diff'")
	cmd.Flags().StringVar(&as, "format", "json", "`json|markdown`; markdown is the reference of the keys")
	return a.projectFlags(cmd)
}

// schema returns the table of keys of a language.
func (a *app) schema(language string) (*schema.Schema, error) {
	p, err := a.here()
	if err != nil {
		return nil, err
	}
	languages, err := a.languages(p)
	if err != nil {
		return nil, err
	}
	if err := a.usable(p); err != nil {
		return nil, err
	}
	l, err := lang.ByName(languages, language)
	if slices.Contains(answeringVerbs(), language) {
		err = fmt.Errorf("`%s` is a verb: `pentode schema --of %[1]s` prints the schema of its output", language)
	}
	if err != nil {
		return nil, err
	}
	s := l.Schema()
	if s == nil {
		return nil, fmt.Errorf("%s has no table of keys", l.Title)
	}
	return s, nil
}

// jsonAnswer is a JSON output of a verb.
type jsonAnswer struct {
	verb     string // the words of the verb
	when     string // the flags, the order or the file for which the verb prints it; empty: always
	value    any    // a value of the printed type
	lines    bool   // the verb prints one value for each event, each on a line
	language string // the verb prints the resolved form of this language, instead of value
}

// jsonAnswers returns all JSON outputs.
func jsonAnswers() []jsonAnswer {
	return []jsonAnswer{
		{verb: "check", value: render.JSONReport{}},
		{verb: "check", when: "with --host", value: jsonVerdict{}},
		{verb: "show", value: jsonShown{}},
		{verb: "show", when: "of a run folder", value: jsonFolder{}},
		{verb: "show", when: "with --fingerprint", value: jsonFingerprint{}},
		{verb: "show", when: "of a run folder, with --fingerprint", value: jsonFingerprints{}},
		{verb: "run", when: "with --stats=json", value: jsonFigures{}},
		{verb: "run", when: "of a pipeline, with --dry-run", value: jsonPlan{}},
		{verb: "run", when: "of a launch plan, with --dry-run", value: launch.JSONPlan{}},
		{verb: "ps", value: jsonRuns{}},
		{verb: "logs", value: state.JSONLine{}, lines: true},
		{verb: "control", when: "stats", value: jsonFigures{}},
		{verb: "control", when: "set", value: jsonSet{}},
		{verb: "control", when: "peek", value: jsonDatum{}},
		{verb: "control", when: "status", value: traced.MonitorReport{}},
		{verb: "runs list", value: jsonRecords{}},
		{verb: "runs show", value: record.Record{}},
		{verb: "runs diff", value: jsonDiff{}},
		{verb: "origin", value: resultorigin.Origin{}},
		{verb: "trace report", value: jsonReport{}},
		{verb: "trace report", when: "with --compare", value: jsonComparison{}},
		{verb: "trace why", value: jsonCauses{}},
		{verb: "trace query", value: query.Row(), lines: true},
		{verb: "trace decide", value: jsonDecision{}},
		{verb: "trace decide", when: "about several events or units", value: jsonDecidedCells{}},
		{verb: "trace decide", when: "with --all", value: jsonDecidedSets{}},
		{verb: "trace forecast", value: forecast.Forecast{}},
		{verb: "target detect", language: "coil"},
		{verb: "target compat", value: jsonVerdict{}},
		{verb: "target compat", when: "with --meet", language: "coil"},
		{verb: "data layout", value: jsonLayout{}},
		{verb: "data decode", value: jsonDecoded{}},
		{verb: "data eval", value: result{}},
		{verb: "types list", value: catalog.Form()},
	}
}

// answeringVerbs returns the verbs that can print JSON.
func answeringVerbs() []string {
	var verbs []string
	for _, j := range jsonAnswers() {
		verbs = append(verbs, j.verb)
	}
	return slices.Compact(verbs)
}

// answerSchema prints the schema of the JSON output of a verb.
func (a *app) answerSchema(words []string) error {
	words = slices.DeleteFunc(words, func(word string) bool { return strings.HasPrefix(word, "-") }) // flags are ignored: one schema covers all outputs of a verb
	verb := strings.TrimPrefix(strings.Join(words, " "), "pentode ")
	var shapes []jsontext.Shape
	lines := false
	for _, j := range jsonAnswers() {
		if j.verb != verb {
			continue
		}
		s := jsontext.Shape{Title: j.when, Value: j.value}
		if j.language != "" {
			var err error
			if s.Schema, err = a.formOf(j.language); err != nil {
				return err
			}
		}
		shapes, lines = append(shapes, s), lines || j.lines
	}
	if shapes == nil {
		verbs := answeringVerbs()
		return fmt.Errorf("`%s` prints no JSON%s; these verbs do: %s", verb, near(verb, verbs), strings.Join(verbs, ", "))
	}
	title := "pentode " + verb
	if lines {
		title = "A line of " + title
	}
	return jsontext.WriteSchema(a.out, title, shapes...)
}

// formOf returns the JSON Schema of a language.
func (a *app) formOf(language string) (form map[string]any, err error) {
	s, err := a.schema(language)
	if err != nil {
		return nil, err
	}
	var text bytes.Buffer
	if err := s.JSONSchema(&text); err != nil {
		return nil, err
	}
	return form, json.Unmarshal(text.Bytes(), &form)
}
