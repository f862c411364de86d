package cli

import (
	"encoding/json"
	"errors"
	"fmt"
	"strings"

	"github.com/spf13/cobra"

	"github.com/pentode-dev/pentode/run/target"
)

func (a *app) compatVerb() *cobra.Command {
	var run, link, meet bool
	var format string
	cmd := &cobra.Command{
		Use:   "compat A B",
		Short: "Say whether A's code runs on B, or may be linked with it",
		Long: "Say whether A's code runs on B, or may be linked with it; if not, why not. A and B are files, presets, or `host`.\n" +
			"With --meet: write the best target whose code runs on all of the given machines.",
		Example: examples("pentode target compat x86-64-v3 host", "pentode target compat --meet examples/heat/heat.coilcfg x86-64-v3 host"),
		RunE: func(_ *cobra.Command, names []string) error {
			if link && (run || meet) {
				return errors.New("--link asks another question than --run and --meet; give one of them")
			}
			if len(names) < 2 || len(names) > 2 && !meet {
				return errors.New("give two targets: files, presets, or `host`")
			}
			return a.compat(names, link, meet, format)
		},
	}
	cmd.Flags().BoolVar(&run, "run", false, "does A's code run on B (also where nothing is said)")
	cmd.Flags().BoolVar(&link, "link", false, "may objects of A and B be linked")
	cmd.Flags().BoolVar(&meet, "meet", false, "the best common target of all machines")
	cmd.Flags().StringVar(&format, "format", "", "`text|json|coil`, with --meet coil or json, else text or json")
	return a.reads(cmd, "coil")
}

func (a *app) compat(names []string, link, meet bool, format string) error {
	w, err := a.workspace()
	if err != nil {
		return err
	}
	machines, err := a.machines()
	if err != nil {
		return err
	}
	targets, err := a.targets(w, names)
	if err != nil {
		return err
	}
	if meet {
		if format == "" {
			format = "coil"
		}
		t, err := machines.Meet(targets...)
		if err != nil {
			return a.no(err)
		}
		return a.writeTarget(t, format, "The best target whose code runs on "+strings.Join(names, ", ")+".")
	}
	relation, yes, no := target.Run, "runs on", "does not run on"
	if link {
		relation, yes, no = target.Link, "can be linked with", "cannot be linked with"
	}
	sentence := func(verb string) string { return fmt.Sprintf("code of %s %s %s", names[0], verb, names[1]) }
	return a.verdict(machines.Compat(targets[0], targets[1], relation), format, sentence(yes), sentence(no))
}

// verdict prints a yes or a no with its reasons, and is the exit code.
func (a *app) verdict(v target.Verdict, format, yes, no string) error {
	switch format {
	case "", "text":
		if v.OK() {
			fmt.Fprintln(a.out, yes)
			break
		}
		fmt.Fprintf(a.out, "%s: %s\n", no, v)
	case "json":
		type reason struct {
			What target.Key `json:"what"`
			A    string     `json:"a"`
			B    string     `json:"b,omitempty"`
		}
		reasons := []reason{}
		for _, r := range v {
			reasons = append(reasons, reason{r.Key, r.A, r.B})
		}
		e := json.NewEncoder(a.out)
		e.SetIndent("", "  ")
		if err := e.Encode(map[string]any{"version": 1, "compatible": v.OK(), "reasons": reasons}); err != nil {
			return err
		}
	default:
		return fmt.Errorf("--format takes text or json, not `%s`", format)
	}
	if !v.OK() {
		return exitCode(exitNo)
	}
	return nil
}
