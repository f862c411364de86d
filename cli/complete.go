package cli

import (
	"github.com/pentode-dev/pentode/run/flow"
	"github.com/pentode-dev/pentode/run/launch/state"
	"github.com/pentode-dev/pentode/run/target"
	"github.com/pentode-dev/pentode/runs/registry"
	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
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
		"to":        a.formatWords,
		"for":       fixed(target.Compilers()...),
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
	launches, pipelines := runWords(registry.IsPlan), runWords(registry.IsPipeline)
	return map[string]cobra.CompletionFunc{
		"pentode explain":        a.explainWords,
		"pentode set":            a.setWords,
		"pentode schema":         a.languageWords,
		"pentode docs":           a.languageWords,
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
