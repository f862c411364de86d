package traced

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/pentode-dev/pentode/core/diag"
	"github.com/pentode-dev/pentode/lang/pinsight"
	"github.com/pentode-dev/pentode/run/control"
	"github.com/pentode-dev/pentode/run/trace"
	"github.com/pentode-dev/pentode/run/trace/collect"
)

const reloadMethod = "reload"

// A Reload asks a traced program to read a configuration over the active one. The answer is the list of changes.
type Reload struct {
	File    string `json:"file"` // empty: the run's own file
	DryRun  bool   `json:"dryRun"`
	Replace bool   `json:"replace"`
}

// traceSockets returns the folder with one socket for each `trace record`, named by its process ID.
func traceSockets() (string, error) {
	dir, err := control.RuntimeDir(os.Getenv)
	return filepath.Join(dir, "trace"), err
}

const (
	socketEnding  = ".sock"
	traceVariable = "PENTODE_TRACE_RUN" // tells a script of a run which run it belongs to
)

// Send sends the request to the process with this ID that traces a program. If pid is 0, it is the run to which this script belongs, or else the
// newest. It returns what changes. After an error nothing has changed.
func (r Reload) Send(ctx context.Context, pid int) (changes []string, err error) {
	err = askTracing(ctx, pid, reloadMethod, r, &changes)
	return changes, err
}

// NotTracing is the error for a process that does not trace a program; PID 0 means that no process does.
type NotTracing struct{ PID int }

func (e NotTracing) Error() string {
	if e.PID == 0 {
		return "no program is being traced; `pentode trace record` starts one"
	}
	return fmt.Sprintf("no program is being traced by the process %d; `pentode trace record` starts one", e.PID)
}

// askTracing calls a method of the process that traces a program.
func askTracing(ctx context.Context, pid int, method string, params, result any) error {
	socket, err := traceSocket(pid)
	if err != nil {
		return err
	}
	err = control.Call(ctx, socket, method, params, result)
	if errors.Is(err, control.ErrNoServer) {
		pid, _ = strconv.Atoi(strings.TrimSuffix(filepath.Base(socket), socketEnding)) // the socket is named after the process ID
		return NotTracing{pid}
	}
	return err
}

// traceSocket returns the socket of the process that traces a program.
func traceSocket(pid int) (string, error) {
	dir, err := traceSockets()
	if err != nil {
		return "", err
	}
	if own, err := strconv.Atoi(os.Getenv(traceVariable)); pid == 0 && err == nil {
		pid = own
	}
	if pid != 0 {
		return filepath.Join(dir, strconv.Itoa(pid)+socketEnding), nil
	}
	all, err := allTraceSockets()
	if err == nil && len(all) == 0 {
		err = NotTracing{}
	}
	if err != nil {
		return "", err
	}
	return all[len(all)-1], nil
}

// allTraceSockets returns the sockets of all processes that trace a program, the newest last.
func allTraceSockets() ([]string, error) {
	dir, err := traceSockets()
	if err != nil {
		return nil, err
	}
	entries, err := os.ReadDir(dir)
	if err != nil && !errors.Is(err, os.ErrNotExist) {
		return nil, err
	}
	var list []string
	made := map[string]time.Time{}
	for _, e := range entries {
		info, err := e.Info()
		if err != nil || !strings.HasSuffix(e.Name(), socketEnding) {
			continue // it has just ended
		}
		path := filepath.Join(dir, e.Name())
		list, made[path] = append(list, path), info.ModTime()
	}
	slices.SortStableFunc(list, func(a, b string) int { return made[a].Compare(made[b]) })
	return list, nil
}

// liveTrace is the configuration of a program that is being traced.
type liveTrace struct {
	run *Run

	mu     sync.Mutex
	model  *pinsight.Model // including earlier configurations
	policy *trace.Policy
	rates  map[string]uint64 // the rates of sections that keep a budget, which override the configuration
	within *overhead         // the budget; nil: there is none
}

// begin sets the configuration with which the run starts.
func (l *liveTrace) begin(m *pinsight.Model) (err error) {
	l.model = m
	l.policy, err = m.Policy()
	return err
}

// over puts a configuration over the active one, and returns what changes.
func (l *liveTrace) over(m *pinsight.Model) ([]trace.Change, error) {
	how := trace.Merge
	if l.run.upstream() { // the upstream dialect merges while it reads
		how = trace.Replace
	}
	return l.change(m.Over(l.model), how)
}

// change activates a configuration. After an error nothing has changed.
func (l *liveTrace) change(m *pinsight.Model, how trace.How) ([]trace.Change, error) {
	next := trace.NewEngine(l.policy)
	changes, err := next.Reload(m.Layers(), how)
	if err != nil {
		return nil, err
	}
	changes = append(changes, trace.KnobChanges(l.model.Knobs(), m.Knobs())...)
	l.model, l.policy = m, next.Policy()
	return changes, nil
}

// serve answers `control policy` until the program has ended.
func (l *liveTrace) serve(s *collect.Session) (ended func()) {
	none := func() {}
	if l.run.ranks != nil {
		if err := l.run.ranks.announce(s); err != nil {
			l.run.warn("the other ranks of this node are not traced: %s", err)
		}
	}
	dir, err := traceSockets()
	if err == nil {
		err = control.Private(dir)
	}
	if err != nil {
		l.run.warn("`control policy` will not find this run: %s", err)
		return none
	}
	server, err := control.Listen(filepath.Join(dir, strconv.Itoa(os.Getpid())+socketEnding), control.Methods{
		reloadMethod: control.Answer(func(_ context.Context, ask Reload) ([]string, error) { return l.reload(s, ask) }),
		statusMethod: control.Answer(func(ctx context.Context, _ struct{}) (Live, error) {
			list, err := s.Monitored(ctx)
			return l.run.traced(list), err
		}),
	})
	if err != nil {
		l.run.warn("`control policy` will not find this run: %s", err)
		return none
	}
	return server.Close
}

// signalled reads the run's own file again.
func (l *liveTrace) signalled(s *collect.Session) {
	if _, err := l.reload(s, Reload{}); err != nil {
		l.run.warn("%s", err)
	}
}

// reload reads a configuration over the active one and returns what changes. After an error nothing has changed.
func (l *liveTrace) reload(s *collect.Session, ask Reload) ([]string, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	path := ask.File
	if path == "" {
		path = l.run.Config
	}
	if path == "" {
		return nil, errors.New("the run has no configuration file to read again; name one")
	}
	model, err := l.run.reread(path)
	if err != nil {
		return nil, err
	}
	next := liveTrace{run: l.run, model: l.model, policy: l.policy}
	var changes []trace.Change
	if ask.Replace {
		changes, err = next.change(model, trace.Replace)
	} else {
		changes, err = next.over(model)
	}
	if err != nil {
		return nil, err
	}
	list := make([]string, len(changes))
	for i, c := range changes {
		list[i] = c.String()
	}
	if ask.DryRun {
		return list, nil
	}
	policy, table, err := next.inForce()
	if err != nil {
		return nil, err
	}
	if err := s.Publish(policy, table); err != nil {
		return nil, err
	}
	if l.model, l.policy = next.model, next.policy; len(l.rates) > 0 {
		l.rates = nil // the sections may have changed
		l.within.say("the configuration was read again, and its rates apply")
	}
	return list, nil
}

// met reads the names in a module in which a region was met, and notes in the session's table which sections match code in it. A module that cannot
// be read has no names.
func (l *liveTrace) met(s *collect.Session, number int, path, buildID string) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.run.modules.add(number, path, buildID)
	err := l.resolve()
	if err == nil {
		var policy *trace.Policy
		var table []byte
		if policy, table, err = l.inForce(); err == nil {
			err = s.Amend(policy, table)
		}
	}
	if err != nil {
		l.run.warn("sections by name have no effect in `%s`: %s", path, err)
	}
}

// resolve reads all configurations once more, with the modules that are known by now. An address and a line of source may have turned out to be the
// same region; its sections apply in the order in which they are written.
func (l *liveTrace) resolve() error {
	if l.run.upstream() {
		return nil // in the upstream dialect, a name is the name of an MPI call
	}
	next := liveTrace{run: l.run}
	for i, m := range l.model.Loaded(l.run.modules.code) {
		var err error
		if i == 0 {
			err = next.begin(m)
		} else {
			_, err = next.over(m)
		}
		if err != nil {
			return err
		}
	}
	l.model, l.policy = next.model, next.policy
	return nil
}

// reread reads a configuration for a live program, with the modules that it has loaded. It returns the first error of the configuration.
func (r *Run) reread(path string) (*pinsight.Model, error) {
	config, err := r.resolve(path)
	if err != nil {
		return nil, err
	}
	for _, d := range config.Diagnostics() {
		if d.Severity == diag.Error {
			return nil, fmt.Errorf("`%s` has errors, so the configuration has not changed: %s: %s", path, d.Span, d.Message)
		}
	}
	model, err := modelOf(config)
	if err == nil && !r.upstream() {
		model = model.Loaded(r.modules.code)[0]
	}
	return model, err
}
