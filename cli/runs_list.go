package cli

import (
	"fmt"
	"strconv"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/pentode-dev/pentode/runs/record"
	"github.com/pentode-dev/pentode/runs/registry"
)

func (a *app) runsListVerb() *cobra.Command {
	var as format
	cmd := &cobra.Command{
		Use:     "list",
		Short:   "List the runs that are recorded, the newest last",
		Example: examples("pentode runs list", "pentode runs list --format json"),
		Args:    cobra.NoArgs,
		RunE: func(*cobra.Command, []string) error {
			if err := textOrJSON(as); err != nil {
				return err
			}
			known, err := registry.Here()
			if err != nil {
				return err
			}
			list, err := known.List()
			if err != nil {
				return err
			}
			return a.runsList(list, as)
		},
	}
	cmd.Flags().StringVar((*string)(&as), "format", string(asText), "`text|json`")
	return cmd
}

// jsonRecord is a run in `runs list --format json`.
type jsonRecord struct {
	Run         string       `json:"run"`
	Kind        record.Kind  `json:"kind"`
	Started     time.Time    `json:"started"`
	Took        float64      `json:"took_s"` // 0: it has not ended
	State       record.Stage `json:"state"`
	Exit        int          `json:"exit"`
	Command     []string     `json:"command"`
	Folder      string       `json:"folder"`
	Out         string       `json:"out"`
	Results     int          `json:"results"`
	Fingerprint string       `json:"fingerprint,omitempty"`
	Tags        []string     `json:"tags"`
}

func (a *app) runsList(list []*registry.Run, as format) error {
	if as == asJSON {
		runs := make([]jsonRecord, len(list))
		for i, r := range list {
			runs[i] = jsonRecord{r.ID, r.Kind, r.Started, max(0, r.Ended.Sub(r.Started).Seconds()), r.Stage(), r.Exit, r.Command, r.Folder, r.Out, len(r.Results), r.Whole(), append([]string{}, r.Tags...)}
		}
		return a.json(struct {
			Version int          `json:"version"`
			Runs    []jsonRecord `json:"runs"`
		}{1, runs})
	}
	if len(list) == 0 {
		fmt.Fprintln(a.err, "no run is recorded")
		return nil
	}
	rows := [][]string{{"run", "meaning", "started", "took", "exit", "results", "what", "tags"}}
	for _, r := range list {
		rows = append(rows, []string{
			r.ID, firstDigits(r.Whole()), r.Started.Local().Format(time.DateTime), took(r.Record), exitText(r.Record), strconv.Itoa(len(r.Results)), r.What(), strings.Join(r.Tags, " "),
		})
	}
	a.columns(rows)
	return nil
}

// firstDigits is the beginning of a fingerprint, for people to compare.
func firstDigits(sum string) string { return sum[:min(len(sum), 8)] }

// took is how long a run took.
func took(r *record.Record) string {
	if r.Stage() != record.Ended {
		return "-"
	}
	return r.Ended.Sub(r.Started).Round(time.Millisecond).String()
}

// exitText is the exit code of a run, or why it has none.
func exitText(r *record.Record) string {
	if stage := r.Stage(); stage != record.Ended {
		return string(stage)
	}
	return strconv.Itoa(r.Exit)
}
