package traced

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"math"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"time"

	"github.com/pentode-dev/pentode/lang/pinsight"
	"github.com/pentode-dev/pentode/run/trace"
	"github.com/pentode-dev/pentode/run/trace/agent"
	"github.com/pentode-dev/pentode/run/trace/collect"
	"github.com/pentode-dev/pentode/run/trace/forecast"
	"github.com/pentode-dev/pentode/suite"
)

// calibrator measures the cost of an event with the OpenMP runtime of a program.
type calibrator struct {
	dir     string
	program string
	library string
	args    []string
}

// The number of runs in each mode, and the number of rounds in each pass. Everything together takes seconds.
const (
	calibrationTurns  = 3
	calibrationRounds = 5000
)

// Calibrate measures the cost of an event on this machine: with the OpenMP runtime of the program in args, or, if args is empty, with regions of its
// own. It stores the result, and returns it with its file.
func Calibrate(ctx context.Context, args []string, compiler string) (*forecast.Calibration, string, error) {
	result := forecast.Here()
	c := &calibrator{args: []string{strconv.Itoa(calibrationRounds)}}
	if len(args) > 0 {
		p, err := findTraced(args)
		if err != nil {
			return nil, "", err
		}
		defer p.close()
		for _, path := range suite.Linked(p.path) {
			if p.omp == llvmOpenMP && suite.LLVMOpenMP(filepath.Base(path)) {
				c.args = append(c.args, path)
				result.Runtime = filepath.Base(path)
				break
			}
		}
	}
	var err error
	if c.library, err = (&tracedProgram{}).library(ctx, compiler, nil); err != nil { // the measuring program has no MPI
		return nil, "", err
	}
	if c.dir, err = os.MkdirTemp("", "pentode-calibrate-"); err != nil {
		return nil, "", err
	}
	defer os.RemoveAll(c.dir)
	if err := c.compile(ctx, compiler); err != nil {
		return nil, "", err
	}
	if result.Cost, err = c.measure(ctx); err != nil {
		return nil, "", err
	}
	result.At = time.Now().UTC().Truncate(time.Second)
	folder, err := agentFolder()
	if err != nil {
		return nil, "", err
	}
	path, err := result.Save(folder)
	return &result, path, err
}

// Calibrated returns the cost of events on this machine, as far as it was measured.
func Calibrated() forecast.Cost {
	folder, err := agentFolder()
	if err != nil {
		return forecast.Typical()
	}
	return forecast.Calibrated(folder)
}

// compile builds the measuring program.
func (c *calibrator) compile(ctx context.Context, cc string) error {
	if cc == "" {
		cc = "cc"
	}
	source := filepath.Join(c.dir, "calibrate.c")
	for path, text := range map[string][]byte{source: forecast.Calibrator, filepath.Join(c.dir, agent.HeaderName): agent.Header} {
		if err := os.WriteFile(path, text, 0o600); err != nil {
			return err
		}
	}
	c.program = filepath.Join(c.dir, "calibrate")
	if out, err := exec.CommandContext(ctx, cc, "-O2", "-I", c.dir, source, "-o", c.program, "-ldl").CombinedOutput(); err != nil {
		return fmt.Errorf("the compiler `%s` cannot build the measuring program:\n%s", cc, strings.TrimSpace(string(out)))
	}
	return nil
}

// measure runs the program in all modes in turn, because the speed of a machine varies, and uses the best run of each mode.
func (c *calibrator) measure(ctx context.Context) (forecast.Cost, error) {
	off := map[string]trace.DomainLayer{"OpenMP": {Mode: trace.Off}, "User": {Mode: trace.Off}}
	on := map[string]trace.DomainLayer{"OpenMP": {Events: trace.Events{"omp_mutex_acquire": {On: true}, "omp_mutex_acquired": {On: true}, "omp_mutex_released": {On: true}}}}
	seldom := trace.RegionLayer{Rate: trace.RateLayer{Every: trace.Number{Value: math.MaxInt32, Set: true}}}
	ways := []*trace.Config{{Domains: on}, {Domains: on, Default: seldom}, {Domains: off}}
	least := []float64{math.Inf(1), math.Inf(1), math.Inf(1)}
	plain := math.Inf(1)
	for turn := range calibrationTurns {
		ns, err := c.untraced(ctx)
		if err != nil {
			return forecast.Cost{}, err
		}
		plain = min(plain, ns)
		for i, way := range ways {
			var events uint64
			if ns, events, err = c.traced(ctx, way, filepath.Join(c.dir, fmt.Sprintf("trace-%d-%d", turn, i))); err != nil {
				return forecast.Cost{}, err
			}
			if i == 0 && events < calibrationRounds { // the events were not recorded, so the cost would be zero
				return forecast.Cost{}, fmt.Errorf("`%s` does not report its locks to the tracer, so the cost of its events cannot be measured; measure without a program instead", filepath.Base(c.args[len(c.args)-1]))
			}
			least[i] = min(least[i], ns)
		}
	}
	over := func(i int) float64 { return max(0, least[i]-plain) }
	return forecast.Cost{Recorded: over(0), Against: over(1), Off: over(2), Measured: true}, nil
}

func (c *calibrator) untraced(ctx context.Context) (float64, error) {
	out, err := exec.CommandContext(ctx, c.program, c.args...).Output()
	if err != nil {
		return 0, errors.New("the measuring program does not run on this machine")
	}
	return strconv.ParseFloat(strings.TrimSpace(string(out)), 64)
}

// traced returns the cost of an event with this configuration, and how many events were recorded.
func (c *calibrator) traced(ctx context.Context, config *trace.Config, dir string) (ns float64, events uint64, err error) {
	catalog := pinsight.Builtin().Catalog
	p, err := trace.Compile(catalog, config)
	if err != nil {
		return 0, 0, err
	}
	table, err := (&trace.Flat{Domains: trace.AgentDomains(catalog)}).Table(p)
	if err != nil {
		return 0, 0, err
	}
	none := uint32(collect.NoKind)
	var out bytes.Buffer
	code, collected, err := collect.Run(ctx, collect.Options{
		Policy: p, Table: table, RingBytes: 4 << 20, Wait: true, Team: none, Thread: none, Rank: none, Device: none, PythonThread: none,
	}, collect.Program{Args: append([]string{c.program}, c.args...), Library: c.library, Dir: dir, Out: &out, Err: io.Discard})
	if err != nil {
		return 0, 0, err
	}
	if code != 0 {
		return 0, 0, errors.New("the measuring program does not run on this machine")
	}
	ns, err = strconv.ParseFloat(strings.TrimSpace(out.String()), 64)
	return ns, uint64(collected.Counts.Events), err
}
