package cli

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/pentode-dev/pentode/core/load"
	"github.com/pentode-dev/pentode/core/outfile"
	"github.com/pentode-dev/pentode/core/source"
	"github.com/pentode-dev/pentode/core/visible"
	"github.com/pentode-dev/pentode/lang"
	"github.com/pentode-dev/pentode/lang/pinsight"
	"github.com/pentode-dev/pentode/run/trace"
	"github.com/pentode-dev/pentode/run/trace/collect"
)

// traceRun is `trace run`: its flags, and what it finds out about the program.
type traceRun struct {
	app         *app
	out, config string
	limit       time.Duration
	audit       bool
	perfetto    bool
	list        bool
	ring        int
	full        string
	cc          string

	program *tracedProgram
	text    string // of the configuration
}

func (a *app) traceRunVerb() *cobra.Command {
	r := &traceRun{app: a}
	cmd := &cobra.Command{
		Use:   "run [--out DIR] [--config FILE] -- PROGRAM ARG...",
		Short: "Run a program and trace what its configuration names",
		Long: "Runs a program and traces its OpenMP and MPI events and its own regions, as the trace configuration says: that of\n" +
			"--config, else of PINSIGHT_TRACE_CONFIG_FILE, else pinsight_trace_config.txt in this folder, else every default.\n" +
			"The folder of --out holds the trace in the Common Trace Format and the configuration that was in force.",
		Example: examples("pentode trace run -- ./solver input.dat", "pentode trace run --out traced --config trace_config.txt -- mpirun -np 4 ./solver"),
		RunE:    func(_ *cobra.Command, args []string) error { return r.run(args) },
	}
	f := cmd.Flags()
	f.StringVar(&r.out, "out", "", "the `DIR` of the trace, which must not exist yet (default: the program's name and the time)")
	f.StringVar(&r.config, "config", "", "the trace configuration, a `FILE`")
	f.DurationVar(&r.limit, "for", 0, "trace for a `DURATION`; the program goes on untraced")
	f.BoolVar(&r.audit, "audit", false, "record every event with its decision")
	f.BoolVar(&r.perfetto, "perfetto", false, "also write trace.json, which Perfetto and chrome://tracing show")
	f.BoolVar(&r.list, "list-events", false, "print which OpenMP events the program's runtime offers, and write no trace")
	f.IntVar(&r.ring, "ring", 4<<20, "the `BYTES` of each thread's buffer, a power of two")
	f.StringVar(&r.full, "full", "drop", "when a buffer is full: `drop|wait`")
	f.StringVar(&r.cc, "cc", "", "the C `COMPILER` that builds the tracer (default: cc, or the one of the program's MPI)")
	return a.reads(cmd, "pinsight")
}

func (r *traceRun) run(args []string) error {
	if len(args) == 0 {
		return errors.New("give the program after --, for instance `pentode trace run -- ./solver`")
	}
	if r.full != "drop" && r.full != "wait" {
		return fmt.Errorf("--full takes drop or wait, not `%s`", r.full)
	}
	program, err := findTraced(args)
	if err != nil {
		return err
	}
	defer program.close()
	r.program = program
	ranks, err := joinJob()
	if err != nil {
		return err
	}
	if ranks != nil {
		defer ranks.close()
		if !ranks.first() {
			return ranks.follow(r)
		}
	}
	library, err := program.library(r.cc)
	if err != nil {
		return err
	}
	model, err := r.configuration()
	if err != nil {
		return err
	}
	policy, err := model.Policy()
	if err != nil {
		return err
	}
	options, err := r.session(policy, model.Knobs())
	if err != nil {
		return err
	}
	live := &liveTrace{run: r, model: model, policy: policy, ranks: ranks}
	if r.list {
		return r.listEvents(options, library, policy.Catalog())
	}
	if r.out == "" {
		r.out = filepath.Base(program.path) + "-" + time.Now().Format("20060102-150405")
	}
	host, err := os.Hostname()
	if err != nil {
		host = "localhost"
	}
	if ranks != nil {
		r.out = filepath.Join(r.out, host) // other nodes write beside it
	}
	if _, err := os.Stat(r.out); err == nil {
		return fmt.Errorf("`%s` exists already; name another folder with --out", r.out)
	}
	return r.trace(options, library, host, live)
}

// configuration reads the file that says what is traced.
func (r *traceRun) configuration() (*pinsight.Model, error) {
	if r.config == "" {
		r.config = os.Getenv("PINSIGHT_TRACE_CONFIG_FILE")
	}
	if _, err := os.Stat(defaultConfig); r.config == "" && err == nil {
		r.config = defaultConfig
	}
	config, err := r.resolve(r.config)
	if err != nil {
		return nil, err
	}
	if found := config.Diagnostics(); found.HasErrors() {
		r.app.say(found)
		return nil, exitCode(exitNo)
	}
	r.text = config.Document.File.Text()
	return modelOf(config)
}

const defaultConfig = "pinsight_trace_config.txt"

// resolve reads a configuration; without a path, an empty one.
func (r *traceRun) resolve(path string) (*lang.Config, error) {
	r.app.files.lang = "pinsight"
	w, err := r.app.workspace()
	if err != nil {
		return nil, err
	}
	file := source.NewFile("(no configuration)", "")
	if path != "" {
		if file, err = source.OpenNamed(w.Env.Opener, path); err != nil {
			return nil, errors.New(explainOpen(path, err))
		}
	}
	d, err := w.Document(file)
	if err != nil {
		return nil, errors.New(explainOpen(path, err))
	}
	return d.Resolve(w.Env), nil
}

func modelOf(c *lang.Config) (*pinsight.Model, error) {
	m, ok := lang.Model[*pinsight.Model](c)
	if !ok {
		return nil, fmt.Errorf("`%s` is not a trace configuration", c.Document.File.Path())
	}
	return m, nil
}

// session is how the collector works with a policy.
func (r *traceRun) session(policy *trace.Policy, knobs []trace.Knob) (collect.Options, error) {
	kind := func(domain, kind string) uint32 {
		d, _ := policy.Catalog().Domain(domain)
		if k, ok := policy.Catalog().Kind(d, kind); ok {
			return uint32(k)
		}
		return collect.NoKind
	}
	table, err := r.table(policy, knobs)
	return collect.Options{
		Policy: policy, Table: table, RingBytes: r.ring, Wait: r.full == "wait", Audit: r.audit, Upstream: r.app.files.as == load.Upstream.String(),
		Team: kind("OpenMP", "team"), Thread: kind("OpenMP", "thread"), Rank: kind("MPI", "rank"),
	}, err
}

// table is a policy as agents decide with it.
func (r *traceRun) table(policy *trace.Policy, knobs []trace.Knob) ([]byte, error) {
	f := trace.Flat{Functions: r.program.functions, Knobs: knobs}
	if r.app.files.as == load.Upstream.String() {
		f.Functions = nil // there a name is that of an MPI call
	}
	for i, name := range []string{"OpenMP", "MPI", "User"} {
		f.Domains[i] = trace.NoDomain
		if d, ok := policy.Catalog().Domain(name); ok {
			f.Domains[i] = d
		}
	}
	return f.Table(policy)
}

// summary says what was collected, on standard error.
func (r *traceRun) summary(c *collect.Counts) {
	fmt.Fprintf(r.app.err, "`%s`: %d events of %d threads", r.out, c.Events, c.Threads)
	for _, loss := range []struct {
		count uint64
		what  string
	}{
		{c.Dropped, "lost to full buffers; a larger --ring or --full wait keeps them"},
		{c.Unwritten, "lost to a full disk"},
		{c.Damaged, "buffers damaged"},
		{c.Refused, "threads not traced for want of memory"},
	} {
		if loss.count > 0 {
			fmt.Fprintf(r.app.err, ", %d %s", loss.count, loss.what)
		}
	}
	fmt.Fprintln(r.app.err)
	if c.Threads == 0 {
		fmt.Fprintln(r.app.err, r.program.why())
	}
}

// region is a row of regions.json.
type region struct {
	Address  string `json:"address"`
	Function string `json:"function,omitempty"`
	File     string `json:"file,omitempty"`
	Line     int    `json:"line,omitempty"`
}

// writeRegions says where in the program the addresses of the trace are.
func (r *traceRun) writeRegions(addresses []uint64) error {
	list := make([]region, 0, len(addresses))
	for _, a := range addresses {
		row := region{Address: "0x" + strconv.FormatUint(a, 16)}
		if r.program.debug != nil {
			if f, ok := r.program.debug.Region(a); ok {
				row.Function, row.File, row.Line = f.Function, f.File, f.Line
			}
		}
		list = append(list, row)
	}
	text, err := json.MarshalIndent(map[string]any{"version": 1, "program": r.program.path, "regions": list}, "", "  ")
	if err != nil {
		return err
	}
	return r.write("regions.json", string(text)+"\n")
}

// write writes a small file into the folder of the trace.
func (r *traceRun) write(name, text string) error {
	f, err := outfile.Replace(filepath.Join(r.out, name))
	if err != nil {
		return err
	}
	f.Keep()
	_, err = io.WriteString(f, text)
	return errors.Join(err, f.Close())
}

// functions finds the code of a function, or of `file:line`.
func (p *tracedProgram) functions(name, file string) []trace.Code {
	if p.debug == nil {
		return nil
	}
	var list []trace.Code
	if line, err := strconv.Atoi(name); err == nil && file != "" {
		return p.line(file, line)
	}
	if at := strings.LastIndexByte(name, ':'); at > 0 {
		if line, err := strconv.Atoi(name[at+1:]); err == nil {
			return p.line(name[:at], line)
		}
	}
	ranges, _ := p.debug.Function(name)
	for _, r := range ranges {
		if f, ok := p.debug.Lookup(r.Low); file == "" || !ok || strings.HasPrefix(filepath.Base(f.File), file) {
			list = append(list, trace.Code(r))
		}
	}
	return list
}

// line is the code of a source line, piece by piece.
func (p *tracedProgram) line(file string, line int) []trace.Code {
	begins, err := p.debug.Line(file, line)
	if err != nil {
		return nil
	}
	var list []trace.Code
	for _, low := range begins {
		high := low
		for f, ok := p.debug.Lookup(high); ok && f.Line == line && high-low < maxLineCode; f, ok = p.debug.Lookup(high) {
			high++
		}
		list = append(list, trace.Code{Low: low, High: high})
	}
	return list
}

// maxLineCode bounds the search for the end of a line's code.
const maxLineCode = 64 << 10

// trace runs the program and writes the trace.
func (r *traceRun) trace(o collect.Options, library, host string, live *liveTrace) error {
	if err := os.MkdirAll(r.out, 0o777); err != nil {
		return err
	}
	if err := r.write("trace_config.txt", r.text); err != nil {
		return err
	}
	out := visible.Below(r.app.out)
	if f, _ := terminal(out); f != nil {
		out = f // the program writes there itself, also when this one is killed
	}
	code, c, err := collect.Run(o, collect.Program{
		Args: r.program.args, Library: library, Dir: filepath.Join(r.out, "ctf"), Host: host,
		In: r.app.in, Out: out, Err: visible.Below(r.app.err), Limit: r.limit, Others: live.ranks != nil,
		Started: live.serve, Signalled: live.signalled, Script: r.script,
	})
	if c != nil {
		r.summary(&c.Counts)
	}
	if err != nil {
		return err
	}
	if err := r.writeRegions(c.Regions()); err != nil {
		return err
	}
	if r.perfetto {
		if err := r.writePerfetto(); err != nil {
			return err
		}
	}
	if code != 0 {
		return exitCode(code)
	}
	return nil
}

// writePerfetto writes the trace a second time, for viewers of that format.
func (r *traceRun) writePerfetto() error {
	f, err := outfile.Replace(filepath.Join(r.out, "trace.json"))
	if err != nil {
		return err
	}
	err = collect.Perfetto(f, filepath.Join(r.out, "ctf"), func(address uint64) string {
		if r.program.debug == nil {
			return ""
		}
		return pinsight.Where(r.program.debug.Region(address))
	})
	if err != nil {
		return errors.Join(err, f.Discard())
	}
	return f.Close()
}

// script starts a script as an installed PInsight does: with the folder of the
// trace, the process and the configuration, and without the tracer in it.
func (r *traceRun) script(script string, pid int) error {
	cmd := exec.Command("/bin/bash", script, r.out, strconv.Itoa(pid), r.config)
	cmd.Stderr = visible.Below(r.app.err)
	cmd.Stdout = cmd.Stderr
	if err := cmd.Start(); err != nil {
		return err
	}
	go func() { _ = cmd.Wait() }() // nothing depends on how it ends
	return nil
}

// listEvents runs the program only to hear what its OpenMP runtime offers.
func (r *traceRun) listEvents(o collect.Options, library string, c *trace.Catalog) error {
	dir, err := os.MkdirTemp("", "pentode-trace-")
	if err != nil {
		return err
	}
	defer os.RemoveAll(dir)
	d, _ := c.Domain("OpenMP")
	var rows [][]string
	_, collector, err := collect.Run(o, collect.Program{
		Args: r.program.args, Library: library, Dir: dir, Out: io.Discard, Err: visible.Below(r.app.err),
		Started: func(s *collect.Session) func() {
			return func() {
				for _, e := range c.Domains()[d].Events {
					offered := "not offered"
					if s.Offered(uint8(e.ID)) {
						offered = "offered"
					}
					rows = append(rows, []string{e.Name, offered})
				}
			}
		},
	})
	if err != nil {
		return err
	}
	if collector.Counts.Threads == 0 && r.program.omp != llvmOpenMP {
		return errors.New(r.program.why())
	}
	r.app.columns(rows)
	return nil
}
