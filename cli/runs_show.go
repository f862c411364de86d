package cli

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/pentode-dev/pentode/runs/record"
)

func (a *app) runsShowVerb() *cobra.Command {
	var as format
	var settings bool
	cmd := &cobra.Command{
		Use:               "show [RUN]",
		Short:             "Show the record of a run; without a name that of the newest",
		Long:              "Show the record of a run: by its name, the end of its name, or a tag. Without a name it is the newest.",
		Example:           examples("pentode runs show", "pentode runs show --settings"),
		Args:              cobra.MaximumNArgs(1),
		ValidArgsFunction: recordWords,
		RunE: func(_ *cobra.Command, names []string) error {
			if err := textOrJSON(as); err != nil {
				return err
			}
			store, err := record.Here()
			if err != nil {
				return err
			}
			r, err := a.recordOf(store, names, 0)
			if err != nil {
				return err
			}
			if as == asJSON {
				return a.json(r)
			}
			return a.buffered(func() error { a.showRecord(r, settings); return nil })
		},
	}
	cmd.Flags().StringVar((*string)(&as), "format", string(asText), "`text|json`")
	cmd.Flags().BoolVar(&settings, "settings", false, "with every setting and the line that decided it")
	return cmd
}

func (a *app) showRecord(r *record.Record, settings bool) {
	rows := [][]string{
		{"run", r.ID}, {"command", strings.Join(r.Command, " ")}, {"folder", r.Folder}, {"started", r.Started.Local().Format(time.DateTime) + ", took " + took(r)},
		{"exit", strings.TrimSuffix(exitText(r)+": "+r.End, ": ")},
		{"machine", fmt.Sprintf("%s, %s, %s", r.Host.Name, r.Host.System, count(r.Host.CPUs, "processor", "processors"))},
	}
	if r.Target != "" {
		rows = append(rows, []string{"target", r.Target})
	}
	for _, p := range r.Programs {
		rows = append(rows, []string{"program", strings.TrimSpace(p.Path + " " + p.Version), firstDigits(p.BuildID)})
	}
	for _, name := range slices.Sorted(maps.Keys(r.Fingerprints)) {
		rows = append(rows, []string{"means", name, firstDigits(r.Fingerprints[name])})
	}
	for _, f := range r.Files {
		rows = append(rows, []string{"read", f.Path, byteCount(f.Size)})
	}
	for _, f := range r.Inputs {
		rows = append(rows, []string{"input", f.Path, byteCount(f.Size)})
	}
	for _, name := range slices.Sorted(maps.Keys(r.Env)) {
		rows = append(rows, []string{"variable", name + "=" + r.Env[name]})
	}
	for _, f := range r.Findings {
		rows = append(rows, []string{"found", f.At, f.Severity + ": " + f.Message})
	}
	if len(r.Tags) > 0 {
		rows = append(rows, []string{"tags", strings.Join(r.Tags, " ")})
	}
	for _, p := range r.Parents {
		rows = append(rows, []string{"parent", p})
	}
	a.columns(rows)
	if settings {
		fmt.Fprintf(a.out, "\nsettings:\n")
		rows = nil
		for _, s := range r.Settings {
			rows = append(rows, []string{"  " + s.Key + " = " + s.Value, s.At})
		}
		a.columns(rows)
	}
	fmt.Fprintf(a.out, "\nresults in %s:\n", r.Out)
	rows = nil
	for _, f := range r.Results {
		hash := firstDigits(f.Hash)
		switch {
		case f.Found:
			hash = "found after the run was killed"
		case hash == "":
			hash = "too large for a hash"
		}
		by := f.Process
		if f.Edge != "" {
			by += " from " + f.Edge
		}
		rows = append(rows, []string{"  " + f.Path, byteCount(f.Size), hash, by})
	}
	a.columns(rows)
}
