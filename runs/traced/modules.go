package traced

import (
	"fmt"
	"path/filepath"
	"strings"
	"sync"

	"github.com/pentode-dev/pentode/core/debuginfo"
	"github.com/pentode-dev/pentode/lang/pinsight"
	"github.com/pentode-dev/pentode/run/trace"
	"github.com/pentode-dev/pentode/run/trace/agent"
	"github.com/pentode-dev/pentode/run/trace/collect"
)

// modules are the programs and libraries in which regions are met, by their numbers in the trace.
type modules struct {
	mu    sync.Mutex
	list  map[int]*module
	sites map[uint64]debuginfo.Frame // kernel launches that compilers have inlined into other functions
}

type module struct {
	path    string // the path in the traced processes
	shown   string // as the user wrote it
	buildID string
	names   *debuginfo.File // nil if they cannot be read
	own     bool            // names must be closed with the modules
}

// expect sets the program that was found among the arguments. If none was found, the first module that meets a region is used.
func (l *modules) expect(p *tracedProgram) {
	l.list, l.sites = map[int]*module{}, map[uint64]debuginfo.Frame{}
	if !p.found || p.debug == nil {
		return
	}
	path, err := filepath.Abs(p.path)
	if err == nil {
		path, err = filepath.EvalSymlinks(path)
	}
	if err == nil {
		l.list[0] = &module{path: path, shown: p.path, buildID: p.debug.BuildID(), names: p.debug}
	}
}

// add adds a module that a process has met.
func (l *modules) add(number int, path, buildID string) {
	m := &module{path: path, shown: path, buildID: buildID, own: true}
	if f, err := debuginfo.Open(path, debuginfo.Options{}); err == nil {
		if id := f.BuildID(); id == buildID { // otherwise it was rebuilt
			m.names = f
		} else {
			f.Close()
		}
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	l.list[number] = m
}

// path returns the path of a module, or an empty path.
func (l *modules) path(number int) string {
	l.mu.Lock()
	defer l.mu.Unlock()
	if m := l.list[number]; m != nil {
		return m.path
	}
	return ""
}

// code returns the code of all modules that a section matches.
func (l *modules) code(match trace.Match) []trace.Code {
	l.mu.Lock()
	defer l.mu.Unlock()
	var all []trace.Code
	for number, m := range l.list {
		for _, c := range pinsight.Code(m.names, match) {
			all = append(all, trace.Code{Low: collect.InModule(number, c.Low), High: collect.InModule(number, c.High)})
		}
	}
	return all
}

// of returns the module of an address in the trace, and the address in its file.
func (l *modules) of(address uint64) (*module, uint64) {
	l.mu.Lock()
	defer l.mu.Unlock()
	number, at := collect.Module(address)
	return l.list[number], at
}

// region returns the function at an address of the trace. For an inlined function of the header it returns the function that calls it.
func (l *modules) region(address uint64) (debuginfo.Frame, bool) {
	m, at := l.of(address)
	if m == nil || m.names == nil || address == 0 {
		return debuginfo.Frame{}, false
	}
	if site, ok := l.site(address); ok {
		return site, true
	}
	frame, ok := m.names.Region(at)
	if filepath.Base(frame.File) == agent.HeaderName {
		if name, found := m.names.Around(at - 1); found && name != frame.Function {
			return debuginfo.Frame{Function: name}, true
		}
	}
	return frame, ok
}

// site returns the caller of a launch that was inlined.
func (l *modules) site(address uint64) (debuginfo.Frame, bool) {
	l.mu.Lock()
	defer l.mu.Unlock()
	site, ok := l.sites[address]
	return site, ok
}

// launched returns the address on a stack that launched a kernel: the first address that is neither in the
// CUDA runtime, which may be linked into the program, nor in code that compilers put before a launch: a
// function with the symbol of the kernel, and others. Compilers may have inlined all of this into the
// function that launches.
func (l *modules) launched(stack []uint64, symbol string) uint64 {
	between := func(f debuginfo.Frame) bool {
		return f.Function == "" || collect.Named(f.Linkage, symbol) || collect.Named(f.Function, symbol) || launches(f.Function)
	}
	for _, a := range stack {
		f, ok := l.region(a)
		switch {
		case !ok:
			continue
		case !between(f):
			return a
		}
		m, at := l.of(a)
		if site, ok := m.names.Caller(at-1, between); ok {
			l.mu.Lock()
			l.sites[a] = site
			l.mu.Unlock()
			return a
		}
	}
	return stack[len(stack)-1] // without debug information, inlined code cannot be recognised
}

// launches reports whether a function is called between a launch and the CUDA driver.
func launches(function string) bool {
	return strings.HasPrefix(function, "cudaLaunch") || strings.HasPrefix(function, "libcudart_static_") ||
		strings.Contains(function, "__cuda") || strings.Contains(function, "__device_stub_")
}

func (l *modules) close() {
	for _, m := range l.list {
		if m.own && m.names != nil {
			m.names.Close()
		}
	}
}

// maxUnmet is how many sections without a region are named.
const maxUnmet = 8

// unmet reports the sections that matched no region.
func (r *Run) unmet(m *pinsight.Model, list []trace.Match) {
	if r.upstream() {
		return // in the upstream dialect, a name has another meaning
	}
	written := m.Written(list)
	if len(written) == 0 {
		return
	}
	text := "`" + strings.Join(written[:min(len(written), maxUnmet)], "`, `") + "`"
	if more := len(written) - maxUnmet; more > 0 {
		text += fmt.Sprintf(" and %d more", more)
	}
	r.warn("no region of this run matched %s", text)
}
