package cli

import (
	"cmp"
	_ "embed"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/spf13/cobra"

	"github.com/pentode-dev/pentode/core/load"
	"github.com/pentode-dev/pentode/internal/leaf/columns"
	"github.com/pentode-dev/pentode/lang"
	"github.com/pentode-dev/pentode/lang/pinsight"
	"github.com/pentode-dev/pentode/run/trace"
	"github.com/pentode-dev/pentode/workspace/project"
)

func (a *app) traceDecideVerb() *cobra.Command {
	var q traceQuestion
	var as format
	var all, explain bool
	var record, at string
	cmd := &cobra.Command{
		Use:   "decide --region REGION --event EVENT FILE",
		Short: "Print which executions of a region are traced, and why",
		Long: "Prints the executions of a region in which an event is traced. --explain prints the chain of lines that decides. --record and\n" +
			"--at print the chain for an event of a recorded run, given as the file of its stream and its index there (from 0), and why its\n" +
			"neighbours are missing; without FILE the recorded configuration decides. --all prints for all regions\n" +
			"which events are traced on which units.",
		Example: examples("pentode trace decide --region 0x4010bd --event MPI_Send --unit MPI.rank=3 --count 1000 --format json examples/trace/trace_config.txt",
			"pentode trace decide --explain --region 0x4010bd --event omp_work examples/trace/trace_config.txt"),
		RunE: func(_ *cobra.Command, paths []string) error {
			switch {
			case explain && all:
				return errors.New("--explain explains one event, and --all lists all events: give only one of them")
			case explain && as == asJSON:
				return errors.New("--format json always includes the reasons: leave --explain out")
			case (record != "" || at != "") && as == asJSON:
				return errors.New("an event of a record is explained as text only: leave --format out")
			case record != "" || at != "":
				return a.explainRecorded(&q, record, at, paths)
			case explain:
				return a.explainDecision(&q, paths)
			case all:
				return a.decideAll(&q, paths, as)
			case q.several():
				return a.decideTable(&q, paths, as)
			}
			c, err := a.traceCase(&q, paths)
			if err != nil {
				return err
			}
			traced := c.executions(q.count, int(q.count))
			a.reportOtherDialect(c, &q)
			if as == asJSON {
				return a.json(c.decision(traced, q.count))
			}
			if len(traced) == 0 {
				fmt.Fprintf(a.err, "none of the first %d executions is traced; --explain shows why\n", q.count)
				return nil
			}
			_, err = fmt.Fprintln(a.out, numbers(traced))
			return err
		},
	}
	q.flags(cmd)
	f := cmd.Flags()
	f.BoolVar(&explain, "explain", false, "print the chain of lines that decides")
	f.BoolVar(&all, "all", false, "print all regions, events and units")
	f.StringVar(&record, "record", "", "the `DIR` of a run recorded by `pentode trace record`")
	f.StringVar(&at, "at", "", "an event of the recorded run: `STREAM:INDEX`")
	f.IntVar(&a.files.options.pid, "pid", 0, "addresses refer to the running process `ID` and its program")
	f.StringVar((*string)(&as), "format", string(asText), "`text|json`")
	return a.wideFlag(a.reads(cmd, "pinsight"))
}

// jsonDecidedSets is the output of `trace decide --all --format json`.
type jsonDecidedSets struct {
	Version int                `json:"version"`
	Traced  []trace.DecidedSet `json:"traced"`
}

// jsonDecidedCells is the output of `trace decide --format json` for several events or units.
type jsonDecidedCells struct {
	Version int       `json:"version"`
	Count   uint32    `json:"count"`
	Cells   []decided `json:"cells"`
}

// decideAll prints what a whole configuration decides: for each region that it names, and for all
// other regions, which events are traced on which units.
func (a *app) decideAll(q *traceQuestion, paths []string, as format) error {
	if q.region != "" || q.event != "" {
		return errors.New("--all lists all regions and events: leave --region and --event out")
	}
	_, config, err := a.read(paths, "pinsight")
	if err != nil {
		return err
	}
	if err := a.refuse(config.Diagnostics()); err != nil {
		return err
	}
	policy, err := policyOf(config)
	if err != nil {
		return err
	}
	within, err := policy.Catalog().Within(q.units)
	if err != nil {
		return err
	}
	list := policy.Decided(within)
	if as == asJSON {
		return a.json(jsonDecidedSets{1, list})
	}
	if len(list) == 0 {
		fmt.Fprintln(a.err, "nothing is traced")
		return nil
	}
	rows := [][]string{{"region", "units", "executions", "events"}}
	for i, d := range list {
		region := d.Region
		if i > 0 && list[i-1].Region == region {
			region = ""
		}
		rows = append(rows, []string{region, strings.Join(d.Units, " or "), d.Rate.Words(), eventList(d.Domain, d.Events)})
	}
	a.columns(rows, columns.Name, columns.Name, columns.Name, columns.Line)
	return nil
}

// eventList returns events in one line. If there are many, it begins with their number and domain.
func eventList(domain string, events []string) string {
	list := strings.Join(events, ", ")
	if len(events) > 3 {
		list = fmt.Sprintf("%d of %s: %s", len(events), domain, list)
	}
	return list
}

// maxCells is the maximum number of cells of a table.
const maxCells = 10_000

// axis has the ids of one `--unit` flag.
type axis struct {
	unit string
	ids  []uint32
}

// axes reads every `--unit DOMAIN.KIND=SET`.
func (q *traceQuestion) axes() ([]axis, error) {
	var list []axis
	cells := 1
	for _, u := range q.units {
		unit, text, _ := strings.Cut(u, "=")
		set, wrong := trace.ParseSet(text, maxCells)
		if wrong != nil {
			return nil, fmt.Errorf("--unit takes DOMAIN.KIND=SET, for instance MPI.rank=0-3, not `%s`: %s", u, wrong.Message)
		}
		x := axis{unit: unit}
		for _, s := range set.Spans() {
			for id := s.Lo; id <= s.Hi; id++ {
				x.ids = append(x.ids, id)
			}
		}
		if cells *= len(x.ids); cells == 0 || cells > maxCells {
			return nil, fmt.Errorf("the units make %d rows; a table has 1 to %d", cells, maxCells)
		}
		list = append(list, x)
	}
	return list, nil
}

// decided is one cell of the table.
type decided struct {
	Units  []string `json:"units"` // `MPI.rank=0`
	Event  string   `json:"event"`
	Traced []uint32 `json:"traced"`
}

// decideTable prints for each unit and event how many executions are traced.
func (a *app) decideTable(q *traceQuestion, paths []string, as format) error {
	axes, err := q.axes()
	if err != nil {
		return err
	}
	events := strings.Split(q.event, ",")
	single := *q
	single.units, single.event = nil, events[0]
	c, err := a.traceCase(&single, paths)
	if err != nil {
		return err
	}
	head := []string{}
	for _, x := range axes {
		head = append(head, x.unit)
	}
	rows := [][]string{append(head, events...)}
	cells := []decided{}
	for units := range unitRows(axes) {
		row := []string{}
		for _, u := range units {
			_, id, _ := strings.Cut(u, "=")
			row = append(row, id)
		}
		for _, e := range events {
			one := *q
			one.units, one.event = units, e
			if err := c.ask(a, &one); err != nil {
				return err
			}
			traced := c.executions(q.count, int(q.count))
			row = append(row, strconv.Itoa(len(traced)))
			cells = append(cells, decided{units, e, traced})
		}
		rows = append(rows, row)
	}
	if as == asJSON {
		return a.json(jsonDecidedCells{1, q.count, cells})
	}
	a.table(rows, figuresAfter(len(axes), len(rows[0])))
	fmt.Fprintf(a.err, "counts are of the first %d executions\n", q.count)
	return nil
}

// unitRows yields every combination of ids, the last axis fastest.
func unitRows(axes []axis) func(func([]string) bool) {
	return func(yield func([]string) bool) {
		at := make([]int, len(axes))
		for {
			row := make([]string, len(axes))
			for i, x := range axes {
				row[i] = fmt.Sprintf("%s=%d", x.unit, x.ids[at[i]])
			}
			if !yield(row) {
				return
			}
			i := len(axes) - 1
			for ; i >= 0; i-- {
				if at[i]++; at[i] < len(axes[i].ids) {
					break
				}
				at[i] = 0
			}
			if i < 0 {
				return
			}
		}
	}
}

// traceQuestion is an event of a region on a unit.
type traceQuestion struct {
	region, event, module string
	units                 []string
	count                 uint32
}

func (q *traceQuestion) flags(cmd *cobra.Command) {
	cmd.Flags().StringVar(&q.region, "region", "", "the region: an `ADDRESS`, a name, or FILE:LINE where the program is known")
	cmd.Flags().StringVar(&q.event, "event", "", "the `EVENT`, also with its domain: OpenMP.omp_work; separate several by commas")
	cmd.Flags().StringArrayVar(&q.units, "unit", nil, "the unit that executes the region: `DOMAIN.KIND=ID` (repeatable; others are 0), or a set: MPI.rank=0-3")
	cmd.Flags().StringVar(&q.module, "module", "", "the `MODULE` of a Python function, which `modules` may exclude")
	cmd.Flags().Uint32Var(&q.count, "count", 100, "the number of executions to look at, at most 10,000,000")
}

// several reports whether a question asks for several events or units, so that its
// answer is a table.
func (q *traceQuestion) several() bool {
	for _, u := range q.units {
		if _, ids, _ := strings.Cut(u, "="); strings.ContainsAny(ids, "-,") {
			return true
		}
	}
	return strings.Contains(q.event, ",")
}

// traceCase is a parsed traceQuestion.
type traceCase struct {
	project   *project.Project
	catalog   *trace.Catalog
	policy    *trace.Policy
	query     trace.Query
	lineStart bool // the region is the start of a source line

	other        *lang.Config // the same file, read as the other dialect reads it
	otherDialect load.Dialect
}

// maxExecutions limits the time and the memory of an answer.
const maxExecutions = 10_000_000

// traceCase reads the file and looks up everything that the question names.
func (a *app) traceCase(q *traceQuestion, paths []string) (*traceCase, error) {
	if q.region == "" || q.event == "" {
		return nil, errors.New("give the region with --region and the event with --event")
	}
	if q.count > maxExecutions {
		return nil, fmt.Errorf("--count takes a number up to %d, not %d", maxExecutions, q.count)
	}
	w, config, err := a.read(paths, "pinsight")
	if err != nil {
		return nil, err
	}
	if err := a.refuse(config.Diagnostics()); err != nil {
		return nil, err
	}
	policy, err := policyOf(config)
	if err != nil {
		return nil, err
	}
	env := w.EnvOf(config.Document)
	env.Dialect = load.Upstream - env.Dialect
	c := &traceCase{project: w.Project(config.Document.File.Path()), catalog: policy.Catalog(), policy: policy, other: config.Document.Resolve(env, config.Lower...), otherDialect: env.Dialect}
	return c, c.ask(a, q)
}

func policyOf(c *lang.Config) (*trace.Policy, error) {
	m, ok := lang.Model[*pinsight.Model](c)
	if !ok {
		return nil, fmt.Errorf("`%s` is not a trace configuration", c.Document.File.Path())
	}
	return m.Policy()
}

// ask translates a question into a query of the engine.
func (c *traceCase) ask(a *app, q *traceQuestion) error {
	event, err := c.findEvent(q.event)
	if err != nil {
		return err
	}
	c.query.Event = event
	if err := c.findRegion(a, q.region); err != nil {
		return err
	}
	if c.query.Region.Module = q.module; q.module != "" && c.catalog.Name(c.query.Region.Domain) != trace.Python {
		return fmt.Errorf("--module is for functions of %s, and `%s` is not one of their events", trace.Python, q.event)
	}
	c.query.IDs = make([]uint32, c.catalog.Kinds())
	for _, u := range q.units {
		if err := c.findUnit(u); err != nil {
			return err
		}
	}
	return nil
}

func (c *traceCase) findEvent(text string) (trace.EventID, error) {
	domain, name, dotted := strings.Cut(text, ".")
	if !dotted {
		name = text
	}
	var names []string
	for i, d := range c.catalog.Domains() {
		if dotted && d.Name != domain {
			continue
		}
		if e, ok := c.catalog.Event(trace.DomainID(i), name); ok {
			c.query.Region.Domain = trace.DomainID(i)
			return e, nil
		}
		for _, e := range d.Events {
			names = append(names, e.Name)
		}
	}
	return 0, fmt.Errorf("`%s` is not an event%s", text, near(name, names))
}

// lastColon returns the index of the last colon that is not part of `::` in a C++ name such as
// `Solver::step`, or -1.
func lastColon(text string) int {
	i := strings.LastIndexByte(text, ':')
	for i > 0 && text[i-1] == ':' {
		i = strings.LastIndexByte(text[:i-1], ':')
	}
	return i
}

// findRegion parses an address, a name with its file, or a file and
// line. A domain before a name must be the domain of the event.
func (c *traceCase) findRegion(a *app, text string) error {
	if hex, ok := strings.CutPrefix(strings.ToLower(text), "0x"); ok {
		address, err := strconv.ParseUint(hex, 16, 64)
		if err != nil || address == 0 {
			return fmt.Errorf("`%s` is not an address: expected `0x` and 1 to 16 hexadecimal digits, not all 0", text)
		}
		return c.place(a, address)
	}
	if domain, rest, ok := strings.Cut(text, ":"); ok && !strings.HasPrefix(rest, ":") {
		if d, known := c.catalog.Domain(domain); known {
			if d != c.query.Region.Domain {
				return fmt.Errorf("`%s` is a region of %s, but the event belongs to %s", text, domain, c.catalog.Domains()[c.query.Region.Domain].Name)
			}
			text = rest
		}
	}
	i := lastColon(text)
	line, err := strconv.Atoi(text[i+1:])
	if i < 0 || err != nil {
		c.query.Region.Name, c.query.Region.File = text[i+1:], text[:max(i, 0)]
		if c.query.Region.Name == "" {
			return fmt.Errorf("`%s` names no region; expected `name`, `Domain:name`, `file:name` or `Domain:file:name`", text)
		}
		return nil
	}
	program, err := a.files.options.tracedProgram(c.project)
	if err != nil {
		return err
	}
	if program == nil {
		return fmt.Errorf("`%s` is a source line; it needs the program: `--config pinsight.program=FILE`", text)
	}
	defer program.Close()
	sites, err := pinsight.Regions(program, text[:i], line)
	if err != nil {
		return err
	}
	c.query.Region.Address, c.lineStart = sites[0].Address, sites[0].Callee == ""
	return nil
}

// place makes an address the region of the query. If the program is given, the region also gets the
// first entry by name that matches the code at the address, as during tracing.
func (c *traceCase) place(a *app, address uint64) error {
	region := &c.query.Region
	region.Address = address
	program, err := a.files.options.tracedProgram(c.project)
	if err != nil || program == nil {
		return err
	}
	defer program.Close()
	entries := c.policy.Entries()
	slices.SortStableFunc(entries, func(a, b trace.Match) int { // file and line first
		return cmp.Compare(map[bool]int{true: 0, false: 1}[a.IsPlace()], map[bool]int{true: 0, false: 1}[b.IsPlace()])
	})
	for _, m := range entries {
		if m.Domain != "" && m.Domain != c.catalog.Name(region.Domain) || !pinsight.Holds(pinsight.Code(program, m), address) {
			continue
		}
		region.Name, region.File = m.Name, m.File
		return nil
	}
	return nil
}

// findUnit parses a unit such as `MPI.rank=3`.
func (c *traceCase) findUnit(text string) error {
	name, value, ok := strings.Cut(text, "=")
	domain, kind, dotted := strings.Cut(name, ".")
	id, err := strconv.ParseUint(value, 10, 31)
	if !ok || !dotted || err != nil {
		return fmt.Errorf("--unit takes DOMAIN.KIND=ID, for instance MPI.rank=0, not `%s`", text)
	}
	var names []string
	for i, d := range c.catalog.Domains() {
		for _, k := range d.Kinds {
			names = append(names, d.Name+"."+k.Name)
		}
		if d.Name != domain {
			continue
		}
		if k, ok := c.catalog.Kind(trace.DomainID(i), kind); ok {
			c.query.IDs[k] = uint32(id)
			return nil
		}
	}
	return fmt.Errorf("there is no unit `%s`%s", name, near(name, names))
}

// executions returns the traced ones among the first n executions, at most limit of them.
func (c *traceCase) executions(n uint32, limit int) []uint32 {
	traced := []uint32{}
	for i := range c.policy.Executions(c.query.Region, c.query.Event, c.query.IDs, n) {
		if len(traced) == limit {
			break
		}
		traced = append(traced, i)
	}
	return traced
}

func numbers(list []uint32) string {
	var parts []string
	for _, n := range list {
		parts = append(parts, strconv.FormatUint(uint64(n), 10))
	}
	return strings.Join(parts, ", ")
}

// maxShown is the maximum number of executions listed.
const maxShown = 6

// firstOf lists the first traced executions among count.
func firstOf(traced []uint32, count uint32) string {
	switch {
	case len(traced) == 0:
		return fmt.Sprintf("none of the first %d", count)
	case len(traced) > maxShown:
		return numbers(traced[:maxShown]) + ", …"
	}
	return numbers(traced)
}

// reportOtherDialect prints one line if the other dialect decides differently, because the user may
// run the program with that one.
func (a *app) reportOtherDialect(c *traceCase, q *traceQuestion) {
	policy, err := policyOf(c.other)
	if err != nil || c.other.Found().HasErrors() {
		fmt.Fprintf(a.err, "--as %s decides differently: it finds errors in the file\n", c.otherDialect)
		return
	}
	other := &traceCase{project: c.project, catalog: policy.Catalog(), policy: policy}
	if err := other.ask(a, q); err != nil {
		fmt.Fprintf(a.err, "--as %s decides differently: %s\n", c.otherDialect, err)
		return
	}
	if theirs := other.executions(q.count, int(q.count)); !slices.Equal(theirs, c.executions(q.count, int(q.count))) {
		fmt.Fprintf(a.err, "--as %s decides differently: it traces %s\n", c.otherDialect, firstOf(theirs, q.count))
	}
}
