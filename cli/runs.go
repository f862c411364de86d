package cli

import (
	"bytes"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/pentode-dev/pentode/internal/leaf/bytesize"
	"github.com/pentode-dev/pentode/internal/leaf/columns"
	"github.com/pentode-dev/pentode/internal/leaf/quantity"
	"github.com/pentode-dev/pentode/internal/live"
	"github.com/pentode-dev/pentode/runs"
	"github.com/pentode-dev/pentode/runs/compare"
	"github.com/pentode-dev/pentode/runs/record"
	"github.com/pentode-dev/pentode/runs/registry"
)

// newest is the name of the newest run for verbs that need a name.
const newest = "newest"

// recordOf opens the record of the named run. Without a name, it skips the given number of newest runs and opens the
// next.
func (a *app) recordOf(store record.Store, names []string, skip int) (*record.Record, error) {
	var r *record.Record
	var err error
	switch {
	case len(names) == 0:
		r, err = store.Newest(skip)
	case names[0] == newest:
		r, err = store.Newest(0)
	default:
		r, err = store.Open(names[0])
	}
	return r, err
}

// recordWords returns the names of recorded runs for the completion of shells.
func recordWords(*cobra.Command, []string, string) ([]string, cobra.ShellCompDirective) {
	words := []string{newest}
	if store, err := record.Here(); err == nil {
		list, _ := store.List() // on an error nothing is offered
		for _, r := range list {
			words = append(append(words, r.ID), r.Tags...)
		}
	}
	return words, cobra.ShellCompDirectiveNoFileComp
}

// textOrJSON refuses other formats.
func textOrJSON(as format) error {
	if as != asText && as != asJSON {
		return errors.New("--format takes text or json, not `" + string(as) + "`")
	}
	return nil
}

func (a *app) runsListVerb() *cobra.Command {
	var as format
	cmd := &cobra.Command{
		Use:     "list",
		Short:   "List the recorded runs, the newest last",
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
	return a.wideFlag(cmd)
}

// jsonRecords is the output of `runs list --format json`.
type jsonRecords struct {
	Version int          `json:"version"`
	Runs    []jsonRecord `json:"runs"`
}

// jsonRecord is a run in jsonRecords.
type jsonRecord struct {
	Run         string       `json:"run"`
	Kind        record.Kind  `json:"kind"`
	Started     time.Time    `json:"started"`
	Took        float64      `json:"took_s"` // 0: the run has not ended
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
			runs[i] = jsonRecord{r.ID, r.Kind, r.Started, max(0, r.Ended.Sub(r.Started).Seconds()), r.Stage(), r.Exit, append([]string{}, r.Command...), r.Folder, r.Out, len(r.Results), r.Whole(), append([]string{}, r.Tags...)}
		}
		return a.json(jsonRecords{1, runs})
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
	a.table(rows, []columns.Column{
		{}, {Keep: 2}, {Keep: 3}, {Kind: columns.Figure, Keep: 4}, {}, {Kind: columns.Figure, Keep: 1}, {Kind: columns.Name}, {Kind: columns.Name, Keep: 5},
	})
	return nil
}

// firstDigits returns the first digits of a fingerprint, which are easier to compare by eye.
func firstDigits(sum string) string { return sum[:min(len(sum), 8)] }

// took returns the duration of a run as text.
func took(r *record.Record) string {
	if r.Stage() != record.Ended {
		return "-"
	}
	return quantity.Duration(r.Ended.Sub(r.Started))
}

// exitText returns the exit code of a run, or why it has none.
func exitText(r *record.Record) string {
	if stage := r.Stage(); stage != record.Ended {
		return string(stage)
	}
	return strconv.Itoa(r.Exit)
}

func (a *app) runsRmVerb() *cobra.Command {
	return &cobra.Command{
		Use:               "rm RUN...",
		Short:             "Delete the records of runs; their results are kept",
		Example:           examples("pentode runs rm newest", "pentode runs rm paper"),
		ValidArgsFunction: recordWords,
		RunE: func(_ *cobra.Command, names []string) error {
			if len(names) == 0 {
				return errors.New("give the runs whose records to delete; `pentode runs list` lists them")
			}
			store, err := record.Here()
			if err != nil {
				return err
			}
			for _, name := range names {
				r, err := a.recordOf(store, []string{name}, 0)
				if err != nil {
					return err
				}
				if err := store.Remove(r.ID); err != nil {
					return err
				}
				fmt.Fprintln(a.out, r.ID)
			}
			return nil
		},
	}
}

func (a *app) runsTagVerb() *cobra.Command {
	var remove bool
	cmd := &cobra.Command{
		Use:               "tag RUN TAG...",
		Short:             "Give a run a name of your choice, and keep it",
		Long:              "Give a run one or more names that other verbs accept. A run with a tag is kept when old runs are deleted.",
		Example:           examples("pentode runs tag newest paper", "pentode runs tag --remove newest paper"),
		Args:              cobra.MinimumNArgs(2),
		ValidArgsFunction: recordWords,
		RunE: func(_ *cobra.Command, words []string) error {
			tags := words[1:]
			for _, tag := range tags {
				if tag == newest || strings.ContainsFunc(tag, func(r rune) bool { return r <= ' ' || r == 0x7f }) || tag == "" {
					return fmt.Errorf("`%s` cannot be a tag: expected a word other than `%s`", tag, newest)
				}
			}
			store, err := record.Here()
			if err != nil {
				return err
			}
			r, err := a.recordOf(store, words, 0)
			if err != nil {
				return err
			}
			if r.Stage() == record.Running {
				return a.no(fmt.Errorf("run `%s` is live: give it a tag when it has ended", r.ID))
			}
			if remove {
				for _, tag := range tags {
					if !slices.Contains(r.Tags, tag) {
						return fmt.Errorf("run `%s` has no tag `%s`", r.ID, tag)
					}
				}
				tags = slices.DeleteFunc(slices.Clone(r.Tags), func(tag string) bool { return slices.Contains(tags, tag) })
			} else {
				tags = append(slices.Clone(r.Tags), tags...)
			}
			if err := store.Tag(r, tags); err != nil {
				return err
			}
			_, err = fmt.Fprintln(a.out, r.ID, strings.Join(r.Tags, " "))
			return err
		},
	}
	cmd.Flags().BoolVar(&remove, "remove", false, "remove the tags")
	return cmd
}

func (a *app) runsShowVerb() *cobra.Command {
	var as format
	var settings bool
	cmd := &cobra.Command{
		Use:               "show [RUN]",
		Short:             "Show the record of a run, by default the newest",
		Long:              "Show the record of a run, by default the newest. RUN is a name, the end of a name, or a tag.",
		Example:           examples("pentode runs show", "pentode runs show --all"),
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
				return a.json(withLists(r))
			}
			return a.buffered(func() error { a.showRecord(r, settings); return nil })
		},
	}
	cmd.Flags().StringVar((*string)(&as), "format", string(asText), "`text|json`")
	cmd.Flags().BoolVar(&settings, "all", false, "also show every setting and the line that decided it")
	return a.wideFlag(cmd)
}

// withLists returns a record whose empty lists are [] in JSON, not null.
func withLists(r *record.Record) record.Record {
	out := *r
	out.Command, out.Files, out.Settings = append([]string{}, r.Command...), append([]record.File{}, r.Files...), append([]record.Setting{}, r.Settings...)
	out.Programs, out.Results = append([]record.Program{}, r.Programs...), append([]record.Result{}, r.Results...)
	return out
}

func (a *app) showRecord(r *record.Record, settings bool) {
	rows := [][]string{
		{"run", r.ID}, {"command", strings.Join(r.Command, " ")}, {"folder", r.Folder}, {"started", r.Started.Local().Format(time.DateTime) + ", took " + took(r)},
		{"exit", strings.TrimSuffix(exitText(r)+": "+r.End, ": ")},
		{"machine", fmt.Sprintf("%s, %s, %s", r.Host.Name, r.Host.System, quantity.Count(r.Host.CPUs, "processor", "processors"))},
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
		rows = append(rows, []string{"read", f.Path, bytesize.Text(f.Size)})
	}
	for _, f := range r.Inputs {
		rows = append(rows, []string{"input", f.Path, bytesize.Text(f.Size)})
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
	a.columns(rows, columns.Text, columns.Name, columns.Prose)
	if settings {
		fmt.Fprintf(a.out, "\nsettings:\n")
		rows = nil
		for _, s := range r.Settings {
			rows = append(rows, []string{"  " + s.Key + " = " + s.Value, s.At})
		}
		a.columns(rows, columns.Name, columns.Name)
	}
	fmt.Fprintln(a.out)
	a.line("results in %s:", r.Out)
	rows = nil
	for _, f := range r.Results {
		hash := firstDigits(f.Hash)
		switch {
		case f.Found:
			hash = "found after the run was killed"
		case hash == "":
			hash = "too large to hash"
		}
		by := f.Process
		if f.Edge != "" {
			by += " from " + f.Edge
		}
		rows = append(rows, []string{"  " + f.Path, bytesize.Text(f.Size), hash, by})
	}
	a.columns(rows, columns.Name, columns.Figure, columns.Name, columns.Name)
}

// listEvery is the time between two readings of the records: reading all of them takes a while.
const listEvery = 2 * time.Second

// runsSource returns a live view of the recorded runs, the newest first.
func runsSource(store record.Store) *live.Source {
	var last live.Picture
	var looked time.Time
	return &live.Source{
		Title: "runs",
		Look: func() live.Picture {
			if now := time.Now(); now.Sub(looked) >= listEvery {
				last, looked = lookAtRuns(store, now), now
			}
			return last
		},
		Pages: []live.Page{
			{Key: "enter", Name: "show", Does: "show the record: programs, findings, results", Text: recordPage(store, false)},
			{Key: "c", Name: "compare", Does: "compare with the marked run, else with the previous one", Text: comparePage(store)},
			{Key: "o", Name: "open", Does: "show the whole record, with every setting and its line", Text: recordPage(store, true)},
		},
	}
}

// lookAtRuns returns the list of runs as a picture.
func lookAtRuns(store record.Store, now time.Time) live.Picture {
	list, err := store.List()
	if err != nil {
		return live.Picture{Summary: err.Error()}
	}
	t := live.Section{
		Head: []string{"started", "what", "state", "took", "findings", "results", "run", "tags"},
		Columns: []columns.Column{
			{}, {Kind: columns.Name, Keep: 8}, {Keep: 7}, {Kind: columns.Figure, Keep: 6}, {Kind: columns.Line, Keep: 5}, {Kind: columns.Figure, Keep: 2}, {Keep: 3},
			{Kind: columns.Name, Keep: 4},
		},
	}
	going, failed := 0, 0
	for _, r := range slices.Backward(list) {
		stage, state := r.Stage(), exitText(r)
		bad := stage == record.Killed || stage == record.Ended && r.Exit != 0
		switch {
		case bad:
			failed++
		case stage == record.Running:
			going++
		}
		if stage == record.Ended {
			state = "ok"
			if bad {
				state = "exit " + strconv.Itoa(r.Exit)
			}
		}
		t.Rows = append(t.Rows, live.Row{Name: r.ID, Hot: bad, Cells: []string{
			startedText(r.Started, now), r.What(), state, took(r), findingsText(r.Findings), strconv.Itoa(len(r.Results)), r.ID, strings.Join(r.Tags, " "),
		}})
	}
	summary := quantity.Count(len(list), "run is recorded", "runs are recorded")
	if going > 0 {
		summary += fmt.Sprintf(", %d running", going)
	}
	if failed > 0 {
		summary += fmt.Sprintf(", %d failed", failed)
	}
	return live.Picture{Summary: summary, Sections: []live.Section{t}}
}

// startedText returns the start time of a run, as short as possible.
func startedText(at, now time.Time) string {
	at, now = at.Local(), now.Local()
	switch {
	case at.Format(time.DateOnly) == now.Format(time.DateOnly):
		return at.Format(time.TimeOnly)
	case at.Year() == now.Year():
		return at.Format("01-02 15:04")
	}
	return at.Format(time.DateOnly)
}

// findingsText returns the number of findings of each severity.
func findingsText(list []record.Finding) string {
	var parts []string
	for _, severity := range []string{"error", "warning", "info"} {
		n := 0
		for i := range list {
			if list[i].Severity == severity {
				n++
			}
		}
		if n > 0 {
			parts = append(parts, quantity.Count(n, severity, severity+"s"))
		}
	}
	if parts == nil {
		return "–"
	}
	return strings.Join(parts, ", ")
}

// recordPage returns the output of `runs show` for the chosen run.
func recordPage(store record.Store, settings bool) func(chosen, _ string) ([]string, error) {
	return func(chosen, _ string) ([]string, error) {
		r, err := store.Open(chosen)
		if err != nil {
			return nil, err
		}
		return printed(func(a *app) { a.showRecord(r, settings) }), nil
	}
}

// comparePage returns the output of `runs diff` for the marked run and the chosen one; without a mark, for the previous
// run and the chosen one.
func comparePage(store record.Store) func(chosen, marked string) ([]string, error) {
	return func(chosen, marked string) ([]string, error) {
		list, err := store.List()
		if err != nil {
			return nil, err
		}
		at := func(id string) int {
			return slices.IndexFunc(list, func(r *record.Record) bool { return r.ID == id })
		}
		is, was := at(chosen), at(marked)
		if marked == "" {
			was = is - 1
		}
		switch {
		case is < 0 || marked != "" && was < 0:
			return nil, errors.New("the record of a chosen run no longer exists")
		case was < 0:
			return nil, errors.New("this is the first run: mark a run with space, then choose another to compare it with")
		case was == is:
			return nil, errors.New("this run is marked: choose another to compare it with")
		}
		d := compare.Runs(list[min(was, is)], list[max(was, is)], list)
		return printed(func(a *app) { a.printDiff(d) }), nil
	}
}

// printed returns the lines that a verb prints.
func printed(print func(*app)) []string {
	var b bytes.Buffer
	print(&app{out: &b})
	return strings.Split(strings.TrimSuffix(b.String(), "\n"), "\n")
}

func (a *app) runsPruneVerb() *cobra.Command {
	var keep int
	cmd := &cobra.Command{
		Use:   "prune",
		Short: "Delete the state and the logs of old ended runs",
		Long: "Deletes the state and the logs of ended runs except the newest ones. Their records are kept until `pentode runs rm`. It never\n" +
			"deletes a live run, a run with a tag, or a run whose supervisor has died but whose programs live. Every `run` prunes at its end.",
		Example: examples("pentode runs prune", "pentode runs prune --keep 0"),
		Args:    cobra.NoArgs,
		RunE: func(*cobra.Command, []string) error {
			if keep < 0 {
				return fmt.Errorf("--keep takes a number from 0, not `%d`", keep)
			}
			known, err := registry.Here()
			if err != nil {
				return err
			}
			gone, err := known.Prune(keep)
			for _, d := range gone {
				fmt.Fprintln(a.out, d.Run.ID)
			}
			fmt.Fprintf(a.err, "state and logs of %s deleted; records are kept\n", quantity.Count(len(gone), "run", "runs"))
			return err
		},
	}
	cmd.Flags().IntVar(&keep, "keep", runs.KeptRuns, "how many ended runs to keep")
	return cmd
}
