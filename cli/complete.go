package cli

import (
	"regexp"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/pentode-dev/pentode/workspace/project"
)

// choice is how the help of a flag lists its values.
var choice = regexp.MustCompile(`^[a-z0-9-]+(\|[a-z0-9-]+)+$`)

// complete lets a shell complete what has a closed set of values: flags whose
// help lists them, and what the tables below name.
func (a *app) complete(verb *cobra.Command) {
	flags := a.flagWords()
	verb.Flags().VisitAll(func(f *pflag.Flag) {
		values, _ := pflag.UnquoteUsage(f)
		switch words := flags[f.Name]; {
		case words != nil:
			_ = verb.RegisterFlagCompletionFunc(f.Name, words) // the flag is there
		case choice.MatchString(values):
			_ = verb.RegisterFlagCompletionFunc(f.Name, fixed(strings.Split(values, "|")...))
		}
	})
	if words := a.argumentWords()[verb.CommandPath()]; words != nil {
		verb.ValidArgsFunction = words
	}
	for _, sub := range verb.Commands() {
		a.complete(sub)
	}
}

// fixed are words that are always the same.
func fixed(words ...string) cobra.CompletionFunc {
	return cobra.FixedCompletions(words, cobra.ShellCompDirectiveNoFileComp)
}

// languageWords are the names of the languages.
func (a *app) languageWords(*cobra.Command, []string, string) ([]string, cobra.ShellCompDirective) {
	var names []string
	languages, _ := a.languages(&project.Project{}) // without them there is nothing to offer
	for _, l := range languages {
		names = append(names, l.Name)
	}
	return names, cobra.ShellCompDirectiveNoFileComp
}

// keyWords are the settings of the file that was given, each with an ending.
func (a *app) keyWords(path, ending string) ([]string, cobra.ShellCompDirective) {
	w, err := a.workspace()
	if err != nil {
		return nil, cobra.ShellCompDirectiveError
	}
	c, err := w.Config(path)
	if err != nil {
		return nil, cobra.ShellCompDirectiveError
	}
	var keys []string
	for e := range c.Values() {
		keys = append(keys, e.Key+ending)
	}
	return keys, cobra.ShellCompDirectiveNoFileComp
}

// setWords are a file, and then its settings, each ready for a value.
func (a *app) setWords(_ *cobra.Command, args []string, _ string) ([]string, cobra.ShellCompDirective) {
	if len(args) == 0 {
		return nil, cobra.ShellCompDirectiveDefault
	}
	keys, directive := a.keyWords(args[0], "=")
	return keys, directive | cobra.ShellCompDirectiveNoSpace
}

// formatWords are the formats that the file which was given converts to. Elsewhere
// a file is wanted.
func (a *app) formatWords(cmd *cobra.Command, paths []string, _ string) ([]string, cobra.ShellCompDirective) {
	if cmd.Name() != "convert" {
		return nil, cobra.ShellCompDirectiveDefault
	}
	w, err := a.workspace()
	if err != nil || len(paths) == 0 {
		return nil, cobra.ShellCompDirectiveNoFileComp
	}
	d, err := w.Open(paths[0])
	if err != nil {
		return nil, cobra.ShellCompDirectiveError
	}
	return d.Language.Formats(), cobra.ShellCompDirectiveNoFileComp
}

// explainWords are codes or a file, and after a file its settings.
func (a *app) explainWords(_ *cobra.Command, args []string, begun string) ([]string, cobra.ShellCompDirective) {
	if len(args) > 0 {
		return a.keyWords(args[0], "")
	}
	languages, _ := a.languages(&project.Project{}) // without them there is nothing to offer
	var ids []string
	for _, c := range allCodes(languages) {
		if strings.HasPrefix(c.ID, begun) {
			ids = append(ids, c.ID)
		}
	}
	return ids, cobra.ShellCompDirectiveDefault
}
