package cli

import (
	"errors"

	"github.com/spf13/cobra"
)

func (a *app) dataEvalVerb() *cobra.Command {
	var spec, read, format string
	var repl bool
	cmd := &cobra.Command{
		Use:     "eval EXPR",
		Short:   "Evaluate a $-expression",
		Long:    "Evaluates an expression over the values given with --set NAME=VALUE, in the types that --spec declares.",
		Example: examples("pentode data eval --set i=5 'data_${i:05d}.h5'", "pentode data eval --spec examples/heat/heat.yml --set rows=4 --repl"),
		Args:    cobra.MaximumNArgs(1),
		RunE: func(_ *cobra.Command, args []string) error {
			e, err := a.evaluator(spec, read, format)
			if err != nil {
				return err
			}
			defer e.store.Close()
			switch {
			case repl && len(args) == 0:
				return a.repl(e)
			case repl || len(args) == 0:
				return errors.New("give one expression, or --repl to be asked for them")
			}
			if !e.print(args[0]) {
				return exitCode(exitNo)
			}
			return nil
		},
	}
	cmd.Flags().StringVar(&spec, "spec", "", "the specification tree that declares the data, a `FILE`")
	cmd.Flags().StringVar(&read, "read", "", "read the value as `long|double|string|bytes`; as what it is where this is missing")
	cmd.Flags().StringVar(&format, "format", "text", "`text|json`")
	cmd.Flags().BoolVar(&repl, "repl", false, "ask for expressions and assignments")
	a.takesValues(cmd)
	return a.reads(cmd, "pdi")
}
