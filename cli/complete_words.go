package cli

import (
	"maps"
	"os"
	"slices"

	"github.com/spf13/cobra"

	"github.com/pentode-dev/pentode/lang/coil/preset"
	"github.com/pentode-dev/pentode/lang/pinsight"
	"github.com/pentode-dev/pentode/run/control"
	"github.com/pentode-dev/pentode/run/data"
	"github.com/pentode-dev/pentode/run/flow"
	"github.com/pentode-dev/pentode/run/launch/state"
	"github.com/pentode-dev/pentode/run/target"
	"github.com/pentode-dev/pentode/workspace/project"
)

// flagWords are the values of flags, by their names, that the help does not list.
func (a *app) flagWords() map[string]cobra.CompletionFunc {
	return map[string]cobra.CompletionFunc{
		"lang":      a.languageWords,
		"to":        a.formatWords,
		"for":       fixed(target.Compilers()...),
		"scheduler": fixed(flow.Schedulers()...),
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
	launches, pipelines := runWords(isLaunch), runWords(isPipeline)
	return map[string]cobra.CompletionFunc{
		"pentode flow describe":  a.processWords,
		"pentode target flags":   a.presetWords,
		"pentode target compat":  a.presetWords,
		"pentode data layout":    a.layoutWords,
		"pentode launch status":  launches,
		"pentode launch logs":    launches,
		"pentode launch stop":    launches,
		"pentode launch restart": launches,
		"pentode launch signal":  launches,
		"pentode flow control": func(cmd *cobra.Command, args []string, begun string) ([]string, cobra.ShellCompDirective) {
			words, directive := pipelines(cmd, args, begun)
			return append(words, flowOrders...), directive
		},
		"pentode top": runWords(func(state.Run) bool { return true }),
	}
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
	return append(preset.Names(), thisHost), cobra.ShellCompDirectiveDefault
}

// machineWords are those, and the machines that layouts know.
func (a *app) machineWords(*cobra.Command, []string, string) ([]string, cobra.ShellCompDirective) {
	names := append(preset.Names(), thisHost)
	for _, m := range data.Machines() {
		names = append(names, m.Name)
	}
	names = append(names, slices.Collect(maps.Keys(otherNames))...)
	slices.Sort(names)
	return slices.Compact(names), cobra.ShellCompDirectiveDefault
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
		base, err := control.StateDir(os.Getenv)
		if err != nil {
			return nil, cobra.ShellCompDirectiveNoFileComp
		}
		all, _ := state.List(base) // without them there is nothing to offer
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
