package cli

import (
	"cmp"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/pentode-dev/pentode/core/seal"
	"github.com/pentode-dev/pentode/internal/leaf/columns"
	"github.com/pentode-dev/pentode/internal/leaf/visible"
	"github.com/pentode-dev/pentode/runs/origin"
	"github.com/pentode-dev/pentode/runs/record"
)

func (a *app) originVerb() *cobra.Command {
	var as format
	cmd := &cobra.Command{
		Use:   "origin FILE[:DATASET]",
		Short: "Show which run, process and settings made a result",
		Long: "Reads the seal inside a picture, table, video, trace, HDF5 or netCDF file, even if it was copied: run, time, host, program.\n" +
			"If the record of the run is available, it also shows the process that wrote the file, the processes that its data came through,\n" +
			"and each of their settings, then and now.",
		Example: examples("pentode origin heat-out/west/plate_01.png", "pentode origin --format json heat-out/west/heat.h5:temperature"),
		Args:    cobra.ExactArgs(1),
		RunE: func(_ *cobra.Command, args []string) error {
			w, err := a.workspace()
			if err != nil {
				return err
			}
			store, err := record.Here()
			if err != nil {
				store = record.Store{} // an empty store
			}
			o, err := origin.Read(w, store, args[0])
			if unknown := origin.Unknown(""); errors.As(err, &unknown) {
				return err
			}
			if err != nil {
				return a.no(err)
			}
			if as == asJSON {
				return a.json(o)
			}
			a.originText(o)
			return nil
		},
	}
	cmd.Flags().StringVar((*string)(&as), "format", string(asText), "`text|json`")
	return a.wideFlag(a.reads(cmd))
}

// originText prints, as text, what made a result. The details come from the result file and are not
// trusted.
func (a *app) originText(o *origin.Origin) {
	line := func(name, format string, args ...any) {
		for i, x := range args {
			if s, ok := x.(string); ok {
				args[i] = visible.Line(s)
			}
		}
		fold(a.out, a.room(), 9, fmt.Sprintf("%-8s %s", name, fmt.Sprintf(format, args...)))
	}
	s := o.Seal
	line("file", "%s", o.File)
	if o.Dataset != "" {
		line("dataset", "%s", o.Dataset)
	}
	if o.Changed {
		line("", "it was changed after the run")
	}
	line("run", "%s", cmp.Or(s.Run, "not known"))
	if !s.Time.IsZero() {
		line("time", "%s", s.Time.UTC().Format(time.DateTime+" UTC"))
	}
	line("host", "%s", cmp.Or(s.Host, "not known"))
	line("program", "%s", cmp.Or(s.Program, "not known"))
	if s.Build != "" {
		line("build", "%s", s.Build)
	}
	if s.Target != "" {
		line("target", "%s", s.Target)
	}
	for _, name := range slices.Sorted(maps.Keys(s.Fingerprints)) {
		line("meaning", "%s  %s", s.Fingerprints[name], name)
	}
	switch process := cmp.Or(o.Process, s.Process); {
	case process == "":
	case o.Edge != "":
		line("process", "%s, through %s", process, o.Edge)
	default:
		line("process", "%s", process)
	}
	if len(o.Way) > 0 {
		line("data of", "%s", strings.Join(o.Way, ", "))
	}
	for _, p := range s.Parents {
		line("parent", "%s%s", p.Run, " by "+p.File+others(p))
	}
	if s.More > 0 {
		line("parent", "and %d more", s.More)
	}
	for _, in := range o.Inputs {
		line("input", "%s%s", in.Path, became(in.State, ""))
	}
	if o.Recorded {
		line("record", "%s", s.Record)
	}
	a.originSettings(o)
	for _, m := range o.Missing {
		line("missing", "%s", m)
	}
}

func others(p seal.Parent) string {
	if p.Files < 2 {
		return ""
	}
	return fmt.Sprintf(" and %d more", p.Files-1)
}

// originSettings prints the settings that a result depends on.
func (a *app) originSettings(o *origin.Origin) {
	var own, whole [][]string
	for _, s := range o.Settings {
		row := []string{"  " + visible.Line(cmp.Or(s.At, s.File)), visible.Line(s.Key) + " = " + visible.Line(s.Value) + visible.Line(became(s.State, s.Now))}
		if s.Whole {
			whole = append(whole, row)
		} else {
			own = append(own, row)
		}
	}
	for _, part := range []struct {
		title string
		rows  [][]string
	}{{"settings that decided it", own}, {"settings of the whole run", whole}} {
		if len(part.rows) > 0 {
			fmt.Fprintf(a.out, "\n%s\n", part.title)
			a.columns(part.rows, columns.Name, columns.Name)
		}
	}
	if len(o.Settings) > 0 && len(o.Missing) > 0 {
		fmt.Fprintln(a.out)
	}
}

// became describes the current state of something that the run used, if it has changed since.
func became(s record.State, now string) string {
	switch s {
	case record.Changed:
		if now == "" {
			return "  (changed since)"
		}
		return "  (now " + now + ")"
	case record.Gone:
		return "  (gone now)"
	case record.Unknown:
		return "  (now unknown)"
	}
	return ""
}
