package cli

import (
	"cmp"
	"path/filepath"
	"slices"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/pentode-dev/pentode/core/problem"
	"github.com/pentode-dev/pentode/core/source"
	"github.com/pentode-dev/pentode/lang"
	"github.com/pentode-dev/pentode/lang/pinsight"
	"github.com/pentode-dev/pentode/lang/sprokit"
	"github.com/pentode-dev/pentode/run/flow"
	"github.com/pentode-dev/pentode/run/flow/catalog"
	"github.com/pentode-dev/pentode/run/launch/state"
	"github.com/pentode-dev/pentode/run/target"
	"github.com/pentode-dev/pentode/run/target/table/builtin"
	"github.com/pentode-dev/pentode/runs/registry"
	"github.com/pentode-dev/pentode/suite"
	"github.com/pentode-dev/pentode/workspace/project"
)

// complete adds shell completion for flags and arguments with a known set of values: flags whose
// help lists their values, and the flags and verbs in the tables below.
func (a *app) complete(verb *cobra.Command) {
	flags := a.flagWords()
	verb.Flags().VisitAll(func(f *pflag.Flag) {
		words := flags[f.Name]
		if listed := choices(f); listed != nil {
			words = fixed(listed...)
		}
		if words != nil {
			_ = verb.RegisterFlagCompletionFunc(f.Name, beginning(words)) // the flag exists
		}
	})
	if words := a.argumentWords()[verb.CommandPath()]; words != nil {
		verb.ValidArgsFunction, verb.ValidArgs = beginning(words), nil // with ValidArgs set, cobra would not call the function
	}
	for _, sub := range verb.Commands() {
		a.complete(sub)
	}
}

// beginning keeps the words that start with what the user has typed.
func beginning(words cobra.CompletionFunc) cobra.CompletionFunc {
	return func(cmd *cobra.Command, args []string, begun string) ([]string, cobra.ShellCompDirective) {
		all, directive := words(cmd, args, begun)
		return slices.DeleteFunc(slices.Clone(all), func(word string) bool { return !strings.HasPrefix(word, begun) }), directive
	}
}

// fixed completes a constant list of words.
func fixed(words ...string) cobra.CompletionFunc {
	return cobra.FixedCompletions(words, cobra.ShellCompDirectiveNoFileComp)
}

// flagWords completes the values of flags, by flag name, that the help does not list.
func (a *app) flagWords() map[string]cobra.CompletionFunc {
	return map[string]cobra.CompletionFunc{
		"lang":      a.languageWords,
		"of":        fixed(answeringVerbs()...),
		"to":        a.formatWords,
		"scheduler": fixed(flow.Schedulers()...),
		"event":     a.eventWords,
		"target":    a.machineWords,
		"tune":      a.presetWords,
		"setting":   a.settingWords,
		"set":       a.dataWords,
		"config":    a.configWords,
		"types":     fileOr(catalog.ShippedNames()...),
		"type": func(cmd *cobra.Command, args []string, _ string) ([]string, cobra.ShellCompDirective) {
			return a.typeNames(subjectOf(cmd, args))
		},
	}
}

// signals are the most common signals; other signals are accepted too.
var signals = []string{"TERM", "INT", "HUP", "KILL", "STOP", "CONT", "USR1", "USR2"}

// argumentWords completes the arguments of verbs, by command path.
func (a *app) argumentWords() map[string]cobra.CompletionFunc {
	return map[string]cobra.CompletionFunc{
		"pentode explain":       a.explainWords,
		"pentode set":           a.setWords,
		"pentode schema":        a.languageWords,
		"pentode graph":         a.presetWords,
		"pentode types show":    a.processWords,
		"pentode target flags":  a.flagsWords,
		"pentode target compat": a.presetWords,
		"pentode target list":   a.listWords,
		"pentode data layout":   a.layoutWords,
		"pentode ps":            knownRuns,
		"pentode top":           runWords{}.words,
		"pentode stop":          runWords{nodes: true}.words,
		"pentode logs":          runWords{wanted: registry.IsPlan, ended: true, nodes: true}.words,
		"pentode attach":        runWords{wanted: registry.IsPlan}.words,
		"pentode wait":          runWords{wanted: registry.IsPlan, ended: true, nodes: true}.words,
		"pentode restart":       runWords{wanted: registry.IsPlan, nodes: true}.words,
		"pentode signal":        runWords{wanted: registry.IsPlan, nodes: true, besides: signals}.words,
		"pentode exec":          runWords{wanted: registry.IsPlan, nodes: true}.words,
		"pentode control":       a.controlWords,
	}
}

// fileOr completes words, or a file.
func fileOr(words ...string) cobra.CompletionFunc {
	return cobra.FixedCompletions(words, cobra.ShellCompDirectiveDefault)
}

// flagsWords completes a compiler, then a named target.
func (a *app) flagsWords(cmd *cobra.Command, args []string, begun string) ([]string, cobra.ShellCompDirective) {
	if len(args) == 0 {
		return target.Compilers(), cobra.ShellCompDirectiveNoFileComp
	}
	return a.presetWords(cmd, args, begun)
}

// processWords completes process types and clusters.
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

// presetWords completes the named targets, and files.
func (a *app) presetWords(*cobra.Command, []string, string) ([]string, cobra.ShellCompDirective) {
	return suite.TargetNames(), cobra.ShellCompDirectiveDefault
}

// machineWords completes presetWords and the machines that layouts know.
func (a *app) machineWords(*cobra.Command, []string, string) ([]string, cobra.ShellCompDirective) {
	return suite.MachineNames(), cobra.ShellCompDirectiveDefault
}

// eventWords completes the events of all domains.
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

// layoutWords completes a file, then the names declared in it.
func (a *app) layoutWords(_ *cobra.Command, args []string, _ string) ([]string, cobra.ShellCompDirective) {
	if len(args) == 0 {
		return nil, cobra.ShellCompDirectiveDefault
	}
	return a.typeNames(args[0])
}

// typeNames completes the types and data of a specification tree.
func (a *app) typeNames(path string) ([]string, cobra.ShellCompDirective) {
	spec, err := a.readSpec(path)
	if err != nil {
		return nil, cobra.ShellCompDirectiveNoFileComp
	}
	return spec.model.Names(), cobra.ShellCompDirectiveNoFileComp
}

// runWords completes a run, then one of its programs. If the verb works without a run, it also offers the programs of the
// newest run.
type runWords struct {
	wanted  func(state.Run) bool // nil: any
	ended   bool                 // also ended runs, after live ones
	nodes   bool                 // the verb takes a program
	besides []string             // words offered at any position
}

func (r runWords) words(_ *cobra.Command, args []string, _ string) ([]string, cobra.ShellCompDirective) {
	words := slices.Clone(r.besides)
	known, err := registry.Here()
	if err != nil {
		return words, cobra.ShellCompDirectiveNoFileComp
	}
	if len(args) > 0 {
		if d, err := known.Open(args[0]); err == nil && r.nodes && len(args) == 1 {
			words = append(d.Run.IDs(), words...)
		}
		return words, cobra.ShellCompDirectiveNoFileComp | cobra.ShellCompDirectiveKeepOrder
	}
	all, _ := known.Registered() // on an error nothing is offered
	var live, ended, nodes []string
	for _, d := range slices.Backward(all) {
		switch {
		case r.wanted != nil && !r.wanted(d.Run):
		case d.Over(), d.Finished(): // a run that has ended may still be writing its result
			ended = append(ended, described(d.Run.ID, whatRan(d.Run)+", ended"))
		default:
			if live == nil && r.nodes {
				nodes = d.Run.IDs()
			}
			live = append(live, described(d.Run.ID, whatRan(d.Run)))
		}
	}
	words = slices.Concat(live, nodes, words)
	if r.ended {
		words = append(words, ended...)
	}
	return words, cobra.ShellCompDirectiveNoFileComp | cobra.ShellCompDirectiveKeepOrder
}

// described returns a word with the description that shells show beside it.
func described(word, what string) string { return word + "\t" + what }

// whatRan returns the file name of a run's pipeline, or the name of its folder.
func whatRan(r state.Run) string { return filepath.Base(cmp.Or(r.Pipeline, r.Directory)) }

// knownRuns completes all runs, the newest first.
func knownRuns(_ *cobra.Command, args []string, _ string) ([]string, cobra.ShellCompDirective) {
	var words []string
	if known, err := registry.Here(); err == nil && len(args) == 0 {
		list, _ := known.List() // on an error nothing is offered
		for _, r := range slices.Backward(list) {
			words = append(words, described(r.ID, r.What()))
		}
	}
	return words, cobra.ShellCompDirectiveNoFileComp | cobra.ShellCompDirectiveKeepOrder
}

// controlWords completes a run and an order, and after `set`, `peek` and `picture` the names in the run's pipeline.
func (a *app) controlWords(cmd *cobra.Command, args []string, begun string) ([]string, cobra.ShellCompDirective) {
	none := cobra.ShellCompDirectiveNoFileComp
	switch {
	case len(args) == 0:
		words, directive := runWords{}.words(cmd, args, begun)
		return append(words, orders...), directive
	case len(args) == 1 && !slices.Contains(orders, args[0]):
		return orders, none
	}
	name, order, given, err := splitOrder(args)
	if err != nil || order == "policy" {
		return nil, cobra.ShellCompDirectiveDefault
	}
	c := &controlled{app: a}
	if c.find(name, order) != nil || len(given) > 0 && order != "set" {
		return nil, none
	}
	a.files.maxSize = cmp.Or(a.files.maxSize, source.DefaultMaxSize) // this verb has no file flags
	if order == "set" {
		none |= cobra.ShellCompDirectiveNoSpace
	}
	return a.pipelineWords(c.run.Run.Pipeline, order), none
}

// pipelineWords returns the possible arguments of an order: keys that may change, connected ports, or processes.
func (a *app) pipelineWords(path, order string) (words []string) {
	w, err := a.workspace()
	if err != nil {
		return nil
	}
	c, err := w.Config(path)
	if err != nil {
		return nil
	}
	m, ok := lang.Model[*sprokit.Model](c)
	if !ok {
		return nil
	}
	for i := range m.Processes {
		p := &m.Processes[i]
		t, known := m.Registry.Lookup(p.Type)
		switch {
		case order == "picture":
			words = append(words, described(p.Name, p.Type))
		case order == "set" && known:
			for _, k := range t.Keys {
				if k.Tunable && k.Name != "" {
					words = append(words, described(p.Name+":"+k.Name+"=", k.Doc))
				}
			}
		}
	}
	for i := range m.Connections {
		if from, to := &m.Connections[i].From, &m.Connections[i].To; order == "peek" {
			words = append(words, from.Process+"."+from.Port, to.Process+"."+to.Port)
		}
	}
	slices.Sort(words)
	return slices.Compact(words)
}

// languageWords completes the names of the languages.
func (a *app) languageWords(*cobra.Command, []string, string) ([]string, cobra.ShellCompDirective) {
	var names []string
	languages, _ := a.languages(&project.Project{}) // on an error nothing is offered
	for _, l := range languages {
		names = append(names, l.Name)
	}
	return names, cobra.ShellCompDirectiveNoFileComp
}

// keyWords completes the settings of a file and appends ending to each.
func (a *app) keyWords(path, ending string) ([]string, cobra.ShellCompDirective) {
	directive := cobra.ShellCompDirectiveNoFileComp
	if ending != "" {
		directive |= cobra.ShellCompDirectiveNoSpace
	}
	w, err := a.workspace()
	if err != nil {
		return nil, cobra.ShellCompDirectiveError
	}
	c, err := w.Config(path)
	if err != nil {
		return nil, directive
	}
	var keys []string
	for e := range c.Values() {
		keys = append(keys, described(e.Key+ending, problem.Clip(e.Value, problem.Short)))
	}
	return keys, directive
}

// setWords completes a file, then its settings, each followed by `=`.
func (a *app) setWords(_ *cobra.Command, args []string, _ string) ([]string, cobra.ShellCompDirective) {
	if len(args) == 0 {
		return nil, cobra.ShellCompDirectiveDefault
	}
	return a.keyWords(args[0], "=")
}

// settingWords completes -s with the settings of the file on the command line.
func (a *app) settingWords(cmd *cobra.Command, args []string, _ string) ([]string, cobra.ShellCompDirective) {
	if path := subjectOf(cmd, args); path != "" {
		return a.keyWords(path, "=")
	}
	return nil, cobra.ShellCompDirectiveNoFileComp
}

// subjectOf returns the file that a command line is about, or "".
func subjectOf(cmd *cobra.Command, args []string) string {
	if spec := cmd.Flags().Lookup("spec"); spec != nil {
		return spec.Value.String()
	}
	if len(args) > 0 {
		return args[0]
	}
	return ""
}

// dataWords completes the names in a specification tree that can be given values.
func (a *app) dataWords(cmd *cobra.Command, args []string, _ string) ([]string, cobra.ShellCompDirective) {
	names, directive := a.typeNames(subjectOf(cmd, args))
	for i := range names {
		names[i] += "="
	}
	return names, directive | cobra.ShellCompDirectiveNoSpace
}

// configWords completes the settings of pentode.toml, one part of a key at a time.
func (a *app) configWords(_ *cobra.Command, _ []string, begun string) ([]string, cobra.ShellCompDirective) {
	var words []string
	languages, _ := a.languages(&project.Project{}) // on an error their settings are missing
	for _, c := range project.Complete(source.NewFile(project.FileName, begun), len(begun), projectNames(languages), nil) {
		words = append(words, begun[:c.Replace.Start]+strings.Replace(c.Insert, " = ", "=", 1))
	}
	return words, cobra.ShellCompDirectiveNoFileComp | cobra.ShellCompDirectiveNoSpace
}

// listWords completes a topic of `target list`, then a processor or an architecture.
func (a *app) listWords(_ *cobra.Command, args []string, _ string) ([]string, cobra.ShellCompDirective) {
	if len(args) == 0 {
		return topics, cobra.ShellCompDirectiveNoFileComp
	}
	machines, err := a.machines()
	if err != nil || len(args) > 1 {
		return nil, cobra.ShellCompDirectiveNoFileComp
	}
	tables := cmp.Or(machines.Tables, builtin.Tables())
	var words []string
	switch args[0] {
	case "arch":
		words = slices.Clone(tables.PUs())
	case "features", "abi":
		for _, arch := range tables.Archs {
			words = append(words, arch.Name)
		}
		slices.Sort(words)
		words = slices.Compact(words)
	}
	return words, cobra.ShellCompDirectiveNoFileComp
}

// formatWords completes --to of `convert` with the formats that the given file can be converted to, and --to of other
// verbs with a file.
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

// explainWords completes a code or a file, and after a file its settings.
func (a *app) explainWords(_ *cobra.Command, args []string, begun string) ([]string, cobra.ShellCompDirective) {
	if len(args) > 0 {
		return a.keyWords(args[0], "")
	}
	languages, err := a.languages(&project.Project{})
	if err != nil {
		return nil, cobra.ShellCompDirectiveDefault
	}
	library, err := a.library()
	if err != nil || begun == "" { // without a first letter there would be thousands of words
		return nil, cobra.ShellCompDirectiveDefault
	}
	words := allWords(languages, library)
	slices.Sort(words)
	return slices.Compact(words), cobra.ShellCompDirectiveDefault
}
