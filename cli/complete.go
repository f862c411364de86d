package cli

import (
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/pentode-dev/pentode/lang/pinsight"
	"github.com/pentode-dev/pentode/run/flow"
	"github.com/pentode-dev/pentode/run/launch/state"
	"github.com/pentode-dev/pentode/run/target"
	"github.com/pentode-dev/pentode/runs/registry"
	"github.com/pentode-dev/pentode/suite"
	"github.com/pentode-dev/pentode/workspace/project"
)

// complete lets a shell complete what has a closed set of values: flags whose
// help lists them, and what the tables below name.
func (a *app) complete(verb *cobra.Command) {
	flags := a.flagWords()
	verb.Flags().VisitAll(func(f *pflag.Flag) {
		words := flags[f.Name]
		if listed := choices(f); listed != nil {
			words = fixed(listed...)
		}
		if words != nil {
			_ = verb.RegisterFlagCompletionFunc(f.Name, words) // the flag is there
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

// flagWords are the values of flags, by their names, that the help does not list.
func (a *app) flagWords() map[string]cobra.CompletionFunc {
	return map[string]cobra.CompletionFunc{
		"lang":      a.languageWords,
		"of":        fixed(answeringVerbs()...),
		"to":        a.formatWords,
		"scheduler": fixed(flow.Schedulers()...),
		"launcher":  fixed("local", "ssh", "srun"),
		"event":     a.eventWords,
		"target":    a.machineWords,
		"type": func(cmd *cobra.Command, _ []string, _ string) ([]string, cobra.ShellCompDirective) {
			if spec := cmd.Flags().Lookup("spec"); spec != nil {
				return a.typeNames(spec.Value.String())
			}
			return nil, cobra.ShellCompDirectiveNoFileComp
		},
	}
}

// argumentWords are the arguments of verbs, by the way to them.
func (a *app) argumentWords() map[string]cobra.CompletionFunc {
	launches := runWords(func(r state.Run) bool { return registry.IsPlan(r) })
	live := runWords(func(state.Run) bool { return true })
	return map[string]cobra.CompletionFunc{
		"pentode explain":       a.explainWords,
		"pentode set":           a.setWords,
		"pentode schema":        a.languageWords,
		"pentode types show":    a.processWords,
		"pentode target flags":  a.flagsWords,
		"pentode target compat": a.presetWords,
		"pentode data layout":   a.layoutWords,
		"pentode ps":            live,
		"pentode top":           live,
		"pentode stop":          live,
		"pentode logs":          launches,
		"pentode attach":        launches,
		"pentode wait":          launches,
		"pentode restart":       launches,
		"pentode signal":        launches,
		"pentode exec":          launches,
		"pentode control": func(cmd *cobra.Command, args []string, begun string) ([]string, cobra.ShellCompDirective) {
			words, directive := live(cmd, args, begun)
			return append(words, orders...), directive
		},
	}
}

// flagsWords are compilers, and then the targets that have a name.
func (a *app) flagsWords(cmd *cobra.Command, args []string, begun string) ([]string, cobra.ShellCompDirective) {
	if len(args) == 0 {
		return target.Compilers(), cobra.ShellCompDirectiveNoFileComp
	}
	return a.presetWords(cmd, args, begun)
}

// processWords are process types and clusters.
func (a *app) processWords(_ *cobra.Command, args []string, _ string) ([]string, cobra.ShellCompDirective) {
	library, err := a.library()
	if err != nil || len(args) > 0 {
		return nil, cobra.ShellCompDirectiveNoFileComp
	}
	var names []string
	for t := range library.All() {
		names = append(names, t.Name)
	}
	return names, cobra.ShellCompDirectiveNoFileComp
}

// presetWords are the targets that have a name, besides files.
func (a *app) presetWords(*cobra.Command, []string, string) ([]string, cobra.ShellCompDirective) {
	return suite.TargetNames(), cobra.ShellCompDirectiveDefault
}

// machineWords are those, and the machines that layouts know.
func (a *app) machineWords(*cobra.Command, []string, string) ([]string, cobra.ShellCompDirective) {
	return suite.MachineNames(), cobra.ShellCompDirectiveDefault
}

// eventWords are the events of all domains.
func (a *app) eventWords(*cobra.Command, []string, string) ([]string, cobra.ShellCompDirective) {
	o, err := a.files.options.pinsight(&project.Project{})
	if err != nil {
		return nil, cobra.ShellCompDirectiveError
	}
	if o.Catalog == nil {
		o.Catalog = pinsight.Builtin()
	}
	var names []string
	for _, d := range o.Catalog.Domains() {
		for _, e := range d.Events {
			names = append(names, e.Name)
		}
	}
	return names, cobra.ShellCompDirectiveNoFileComp
}

// layoutWords are a file, and then the names that it declares.
func (a *app) layoutWords(_ *cobra.Command, args []string, _ string) ([]string, cobra.ShellCompDirective) {
	if len(args) == 0 {
		return nil, cobra.ShellCompDirectiveDefault
	}
	return a.typeNames(args[0])
}

// typeNames are the types and data of a specification tree.
func (a *app) typeNames(path string) ([]string, cobra.ShellCompDirective) {
	spec, err := a.readSpec(path)
	if err != nil {
		return nil, cobra.ShellCompDirectiveNoFileComp
	}
	return spec.model.Names(), cobra.ShellCompDirectiveNoFileComp
}

// runWords are the runs that are wanted, and behind one its nodes.
func runWords(wanted func(state.Run) bool) cobra.CompletionFunc {
	return func(_ *cobra.Command, args []string, _ string) ([]string, cobra.ShellCompDirective) {
		known, err := registry.Here()
		if err != nil {
			return nil, cobra.ShellCompDirectiveNoFileComp
		}
		all, _ := known.Registered() // without them there is nothing to offer
		var words []string
		for _, d := range all {
			switch {
			case !wanted(d.Run):
			case len(args) == 0:
				words = append(words, d.Run.ID)
			case args[0] == d.Run.ID:
				for _, n := range d.Run.Nodes {
					words = append(words, n.ID)
				}
			}
		}
		return words, cobra.ShellCompDirectiveNoFileComp
	}
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
