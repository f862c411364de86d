package cli

import (
	"cmp"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/spf13/cobra"

	"github.com/pentode-dev/pentode/core/load"
	"github.com/pentode-dev/pentode/lang"
	"github.com/pentode-dev/pentode/lang/pinsight"
	"github.com/pentode-dev/pentode/run/trace"
)

// traceQuestion is an event of a region on a unit.
type traceQuestion struct {
	lexgion, event, module string
	units                  []string
	count                  uint32
}

func (q *traceQuestion) flags(cmd *cobra.Command) {
	cmd.Flags().StringVar(&q.lexgion, "lexgion", "", "the region: an `ADDRESS`, a name, or FILE:LINE with --elf")
	cmd.Flags().StringVar(&q.event, "event", "", "the `EVENT`, also with its domain: OpenMP.omp_work; `decide` takes several with commas")
	cmd.Flags().StringArrayVar(&q.units, "unit", nil, "a unit that executes it: `DOMAIN.KIND=ID` (repeatable; others are 0); `decide` takes sets: MPI.rank=0-3")
	cmd.Flags().StringVar(&q.module, "module", "", "the `MODULE` of a function of Python, which `modules` may leave out")
	cmd.Flags().Uint32Var(&q.count, "count", 100, "how many executions to look at, at most 10,000,000")
}

// several reports whether a question is about several events or units, so that its
// answer is a table.
func (q *traceQuestion) several() bool {
	for _, u := range q.units {
		if _, ids, _ := strings.Cut(u, "="); strings.ContainsAny(ids, "-,") {
			return true
		}
	}
	return strings.Contains(q.event, ",")
}

// oneUnit refuses several units or events where one is explained.
func (q *traceQuestion) oneUnit() error {
	if q.several() {
		return errors.New("explain takes one event on one unit; `pentode trace decide` takes several")
	}
	return nil
}

// traceCase is a question that has been understood.
type traceCase struct {
	catalog   *trace.Catalog
	policy    *trace.Policy
	query     trace.Query
	lineStart bool // the region is the start of a source line

	other        *lang.Config // as the other dialect reads the file
	otherDialect load.Dialect
}

// maxExecutions bounds the time and the memory that an answer takes.
const maxExecutions = 10_000_000

// traceCase reads the file and finds everything that the question names.
func (a *app) traceCase(q *traceQuestion, paths []string) (*traceCase, error) {
	if q.lexgion == "" || q.event == "" {
		return nil, errors.New("give the region with --lexgion and the event with --event")
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
	c := &traceCase{catalog: policy.Catalog(), policy: policy, other: config.Document.Resolve(env, config.Lower...), otherDialect: env.Dialect}
	return c, c.ask(a, q)
}

func policyOf(c *lang.Config) (*trace.Policy, error) {
	m, ok := lang.Model[*pinsight.Model](c)
	if !ok {
		return nil, fmt.Errorf("`%s` is not a trace configuration", c.Document.File.Path())
	}
	return m.Policy()
}

// ask turns the words of a question into the engine's numbers.
func (c *traceCase) ask(a *app, q *traceQuestion) error {
	event, err := c.findEvent(q.event)
	if err != nil {
		return err
	}
	c.query.Event = event
	if err := c.findRegion(a, q.lexgion); err != nil {
		return err
	}
	if c.query.Region.Module = q.module; q.module != "" && c.catalog.Name(c.query.Region.Domain) != trace.Python {
		return fmt.Errorf("--module is for functions of %s, and `%s` is no event of theirs", trace.Python, q.event)
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

// lastColon is where the last colon stands that is none of a C++ name, such as
// `Solver::step`, or -1.
func lastColon(text string) int {
	i := strings.LastIndexByte(text, ':')
	for i > 0 && text[i-1] == ':' {
		i = strings.LastIndexByte(text[:i-1], ':')
	}
	return i
}

// findRegion reads an address, a name with the file it is in, or a file and
// line. A domain before a name must be the event's.
func (c *traceCase) findRegion(a *app, text string) error {
	if hex, ok := strings.CutPrefix(strings.ToLower(text), "0x"); ok {
		address, err := strconv.ParseUint(hex, 16, 64)
		if err != nil || address == 0 {
			return fmt.Errorf("`%s` is not an address; one is `0x` and 1 to 16 hexadecimal digits, and not 0", text)
		}
		return c.place(a, address)
	}
	if domain, rest, ok := strings.Cut(text, ":"); ok && !strings.HasPrefix(rest, ":") {
		if d, known := c.catalog.Domain(domain); known {
			if d != c.query.Region.Domain {
				return fmt.Errorf("`%s` is a region of %s, and the event is one of %s", text, domain, c.catalog.Domains()[c.query.Region.Domain].Name)
			}
			text = rest
		}
	}
	i := lastColon(text)
	line, err := strconv.Atoi(text[i+1:])
	if i < 0 || err != nil {
		c.query.Region.Name, c.query.Region.File = text[i+1:], text[:max(i, 0)]
		if c.query.Region.Name == "" {
			return fmt.Errorf("`%s` names no region; a name is `name`, `Domain:name`, `file:name` or `Domain:file:name`", text)
		}
		return nil
	}
	program, err := a.files.options.program.open()
	if err != nil {
		return err
	}
	if program == nil {
		return fmt.Errorf("`%s` is a line of source; give the program with --elf", text)
	}
	defer program.Close()
	sites, err := pinsight.Regions(program, text[:i], line)
	if err != nil {
		return err
	}
	c.query.Region.Address, c.lineStart = sites[0].Address, sites[0].Callee == ""
	return nil
}

// place takes a region by its address. Where the program is given, entries by name
// meet it as they do when the program is traced: the first that stands for its code.
func (c *traceCase) place(a *app, address uint64) error {
	region := &c.query.Region
	region.Address = address
	program, err := a.files.options.program.open()
	if err != nil || program == nil {
		return err
	}
	defer program.Close()
	entries := c.policy.Entries()
	slices.SortStableFunc(entries, func(a, b trace.Match) int { // places come first
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

// findUnit reads `MPI.rank=3`.
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

// executions are the first traced ones among n, at most limit of them.
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

// maxShown is how many executions are listed.
const maxShown = 6

// firstOf are the first of the executions that are traced among count.
func firstOf(traced []uint32, count uint32) string {
	switch {
	case len(traced) == 0:
		return fmt.Sprintf("none of the first %d", count)
	case len(traced) > maxShown:
		return numbers(traced[:maxShown]) + ", …"
	}
	return numbers(traced)
}
