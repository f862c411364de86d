// Package traced runs a program, traces what a configuration selects, and controls the programs that are being traced.
//
//	arguments ──New──▶ program, tracer, configuration ──Run.Trace──▶ folder of the trace
//	                                                        ▲ socket
//	           another terminal ── All, Status, Reload.Send ┘
//
// It knows nothing of records: a Keep says where a trace goes and where its files are noted, and an Around describes the run around it.
//
// It is one package because all of it is about one Run. Read program, libraries and modules first: the program that is traced. Then read trace, and
// then what happens while the program runs: reload, monitor, overhead, ranks. calibrate and decided are independent.
package traced

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/pentode-dev/pentode/core/diag"
	"github.com/pentode-dev/pentode/core/load"
	"github.com/pentode-dev/pentode/core/outfile"
	"github.com/pentode-dev/pentode/core/seal"
	"github.com/pentode-dev/pentode/core/source"
	"github.com/pentode-dev/pentode/lang"
	"github.com/pentode-dev/pentode/lang/pinsight"
	"github.com/pentode-dev/pentode/run/trace"
	"github.com/pentode-dev/pentode/run/trace/collect"
	"github.com/pentode-dev/pentode/run/trace/recorded"
	"github.com/pentode-dev/pentode/suite"
	"github.com/pentode-dev/pentode/workspace"
)

// Options are the options for tracing a program.
type Options struct {
	Out      string        // the folder of the trace, which must not exist, below PENTODE_OUT if that is set; empty: the program's name and the time
	Config   string        // the trace configuration; empty: PINSIGHT_TRACE_CONFIG_FILE, else the configuration in the current folder, else all defaults
	Limit    time.Duration // on the time of tracing; 0: as long as the program runs
	Flush    time.Duration // how long an event may wait before it is written to disk; 0: until there are many
	Overhead float64       // the share of the run's time that tracing may take; 0: no limit
	NoGaps   bool          // do not leave short gaps in the recording, by which Overhead is measured
	Audit    bool          // record every event with the decision about it
	Ring     int           // the bytes of each thread's buffer, a power of two; 0: 4 MiB
	Wait     bool          // wait for room in a full buffer; otherwise events are dropped
	Compiler string        // for the tracer; empty: cc, or the compiler of the program's MPI
	Alone    bool          // the calling process does nothing else: its open files are left to the program

	// Building is called with the number of compiled files of the tracer, before the program starts and only if the tracer must be built. It may be
	// nil.
	Building func(done, total int64)
}

// Result is what tracing a program has produced.
type Result struct {
	Code   int             // its exit code
	Out    string          // the folder of the trace
	Counts *collect.Counts // nil: the program was not started
	Losses []Loss          // the threads that lost most events to full buffers, the worst first
	// Monitored are the regions that were counted and measured, the ones with the most time first.
	Monitored []Monitored
	Overhead  *Overhead // nil: no share was set
	Why       string    // why nothing was traced, or nothing of its OpenMP; empty: something was
}

// Loss is what a thread lost because its buffer was full.
type Loss struct {
	Process, Thread uint32
	Devices         bool // not a thread, but events of devices
	Events          uint64
	Where           string // the region in which the losses began; empty: not known
}

// Run is a program that is traced.
type Run struct {
	Options
	around  Around
	keep    Keep
	program *tracedProgram
	ranks   *job // the ranks of this node that are collected here; nil: only this program
	modules modules
	config  *lang.Config // selects what is traced
	text    string       // of the configuration
	host    string
	started time.Time
	options collect.Options
	library string // the tracer
	live    *liveTrace
}

// Around describes the run around a traced program.
type Around struct {
	Workspace    *workspace.Workspace
	In           io.Reader
	Out, Log     io.Writer
	Found        func(diag.List) error // called with the findings about the configuration; its error prevents the run
	Warn         func(format string, args ...any)
	Launch, Node string // the run of a plan, and the program's name there; empty: not in a plan
}

// Keep says where a trace goes, and where its files are noted.
type Keep struct {
	Out           string          // its folder, which exists
	Seals         *seal.Maker     // nil: its files get no seals
	Ledger        *outfile.Ledger // notes its files; may be nil
	Expect, Begin func()          // called before anything is written, and when the program runs
}

// New inspects a program, given by its arguments, builds its tracer, and reads the configuration. If one launcher starts several ranks on a node, the
// first rank collects; the others become the program, and New does not return.
func New(ctx context.Context, args []string, o Options, around Around) (_ *Run, err error) {
	r := &Run{Options: o, around: around, started: time.Now()}
	if r.Ring == 0 {
		r.Ring = 4 << 20
	}
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	if r.program, err = findTraced(args); err != nil {
		return nil, err
	}
	defer func() {
		if err != nil {
			r.Close()
		}
	}()
	r.modules.expect(r.program)
	if r.ranks, err = joinJob(); err != nil {
		return nil, err
	}
	if r.ranks != nil && !r.ranks.first() {
		return nil, r.ranks.follow(ctx, r)
	}
	if r.library, err = r.program.library(ctx, r.Compiler, r.Building); err != nil {
		return nil, err
	}
	model, err := r.configuration()
	if err != nil {
		return nil, err
	}
	r.live = &liveTrace{run: r}
	if err = r.live.begin(model); err != nil {
		return nil, err
	}
	if r.options, err = r.session(r.live.policy, model.Knobs()); err != nil {
		return nil, err
	}
	for _, name := range r.program.replacedTools() {
		r.warn("`%s` has its own OpenMP tool, `%s`, which is not started: the tracer replaces it", name, suite.StartTool)
	}
	if r.host, err = os.Hostname(); err != nil {
		r.host, err = "localhost", nil
	}
	return r, nil
}

// Program returns the file of the program that is traced.
func (r *Run) Program() string { return r.program.path }

// Node returns the machine whose ranks are traced together; empty: only one program is traced.
func (r *Run) Node() string {
	if r.ranks == nil {
		return ""
	}
	return r.host
}

// Configured returns the trace configuration, with its file as it was read; without a path, everything is traced.
func (r *Run) Configured() (path, text string, config *lang.Config) {
	return r.Config, r.text, r.config
}

func (r *Run) warn(format string, args ...any) { r.around.Warn(format, args...) }

// Close releases what the run holds.
func (r *Run) Close() {
	r.modules.close()
	r.program.close()
	if r.ranks != nil {
		r.ranks.close()
	}
}

// configuration reads the trace configuration.
func (r *Run) configuration() (*pinsight.Model, error) {
	path := &r.Config
	if *path == "" {
		*path = os.Getenv(suite.PolicyVariable)
	}
	if _, err := os.Stat(suite.DefaultPolicy); *path == "" && err == nil {
		*path = suite.DefaultPolicy
	}
	config, err := r.resolve(*path)
	if err != nil {
		return nil, err
	}
	if err := r.around.Found(config.Diagnostics()); err != nil {
		return nil, err
	}
	r.config, r.text = config, config.Document.File.Text()
	model, err := modelOf(config)
	if err == nil {
		for _, v := range model.Unread() {
			r.warn("%s has no effect: only `--as upstream` reads it; set %s in the configuration instead", v.Name, v.Instead)
		}
	}
	return model, err
}

// resolve reads a configuration; without a path, an empty one.
func (r *Run) resolve(path string) (*lang.Config, error) {
	w, err := r.around.Workspace.As("pinsight")
	if err != nil {
		return nil, err
	}
	file := source.NewFile("(no configuration)", "")
	if path != "" {
		if file, err = source.OpenNamed(w.Env.Opener, path); err != nil {
			return nil, errors.New(workspace.Explain(path, err))
		}
	}
	d, err := w.Document(file)
	if err != nil {
		return nil, errors.New(workspace.Explain(path, err))
	}
	config := d.Resolve(w.Env)
	if m, ok := lang.Model[*pinsight.Model](config); ok && !r.upstream() { // once more, with the program
		o := pinsight.Options{Catalog: m.Catalog, Runs: true}
		if r.program.found {
			o.Program, o.Libraries = r.program.debug, r.program.linked
		}
		config = pinsight.New(o).Parse(file).Resolve(w.Env)
	}
	return config, nil
}

func modelOf(c *lang.Config) (*pinsight.Model, error) {
	m, ok := lang.Model[*pinsight.Model](c)
	if !ok {
		return nil, fmt.Errorf("`%s` is not a trace configuration", c.Document.File.Path())
	}
	return m, nil
}

// session returns the options of the collector for a policy.
func (r *Run) session(policy *trace.Policy, knobs []trace.Knob) (collect.Options, error) {
	kind := func(domain, kind string) uint32 {
		d, _ := policy.Catalog().Domain(domain)
		if k, ok := policy.Catalog().Kind(d, kind); ok {
			return uint32(k)
		}
		return collect.NoKind
	}
	table, err := r.table(policy, knobs)
	return collect.Options{
		Policy: policy, Table: table, Program: r.modules.path(0), RingBytes: r.Ring, Wait: r.Wait, Audit: r.Audit, Upstream: r.upstream(),
		Team: kind("OpenMP", "team"), Thread: kind("OpenMP", "thread"), Rank: kind("MPI", "rank"), Device: kind("CUDA", "device"), PythonThread: kind("Python", "thread"),
	}, err
}

// upstream reports whether the configuration is in the upstream dialect: it means what the installed program does.
func (r *Run) upstream() bool { return r.around.Workspace.Env.Dialect == load.Upstream }

// table encodes a policy for agents.
func (r *Run) table(policy *trace.Policy, knobs []trace.Knob) ([]byte, error) {
	f := trace.Flat{Domains: trace.AgentDomains(policy.Catalog()), Code: r.modules.code, Knobs: knobs}
	if r.upstream() {
		f.Code = nil // in the upstream dialect, a name is the name of an MPI call
	}
	return f.Table(policy)
}

// writeRegions writes the positions of the trace's addresses in programs and libraries.
func (r *Run) writeRegions(addresses []uint64, functions []collect.Function) error {
	regions := &recorded.Regions{Version: 1, Program: r.program.path, Regions: make([]recorded.Region, 0, len(addresses))}
	for _, a := range addresses {
		regions.Regions = append(regions.Regions, *r.regionAt(a))
	}
	for _, f := range functions {
		regions.Regions = append(regions.Regions, recorded.Region{Address: "0x" + strconv.FormatUint(f.Address, 16), Function: f.Name, File: f.File, Line: int(f.Line)})
	}
	if m := r.modules.list[0]; m != nil {
		regions.Program, regions.BuildID = m.shown, m.buildID
	}
	text, err := regions.Text()
	if err != nil {
		return err
	}
	return r.write(recorded.RegionsFile, text)
}

// regionAt returns the position of an address of the trace in programs and libraries.
func (r *Run) regionAt(address uint64) *recorded.Region {
	row := &recorded.Region{Address: "0x" + strconv.FormatUint(address, 16)}
	m, at := r.modules.of(address)
	if number, _ := collect.Module(address); m != nil && number != 0 {
		row.Region, row.Module, row.BuildID = fmt.Sprintf("%s+%#x", filepath.Base(m.path), at), m.path, m.buildID
	}
	if f, ok := r.modules.region(address); ok {
		row.Function, row.File, row.Line = f.Function, f.File, f.Line
	}
	return row
}

// write writes a small file into the folder of the trace.
func (r *Run) write(name, text string) error {
	f, err := outfile.Replace(filepath.Join(r.keep.Out, name))
	if err != nil {
		return err
	}
	f.Note(r.keep.Ledger)
	f.Keep()
	_, err = io.WriteString(f, text)
	return errors.Join(err, f.Close())
}

// Trace runs the program and writes the trace. It passes on signals of this program, and the end of the context sends the program a SIGTERM.
func (r *Run) Trace(ctx context.Context, keep Keep) (Result, error) {
	r.keep, r.options.Seal = keep, keep.Seals
	result := Result{Out: keep.Out}
	keep.Expect()
	if err := r.write(ConfigFile, r.text); err != nil {
		return result, err
	}
	var missing []string
	started := func(s *collect.Session) func() {
		keep.Begin()
		ended := r.live.serve(s)
		return func() {
			missing = r.live.missing(s)
			ended()
		}
	}
	program := collect.Program{
		Args: r.program.args, Library: r.library, Dir: filepath.Join(keep.Out, "ctf"), Host: r.host,
		In: r.around.In, Out: r.around.Out, Err: r.around.Log, Limit: r.Limit, Flush: r.Flush, Others: r.ranks != nil, Alone: r.Alone,
		Started: started, Signalled: r.live.signalled, Script: r.script, Module: r.live.met, Launched: r.modules.launched,
	}
	var kept *overhead
	if r.Overhead > 0 {
		var err error
		if kept, err = r.live.newOverhead(r.Overhead, !r.NoGaps); err != nil {
			return result, err
		}
		program.Spent, program.Window = kept.spent, overheadWindow
		if !r.NoGaps {
			program.Gap, program.GapEvery = OverheadGap, overheadGapIn
		}
	}
	code, c, err := collect.Run(ctx, r.options, program)
	result.Code = code
	if kept != nil {
		var unwritten error
		result.Overhead, unwritten = kept.end()
		err = cmp.Or(err, unwritten)
	}
	if c != nil {
		if result.Counts = &c.Counts; c.Counts.Threads == 0 && !c.CUDA.Elsewhere || r.program.ownTool() || r.program.mpi != "" && r.program.deaf() {
			result.Why = r.program.why()
		}
	}
	if err != nil {
		return result, err
	}
	result.Losses = r.losses(c.Losses)
	r.cuda(c.CUDA)
	r.python(c.Python)
	if c.Counts.Threads > 0 {
		r.unmet(r.live.model, c.Unmet)
	}
	if len(missing) > 0 {
		r.warn("the OpenMP runtime of this program does not offer %s, which the configuration enables", strings.Join(missing, ", "))
	}
	if err := r.writeRegions(c.Regions(), c.Functions()); err != nil {
		return result, err
	}
	result.Monitored = r.monitored(c.Monitored)
	if err := r.writeMonitored(result.Monitored); err != nil {
		return result, err
	}
	return result, nil
}

// losses names the regions in which threads began to lose events.
func (r *Run) losses(list []collect.Loss) []Loss {
	var named []Loss
	for _, l := range list {
		where := pinsight.Where(r.modules.region(l.Address))
		if l.Region != "" {
			where = "in `" + l.Region + "`"
		}
		named = append(named, Loss{l.PID, l.Thread, l.Devices, l.Events, where})
	}
	return named
}

// script starts a script in the same way as an installed PInsight: with the folder of the trace, the process and the configuration, and without the
// tracer in it. By then, the events recorded so far are in the trace.
func (r *Run) script(script string, pid int) error {
	cmd := exec.Command("/bin/bash", script, r.keep.Out, strconv.Itoa(pid), r.Config)
	cmd.Env = append(os.Environ(), fmt.Sprintf("%s=%d", traceVariable, os.Getpid()))
	cmd.Stdout, cmd.Stderr = r.around.Log, r.around.Log
	if err := cmd.Start(); err != nil {
		r.warn("the script `%s` at the end of a window cannot be started: there is no /bin/bash", script)
		return err
	}
	go func() {
		if failed := (*exec.ExitError)(nil); errors.As(cmd.Wait(), &failed) {
			r.warn("the script `%s` at the end of a window failed: %s", script, failed)
		}
	}()
	return nil
}

// missing returns the events that the configuration enables and the OpenMP runtime of the program does not report. A runtime that was not started
// reports no events, and misses none.
func (l *liveTrace) missing(s *collect.Session) (names []string) {
	l.mu.Lock()
	defer l.mu.Unlock()
	d, ok := l.model.Catalog.Domain("OpenMP")
	if !ok {
		return nil
	}
	events := l.model.Catalog.Domains()[d].Events
	if !slices.ContainsFunc(events, func(e trace.Event) bool { return s.Offered(uint8(e.ID)) }) {
		return nil
	}
	for m := range l.model.Mentions() {
		i := slices.IndexFunc(events, func(e trace.Event) bool { return e.Name == m.Event })
		if name := "`" + m.Event + "`"; m.On && m.Domain == "OpenMP" && i >= 0 && !s.Offered(uint8(events[i].ID)) && !slices.Contains(names, name) {
			names = append(names, name)
		}
	}
	return names
}

// Offer is an OpenMP event, and whether the runtime of a program reports it.
type Offer struct {
	Event   string
	Offered bool
}

// Offers runs the program only to find out which events its OpenMP runtime reports.
func (r *Run) Offers(ctx context.Context) ([]Offer, error) {
	dir, err := os.MkdirTemp("", "pentode-trace-")
	if err != nil {
		return nil, err
	}
	defer os.RemoveAll(dir)
	catalog := r.options.Policy.Catalog()
	d, _ := catalog.Domain("OpenMP")
	var list []Offer
	_, collector, err := collect.Run(ctx, r.options, collect.Program{
		Args: r.program.args, Library: r.library, Dir: dir, Out: io.Discard, Err: r.around.Log,
		Started: func(s *collect.Session) func() {
			return func() {
				for _, e := range catalog.Domains()[d].Events {
					list = append(list, Offer{e.Name, s.Offered(uint8(e.ID))})
				}
			}
		},
	})
	if err != nil {
		return nil, err
	}
	if collector.Counts.Threads == 0 && r.program.omp != llvmOpenMP {
		return nil, errors.New(r.program.why())
	}
	return list, nil
}
