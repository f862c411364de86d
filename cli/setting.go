package cli

import (
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/pentode-dev/pentode/core/diag"
	"github.com/pentode-dev/pentode/core/origin"
	"github.com/pentode-dev/pentode/core/problem"
	"github.com/pentode-dev/pentode/internal/leaf/columns"
	"github.com/pentode-dev/pentode/internal/leaf/quantity"
	"github.com/pentode-dev/pentode/lang"
	"github.com/pentode-dev/pentode/run/flow/pipe"
	"github.com/pentode-dev/pentode/workspace"
	"github.com/pentode-dev/pentode/workspace/project"
)

func (a *app) explainVerb() *cobra.Command {
	var uses bool
	cmd := &cobra.Command{
		Use:   "explain PATH KEY | explain CODE|KEY|TYPE|EVENT",
		Short: "Explain where a setting comes from, or what a word means",
		Long: "Shows the value of a setting and every step that led to it. A single argument is a word to explain: the code of a finding,\n" +
			"a key of one of the languages or of pentode.toml, an event, a process type or an algorithm.",
		Example: examples("pentode explain examples/trace/trace_config.txt OpenMP.default.omp_work", "pentode explain pinsight/unknown-event"),
		Args:    cobra.MinimumNArgs(1),
		RunE: func(_ *cobra.Command, args []string) error {
			if len(args) == 1 && (a.files.lang == "" || strings.Contains(args[0], "/")) {
				if uses {
					return errors.New("--uses needs a setting of a file: give the file and the key")
				}
				return a.explainWord(args[0])
			}
			return a.explainKey(args[:len(args)-1], args[len(args)-1], uses)
		},
	}
	cmd.Flags().BoolVar(&uses, "uses", false, "also list what reads the setting")
	return a.wideFlag(a.reads(cmd))
}

func (a *app) explainKey(paths []string, key string, uses bool) error {
	_, c, err := a.read(paths, "")
	if err != nil {
		return err
	}
	var keys []string
	for e := range c.Values() {
		if e.Key != key {
			keys = append(keys, e.Key)
			continue
		}
		if uses {
			if len(e.Uses) == 0 {
				fmt.Fprintf(a.err, "nothing reads `%s`\n", key)
			}
			a.uses(&e)
			return nil
		}
		a.line("%s", settingLine(&e))
		fmt.Fprintln(a.out)
		a.steps("", &e)
		a.uses(&e)
		return nil
	}
	if below := slices.DeleteFunc(slices.Clone(keys), func(k string) bool { return !strings.HasPrefix(k, key+".") && !strings.HasPrefix(k, key+"[") }); len(below) > 0 && !uses {
		return a.explainBelow(c, below)
	}
	a.noSuchKey(c.Document.File.Path(), key, keys)
	return exitCode(exitMisuse)
}

// explainBelow explains the settings below a key, such as data.d.size[0] of data.d.size.
func (a *app) explainBelow(c *lang.Config, keys []string) error {
	for e := range c.Values() {
		if slices.Contains(keys, e.Key) {
			fmt.Fprintf(a.out, "%s\n\n", settingLine(&e))
			a.steps("", &e)
			fmt.Fprintln(a.out)
		}
	}
	return nil
}

// noSuchKey reports an unknown key, and lists the existing ones.
func (a *app) noSuchKey(path, key string, keys []string) {
	fmt.Fprintf(a.err, "`%s` has no setting `%s`%s\n", path, key, near(key, keys))
	const limit = 8
	shown := 0
	for _, k := range keys {
		if !strings.Contains(strings.ToLower(k), strings.ToLower(key)) {
			continue
		}
		if shown++; shown > limit {
			fmt.Fprintln(a.err, "  …")
			return
		}
		fmt.Fprintln(a.err, "  "+k)
	}
}

func (a *app) uses(e *origin.Entry) {
	var rows [][]string
	for _, u := range e.Uses {
		rows = append(rows, []string{"  ", "read by", u.Key, u.Span.String(), u.Text})
	}
	a.columns(rows, columns.Text, columns.Text, columns.Name, columns.Name, columns.Name)
}

// explainWord explains a word that is not a setting of a file: everything with this name.
func (a *app) explainWord(word string) error {
	here, err := a.here()
	if err != nil {
		return err
	}
	languages, err := a.languages(here)
	if err != nil {
		return err
	}
	for _, c := range allCodes(languages) {
		if c.ID == word {
			a.code(c)
			return nil
		}
	}
	if word == project.FileName {
		a.explainProject(languages)
		return nil
	}
	if _, err := os.Stat(word); err == nil {
		return errors.New("give a key after the file: `pentode explain PATH KEY`")
	}
	library, err := a.library()
	if err != nil {
		return err
	}
	if i := slices.IndexFunc(languages, func(l *lang.Language) bool { return l.Name == word }); i >= 0 {
		a.explainLanguage(languages[i])
		return nil
	}
	if known, err := a.showType(library, word); known { // the key table of sprokit has types as sections
		return err
	}
	meanings := slices.Concat(projectMeanings(languages, word), schemaMeanings(languages, word))
	for i, text := range meanings {
		if i > 0 {
			fmt.Fprintln(a.out)
		}
		fmt.Fprintln(a.out, text)
	}
	if len(meanings) > 0 {
		return nil
	}
	return fmt.Errorf("there is nothing named `%s`; %s", word,
		problem.Advise(word, allWords(languages, library), "for a setting, give its file too: `pentode explain PATH KEY`"))
}

// explainLanguage describes a language, and names verbs that tell more.
func (a *app) explainLanguage(l *lang.Language) {
	s := l.Schema()
	fmt.Fprintf(a.out, "%s: %s\n\n%s\n\n", l.Name, l.Title, s.Doc)
	a.columns([][]string{
		{"pentode init --lang " + l.Name, "creates a commented first file"}, {"pentode schema --format markdown " + l.Name, "lists its sections and keys"},
		{"pentode explain KEY", "explains a key or a section"},
	})
}

// explainProject lists the settings of the project file.
func (a *app) explainProject(languages []*lang.Language) {
	fmt.Fprintf(a.out, "%s: settings of a project, in the folder of its files or above it; `pentode explain KEY` explains one\n\n", project.FileName)
	var rows [][]string
	for _, k := range projectSettings(languages) {
		rows = append(rows, []string{k.Name, k.Doc})
	}
	a.columns(rows, columns.Text, columns.Line)
}

// projectSettings returns all settings of pentode.toml, each with its full name.
func projectSettings(languages []*lang.Language) []project.Key {
	names := projectNames(languages)
	list := names.Keys()
	for _, k := range names.Launch.Runs {
		k.Name = "run." + k.Name
		list = append(list, k)
	}
	for _, k := range names.Launch.Programs {
		k.Name = "launch.NAME." + k.Name
		list = append(list, k)
	}
	return list
}

// projectMeanings describes the settings of pentode.toml with this name, with or without their section.
func projectMeanings(languages []*lang.Language, word string) (list []string) {
	for _, k := range projectSettings(languages) {
		if lastOf(k.Name, word) {
			list = append(list, fmt.Sprintf("`%s` of pentode.toml takes %s\n\n%s", k.Name, k.Takes, k.Doc))
		}
	}
	return list
}

// schemaMeanings describes the keys and sections of the languages with this name: `omp_work`, or with their section `OpenMP.omp_work`.
// A key with the same meaning in several sections is described once.
func schemaMeanings(languages []*lang.Language, word string) (list []string) {
	for _, l := range languages {
		s := l.Schema()
		sections := map[string][]string{} // keyed by the meaning of a key
		var order []string
		for i := range s.Sections {
			sec := &s.Sections[i]
			if lastOf(sec.Name, word) {
				list = append(list, fmt.Sprintf("`%s`, a section (%s)\n\n%s", sec.Name, l.Title, sec.Doc))
			}
			short := strings.TrimSuffix(sec.Name, ".default")
			for j := range sec.Keys {
				k := &sec.Keys[j]
				if !lastOf(k.Name, word) && sec.Name+"."+k.Name != word && short+"."+k.Name != word {
					continue
				}
				text := k.Describe()
				if sections[text] == nil {
					order = append(order, text)
				}
				sections[text] = append(sections[text], "`"+sec.Name+"`")
			}
		}
		for _, text := range order {
			list = append(list, fmt.Sprintf("a key of %s (%s)\n\n%s", strings.Join(sections[text], ", "), l.Title, text))
		}
	}
	return list
}

// lastOf reports whether a word equals a name or its last parts.
func lastOf(name, word string) bool {
	rest, ok := strings.CutSuffix(name, word)
	return ok && word != "" && (rest == "" || strings.HasSuffix(rest, ".") || strings.HasSuffix(rest, ":"))
}

// allWords returns the words that `explain` knows, to suggest similar ones.
func allWords(languages []*lang.Language, library *pipe.Registry) (list []string) {
	for _, c := range allCodes(languages) {
		list = append(list, c.ID)
	}
	for _, l := range languages {
		s := l.Schema()
		for i := range s.Sections {
			list = append(append(list, s.Sections[i].Name), s.Sections[i].KeyNames()...)
		}
	}
	return append(list, typeNames(library)...)
}

func (a *app) code(c *diag.Code) {
	a.line("%s (%s): %s", c.ID, c.Severity, c.Title)
	a.prose("\n" + c.Doc)
	fmt.Fprintf(a.out, "\nBad:\n\n%s\nGood:\n\n%s", indented(c.Bad), indented(c.Good))
}

func indented(text string) string {
	var b strings.Builder
	for line := range strings.Lines(text) {
		b.WriteString("    " + strings.TrimRight(line, "\n") + "\n")
	}
	return b.String()
}

// setFlags are the flags of `set` itself.
type setFlags struct{ force, dryRun bool }

func (a *app) setVerb() *cobra.Command {
	var flags setFlags
	cmd := &cobra.Command{
		Use:   "set PATH KEY=VALUE...",
		Short: "Change settings in the files that decide them",
		Long: "Changes each setting in the file and line that decides it: all settings, or none.\n" +
			"The result is checked as a whole; nothing is written if the change would add an error.",
		Example: examples("pentode set examples/trace/trace_config.txt Lexgion.default.tracing_rate=10", "pentode set examples/trace/trace_config.txt OpenMP.default.omp_work=off"),
		Args:    cobra.MinimumNArgs(2),
		RunE: func(_ *cobra.Command, args []string) error {
			w, err := a.workspace()
			if err != nil {
				return err
			}
			var wanted []lang.Assignment
			for _, arg := range args[1:] {
				key, value, ok := strings.Cut(arg, "=")
				if !ok {
					return fmt.Errorf("set takes KEY=VALUE, not `%s`", arg)
				}
				wanted = append(wanted, lang.Assignment{Key: key, Value: value})
			}
			return a.set(w, args[0], wanted, flags)
		},
	}
	cmd.Flags().BoolVar(&flags.force, "force", false, "write the change even if it adds errors")
	cmd.Flags().BoolVar(&flags.dryRun, "dry-run", false, "show what would change, write nothing")
	return a.reads(cmd)
}

// set changes settings. For standard input it prints the new text, and
// everything else goes to standard error.
func (a *app) set(w *workspace.Workspace, path string, wanted []lang.Assignment, flags setFlags) error {
	if filepath.Base(path) == project.FileName {
		return fmt.Errorf("edit %s by hand; --config KEY=VALUE overrides one of its settings for a single call", project.FileName)
	}
	before, _, err := a.config(w, []string{path})
	if err != nil {
		return err
	}
	edited, err := before.Edit(wanted...)
	var refused *lang.Refused
	if errors.As(err, &refused) {
		err = nil
	}
	switch {
	case err == nil:
	case hasKeys(before, wanted):
		return a.no(err)
	default:
		return err
	}
	if err := a.decided(path, before, edited, wanted); err != nil {
		return err
	}
	others := changedToo(w, before, edited) // computed before the files are written
	switch {
	case flags.dryRun:
		err = writeDiff(a.out, edited.Changes)
	case refused == nil || flags.force:
		err = a.writeSet(path, before, edited, wanted)
	}
	if err != nil {
		return err
	}
	if refused == nil || flags.force || flags.dryRun {
		for _, line := range others {
			fmt.Fprintln(a.err, line)
		}
	}
	a.say(edited.Added)
	if refused != nil && !flags.force {
		fmt.Fprintf(a.err, "pentode: nothing is written: this would add %s; --force writes it anyway\n",
			quantity.Count(refused.Added.Count(diag.Error), "error", "errors"))
		return exitCode(exitNo)
	}
	return nil
}

// hasKeys reports whether a configuration has all the keys to set.
func hasKeys(c *lang.Config, wanted []lang.Assignment) bool {
	known := map[string]bool{}
	for e := range c.Values() {
		known[e.Key] = true
	}
	return !slices.ContainsFunc(wanted, func(w lang.Assignment) bool { return !known[w.Key] })
}

// changedToo lists the settings that also change in other files of the project, because those files include an edited file.
func changedToo(w *workspace.Workspace, before *lang.Config, edited *lang.Edited) (lines []string) {
	includers := w.NewIncluders()
	own, seen := before.Document.File.Path(), map[string]bool{}
	for _, change := range edited.Changes {
		d, err := w.Document(change.File)
		if err != nil {
			continue
		}
		for _, c := range includers.Of(d) {
			path := c.Document.File.Path()
			if path == own || seen[path] {
				continue
			}
			seen[path] = true
			list := lang.AlsoChanged(c, c.With(edited.Changes), nil)
			if len(list) == 0 {
				continue
			}
			line := fmt.Sprintf("%s includes %s, and changes too: %s = %s, was %s", path, change.File.Path(), list[0].Key, list[0].Value, list[0].Was)
			if more := len(list) - 1; more > 0 {
				line += fmt.Sprintf(", and %d more", more)
			}
			lines = append(lines, line)
		}
	}
	return lines
}

// decided prints which keys already have the wanted value, and refuses to change other files if the text came from standard input.
func (a *app) decided(path string, before *lang.Config, edited *lang.Edited, wanted []lang.Assignment) error {
	for i, at := range edited.Decided {
		switch {
		case at.IsZero():
			fmt.Fprintf(a.err, "`%s` is `%s` already\n", wanted[i].Key, wanted[i].Value)
		case path == "-" && at.File.Path() != before.Document.File.Path():
			fmt.Fprintf(a.err, "pentode: %s decides `%s`, not standard input: give that file, or a file that includes it\n", at, wanted[i].Key)
			return exitCode(exitNo)
		}
	}
	return nil
}

// writeSet writes the new texts and shows what changed.
func (a *app) writeSet(path string, before *lang.Config, edited *lang.Edited, wanted []lang.Assignment) error {
	report, changes := a.out, edited.Changes
	var err error
	if path == "-" {
		report, changes = a.err, nil
		_, err = io.WriteString(a.exact(), edited.Config.Document.File.Text())
	} else {
		err = workspace.Write(changes...)
	}
	if err != nil {
		return err
	}
	for i, at := range edited.Decided {
		if !at.IsZero() {
			fmt.Fprintf(report, "%s decides `%s`\n", at, wanted[i].Key)
		}
	}
	if err := writeDiff(report, changes); err != nil {
		return err
	}
	for _, also := range lang.AlsoChanged(before, edited.Config, wanted) {
		fmt.Fprintf(report, "also changed: %s = %s, was %s\n", also.Key, also.Value, also.Was)
	}
	return nil
}
