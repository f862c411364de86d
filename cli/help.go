package cli

import (
	"cmp"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/pentode-dev/pentode/core/problem"
	"github.com/pentode-dev/pentode/internal/leaf/columns"
	"github.com/pentode-dev/pentode/run/launch"
	"github.com/pentode-dev/pentode/suite"
	"github.com/pentode-dev/pentode/workspace/project"
)

// The layout of the help of flags: its width, and the column where descriptions begin.
const (
	helpWidth  = 100
	helpColumn = 30
)

// groupTitles are the groups of flags in the order of the help. The group name at the
// start of a description says which group the flag belongs to.
var groupTitles = []struct{ name, title string }{
	{"", "Flags"}, {"pipelines and folders", "Pipelines and folders"}, {"pipelines", "Pipelines"}, {"launch", "Launch"},
	{fileGroup, "Files"}, {"COIL", "COIL"}, {"Paradyn", "Paradyn"}, {"sprokit", "sprokit"}, {"PDI", "PDI"}, {"PInsight", "PInsight"},
}

// wrapped returns the description of a verb, wrapped at the width of help. Line breaks after a sentence stay, and so do
// indented lines.
func wrapped(long string) string {
	var lines []string
	paragraph := ""
	end := func() {
		if paragraph != "" {
			lines, paragraph = append(lines, columns.Wrap(paragraph, helpWidth, 0)...), ""
		}
	}
	for line := range strings.SplitSeq(long, "\n") {
		if strings.HasPrefix(line, " ") || line == "" {
			end()
			lines = append(lines, line)
			continue
		}
		paragraph = strings.TrimSpace(paragraph + " " + line)
		if strings.HasSuffix(line, ".") {
			end()
		}
	}
	end()
	return strings.Join(lines, "\n")
}

// usage prints how to call a verb. It ends with the examples, because people look
// for them first.
func usage(cmd *cobra.Command) error {
	parts := []string{"Usage:\n  " + cmd.UseLine()}
	if cmd.HasAvailableSubCommands() {
		parts[0] = "Usage:\n  " + cmd.CommandPath() + " VERB"
		if !cmd.HasParent() {
			parts[0] = "Usage:\n  pentode [-C DIR] VERB"
		}
		parts = append(parts, verbLists(cmd)...)
	}
	if cmd.HasAvailableLocalFlags() {
		parts = append(parts, flagGroups(cmd.LocalFlags()))
	}
	if cmd.HasExample() {
		parts = append(parts, "Examples:\n"+cmd.Example)
	}
	_, err := fmt.Fprintln(cmd.OutOrStderr(), strings.Join(parts, "\n\n"))
	return err
}

// verbLists returns the subcommands of a verb by name, in groups if they have groups.
func verbLists(cmd *cobra.Command) []string {
	titles, width := []string{""}, 0
	for _, g := range cmd.Groups() {
		titles = append(titles, g.ID)
	}
	verbs := map[string][]*cobra.Command{}
	for _, verb := range cmd.Commands() {
		if verb.IsAvailableCommand() {
			verbs[verb.GroupID] = append(verbs[verb.GroupID], verb)
			width = max(width, len(verb.Name()))
		}
	}
	var lists []string
	for _, title := range titles {
		if len(verbs[title]) == 0 {
			continue
		}
		list := cmp.Or(title, "Verbs") + ":"
		for _, verb := range verbs[title] {
			list += fmt.Sprintf("\n  %-*s  %s", width, verb.Name(), verb.Short)
		}
		lists = append(lists, list)
	}
	return lists
}

// flagGroups returns the help of flags, group by group, wrapped at words.
func flagGroups(flags *pflag.FlagSet) string {
	groups := map[string][]string{}
	flags.VisitAll(func(f *pflag.Flag) {
		if f.Hidden {
			return
		}
		group, usage := groupOf(f)
		groups[group] = append(groups[group], flagHelp(f, usage))
	})
	var parts []string
	for _, g := range groupTitles {
		if lines := groups[g.name]; len(lines) > 0 {
			parts = append(parts, g.title+":\n"+strings.Join(lines, "\n"))
		}
	}
	return strings.Join(parts, "\n\n")
}

// groupOf returns the group of a flag, and its description without the group.
func groupOf(f *pflag.Flag) (group, usage string) {
	if _, general := f.Annotations[fileGroup]; general {
		return fileGroup, f.Usage
	}
	for _, g := range groupTitles {
		if rest, ok := strings.CutPrefix(f.Usage, g.name+": "); ok && g.name != "" {
			return g.name, rest
		}
	}
	return "", f.Usage
}

// flagHelp returns the help of one flag.
func flagHelp(f *pflag.Flag, usage string) string {
	plain := *f
	plain.Usage = usage
	value, text := pflag.UnquoteUsage(&plain)
	left := "      --" + f.Name
	if f.Shorthand != "" {
		left = "  -" + f.Shorthand + ", --" + f.Name
	}
	if f.NoOptDefVal != "" && f.Value.Type() != "bool" {
		left += "[=" + value + "]"
	} else if value != "" {
		left += " " + value
	}
	switch f.DefValue {
	case "", "false", "0", "0s", "[]":
	default:
		text += fmt.Sprintf(" (default %s)", f.DefValue)
	}
	var b strings.Builder
	b.WriteString(left)
	column := len(left)
	if column >= helpColumn {
		b.WriteByte('\n')
		column = 0
	}
	for _, word := range strings.Fields(text) {
		switch {
		case column < helpColumn:
			b.WriteString(strings.Repeat(" ", helpColumn-column))
			column = helpColumn
		case column+1+len(word) > helpWidth:
			b.WriteString("\n" + strings.Repeat(" ", helpColumn))
			column = helpColumn
		default:
			b.WriteByte(' ')
			column++
		}
		b.WriteString(word)
		column += len(word)
	}
	return b.String()
}

// refuseMisuse makes a verb refuse wrong arguments with a message that names the expected
// ones and the help.
func refuseMisuse(verb *cobra.Command) {
	if verb.HasSubCommands() {
		verb.Args = isVerb
		if verb.RunE == nil {
			verb.RunE = func(cmd *cobra.Command, _ []string) error { return cmd.Help() }
		}
		for _, sub := range verb.Commands() {
			refuseMisuse(sub)
		}
		return
	}
	counts := verb.Args
	verb.Args = func(cmd *cobra.Command, args []string) error {
		if err := refuseOthers(cmd.Flags()); err != nil || counts == nil || counts(cmd, args) == nil {
			return err
		}
		return fmt.Errorf("expected `%s`, but found %s; `%s --help` shows examples",
			strings.TrimSuffix(cmd.UseLine(), " [flags]"), arguments(len(args)), cmd.CommandPath())
	}
}

// refuseOthers refuses a value of a flag that is not in the list in its help.
func refuseOthers(flags *pflag.FlagSet) (err error) {
	flags.Visit(func(f *pflag.Flag) {
		words, value := choices(f), f.Value.String()
		if last := len(words) - 1; err == nil && last > 0 && !slices.Contains(words, value) {
			err = fmt.Errorf("--%s takes %s or %s, not `%s`%s", f.Name, strings.Join(words[:last], ", "), words[last], value, near(value, words))
		}
	})
	return err
}

func arguments(n int) string {
	switch n {
	case 0:
		return "no arguments"
	case 1:
		return "one argument"
	}
	return fmt.Sprintf("%d arguments", n)
}

// isVerb refuses a first word that is not a verb.
func isVerb(group *cobra.Command, args []string) error {
	if len(args) == 0 {
		return nil
	}
	if now, ok := renamed(append(strings.Fields(group.CommandPath())[1:], args...)); ok {
		return errors.New(now)
	}
	var names []string
	for _, c := range group.Commands() {
		names = append(names, c.Name())
	}
	what := "a verb"
	if group.HasParent() {
		what = "a verb of `" + group.CommandPath() + "`"
	}
	if !group.HasParent() {
		if below := belowAreas(group, args[0]); below != "" {
			return fmt.Errorf("`%s` is not %s; it is `pentode %s`", args[0], what, below)
		}
	}
	return fmt.Errorf("`%s` is not %s; %s", args[0], what, problem.Advise(args[0], names, "`"+group.CommandPath()+" --help` lists them"))
}

// belowAreas looks for a word among subcommands and the orders of `control`: it finds `data layout` for `layout`, and `control pause` for
// `pause`.
func belowAreas(root *cobra.Command, word string) string {
	for _, area := range root.Commands() {
		for _, verb := range area.Commands() {
			if verb.Name() == word {
				return area.Name() + " " + word
			}
		}
	}
	if slices.Contains(orders, word) {
		return "control " + word
	}
	return ""
}

// flagMisuse rewords an error about a flag.
func flagMisuse(cmd *cobra.Command, err error) error {
	var unknown *pflag.NotExistError
	var lacks *pflag.ValueRequiredError
	var wrong *pflag.InvalidValueError
	switch {
	case errors.As(err, &unknown):
		if unknown.GetSpecifiedShortnames() != "" {
			return fmt.Errorf("there is no flag `-%s`; `%s --help` lists them", unknown.GetSpecifiedName(), cmd.CommandPath())
		}
		if f := cmd.Flags().Lookup("format"); f != nil && slices.Contains(choices(f), unknown.GetSpecifiedName()) {
			return fmt.Errorf("there is no flag `--%s`; write `--format %[1]s`", unknown.GetSpecifiedName())
		}
		if key, ok := settingOf(cmd, unknown.GetSpecifiedName()); ok {
			return fmt.Errorf("there is no flag `--%s`; it is the setting `%s` of pentode.toml: give `--config %[2]s=VALUE`", unknown.GetSpecifiedName(), key)
		}
		var names []string
		cmd.Flags().VisitAll(func(f *pflag.Flag) { names = append(names, f.Name) })
		for _, name := range names {
			if strings.HasPrefix(name, unknown.GetSpecifiedName()) {
				return fmt.Errorf("there is no flag `--%s`; did you mean `--%s`?", unknown.GetSpecifiedName(), name)
			}
		}
		if near, ok := problem.Nearest(unknown.GetSpecifiedName(), names); ok {
			return fmt.Errorf("there is no flag `--%s`; did you mean `--%s`?", unknown.GetSpecifiedName(), near)
		}
		return fmt.Errorf("there is no flag `--%s`; `%s --help` lists them", unknown.GetSpecifiedName(), cmd.CommandPath())
	case errors.As(err, &lacks):
		return fmt.Errorf("`--%s` needs a value: %s", lacks.GetFlag().Name, plainUsage(lacks.GetFlag()))
	case errors.As(err, &wrong):
		return fmt.Errorf("`--%s` cannot be `%s`: %s", wrong.GetFlag().Name, wrong.GetValue(), expected(wrong))
	}
	return err
}

// sections are the sections of pentode.toml that apply to verbs, by the first word of the verb.
var sections = map[string][]string{"run": {"run"}, "submit": {"run"}, "trace": {"trace", "pinsight"}, "target": {"coil"}, "data": {"pdi"}, "types": {"sprokit"}}

// settingOf returns the setting of pentode.toml that a word means for a verb: for `run`, the words `ready` and `no-control` mean `run.ready` and
// `run.control`.
func settingOf(cmd *cobra.Command, word string) (string, bool) {
	verb := strings.Fields(cmd.CommandPath())
	if len(verb) < 2 || cmd.Flags().Lookup("config") == nil {
		return "", false
	}
	for _, section := range sections[verb[1]] {
		name := section + "." + strings.TrimPrefix(word, "no-")
		if slices.ContainsFunc(projectSettings(nil), func(k project.Key) bool { return k.Name == name }) {
			return name, true
		}
	}
	return "", false
}

// expected describes the values that a flag takes, for the message about a wrong one.
func expected(wrong *pflag.InvalidValueError) string {
	switch wrong.GetFlag().Value.Type() {
	case "duration":
		return "expected a duration with its unit, such as 10s"
	case "int", "uint32":
		return "expected a number"
	case "bool":
		return "expected true or false"
	}
	return wrong.Unwrap().Error()
}

// plainUsage returns the help text of a flag.
func plainUsage(f *pflag.Flag) string {
	plain := *f
	_, plain.Usage = groupOf(f)
	_, usage := pflag.UnquoteUsage(&plain)
	return usage
}

// welcome answers `pentode` without arguments: it lists the files in this folder and what to do with them, or prints the help if there are none.
func (a *app) welcome(root *cobra.Command) error {
	w, err := a.workspace()
	if err != nil {
		return err
	}
	paths, _ := w.Entries(".") // an unreadable folder counts as empty
	files := map[string][]string{}
	first := ""
	for _, path := range paths {
		d, err := w.Open(path)
		if err != nil {
			continue
		}
		first = cmp.Or(first, path)
		files[d.Language.Title] = append(files[d.Language.Title], path)
	}
	if first == "" {
		return root.Help()
	}
	var here []string
	for _, title := range slices.Sorted(maps.Keys(files)) {
		name := launch.Quote(files[title][0])
		if n := len(files[title]); n > 1 {
			name = fmt.Sprintf("%d files", n)
		}
		here = append(here, title+": "+name)
	}
	next := [][]string{{"pentode check", "reports its problems"}, {"pentode show " + launch.Quote(first), "shows what a file means"}, {"pentode graph " + launch.Quote(first), "draws it"}}
	if suite.IsRunFolder(".") {
		next = [][]string{next[0], {"pentode show", "shows the run on one screen"}, {"pentode run", "runs it"}}
	}
	fmt.Fprintf(a.out, "here: %s\n", strings.Join(here, ", "))
	for i := range next {
		next[i][0] = "  " + next[i][0]
	}
	a.columns(next)
	fmt.Fprintln(a.out, "`pentode --help` lists all verbs")
	return nil
}

// helpVerb is `pentode help VERB`, the same as `pentode VERB --help`.
func helpVerb() *cobra.Command {
	return &cobra.Command{
		Use: "help", Hidden: true,
		RunE: func(cmd *cobra.Command, words []string) error {
			verb, rest, err := cmd.Root().Find(words)
			if err == nil && len(rest) > 0 {
				err = isVerb(verb, rest)
			}
			if err != nil {
				return err
			}
			return verb.Help()
		},
	}
}

// words maps verbs of earlier versions and of other programs to ours.
var words = map[string]string{
	"launch": "run", "flow": "types", "flatten": "show --flat", "fingerprint": "show --fingerprint", "docs": "schema LANGUAGE --format markdown", "rerun": "runs rerun",
	"launch plan": "run --dry-run", "launch submit": "submit", "launch list": "ps --all", "launch status": "ps", "launch logs": "logs", "launch attach": "attach",
	"launch wait": "wait", "launch exec": "exec", "launch stop": "stop", "launch restart": "restart", "launch signal": "signal", "launch prune": "runs prune",
	"launch collect": "collect", "launch guard": "guard",
	"flow list": "types list", "flow describe": "types show", "flow import": "types import", "flow control": "control",
	"trace run": "trace record", "trace status": "control status", "trace reload": "control policy", "trace explain": "trace decide --explain",
	"trace simulate": "trace forecast", "trace budget": "trace forecast --budget", "trace calibrate": "trace forecast --calibrate",

	"ls": "ps", "history": "runs list", "inspect": "types show",
	"lint": "check", "validate": "check", "verify": "check", "format": "fmt", "status": "ps", "list": "ps", "kill": "stop", "start": "run", "cancel": "stop", "plan": "run --dry-run",
	"describe": "types show", "prune": "runs prune", "record": "trace record", "tail": "logs --follow", "new": "init", "draw": "graph", "compare": "diff",
}

// renamed recognizes a verb under another name and returns a message with our name for it.
func renamed(args []string) (string, bool) {
	for n := min(2, len(args)); n > 0; n-- {
		word := strings.Join(args[:n], " ")
		if ours, ok := words[word]; ok {
			if word == "kill" && len(args) > 1 && strings.HasPrefix(args[1], "-") && !strings.HasPrefix(args[1], "--") {
				ours = "signal [RUN] [NODE] SIGNAL"
			}
			return "`" + word + "` is not a verb; it is `pentode " + ours + "`", true
		}
	}
	return "", false
}
