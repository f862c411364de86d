package traced

import (
	"context"
	"debug/elf"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"

	"github.com/pentode-dev/pentode/core/debuginfo"
	"github.com/pentode-dev/pentode/lang/pinsight"
	"github.com/pentode-dev/pentode/run/control"
	"github.com/pentode-dev/pentode/run/trace/agent"
	"github.com/pentode-dev/pentode/run/trace/collect"
	"github.com/pentode-dev/pentode/suite"
)

// tracedProgram is the program that is traced: the program in the arguments that uses OpenMP or MPI, because a launcher such as mpirun may come
// before it.
type tracedProgram struct {
	args  []string
	path  string          // the program that is traced
	debug *debuginfo.File // nil if it has no readable symbols
	mpi   string          // the compiler of the MPI with which it is linked
	omp   openmp
	found bool // it uses OpenMP or MPI; if not, it may start a program that does
	tool  bool // it has its own tool, which its OpenMP starts instead of the tracer

	libraries []*debuginfo.File // with which it is linked; nil until linked is called
	asked     bool
}

type openmp int

const (
	noOpenMP openmp = iota
	llvmOpenMP
	gnuOpenMP // has no tool interface
)

// findTraced inspects the program before it is started.
func findTraced(args []string) (*tracedProgram, error) {
	first, err := exec.LookPath(args[0])
	if errors.Is(err, exec.ErrDot) {
		first, err = args[0], nil
	}
	if err != nil {
		return nil, fmt.Errorf("there is no program `%s`", args[0])
	}
	p := &tracedProgram{args: args, path: first}
	for i, arg := range args {
		path := arg
		if i == 0 {
			path = first
		}
		if p.look(path, i == 0) {
			p.path, p.found, p.tool = path, true, hasTool(path)
			break
		}
	}
	info, err := os.Stat(p.path)
	switch {
	case err != nil:
		return nil, fmt.Errorf("there is no program `%s`", p.path)
	case info.Mode()&(os.ModeSetuid|os.ModeSetgid) != 0:
		return nil, fmt.Errorf("`%s` runs as another user (setuid), and the system loads no tracer into such programs", p.path)
	}
	if !p.found && !isOwn(p.path) {
		if static, err := isStatic(p.path); err == nil && static {
			return nil, fmt.Errorf("`%s` is linked statically, so a tracer cannot be loaded into it; link it with shared libraries", p.path)
		}
	}
	if debug, err := debuginfo.Open(p.path, debuginfo.Options{}); err == nil {
		p.debug = debug
	}
	return p, nil
}

// look reports whether a file is a program with OpenMP or MPI, and notes which of them it uses.
func (p *tracedProgram) look(path string, first bool) bool {
	f, err := elf.Open(path)
	if err != nil {
		return false
	}
	defer f.Close()
	libraries, err := f.ImportedLibraries()
	program := slices.ContainsFunc(f.Progs, func(s *elf.Prog) bool { return s.Type == elf.PT_INTERP })
	if err != nil || !program && !first { // a library, which the program will load
		return false
	}
	for _, name := range libraries {
		switch {
		case strings.HasPrefix(name, "libmpich"):
			p.mpi = "mpicc.mpich"
		case suite.MPILibrary(name):
			p.mpi = "mpicc.openmpi"
		case suite.LLVMOpenMP(name):
			p.omp = llvmOpenMP
		case suite.GNUOpenMP(name):
			p.omp = max(p.omp, gnuOpenMP)
		}
	}
	return p.mpi != "" || p.omp != noOpenMP
}

func isStatic(path string) (bool, error) {
	f, err := elf.Open(path)
	if err != nil {
		return false, err
	}
	defer f.Close()
	for _, s := range f.Progs {
		if s.Type == elf.PT_INTERP {
			return false, nil
		}
	}
	return f.Type == elf.ET_EXEC || f.Type == elf.ET_DYN, nil
}

// NoCompiler is the error of a tracer that cannot be built because the compiler is not installed.
type NoCompiler string

func (c NoCompiler) Error() string {
	return fmt.Sprintf("the tracer is built with the compiler `%s`, which is not installed", string(c))
}

// library builds the agent for this program. building is called with the number of compiled files and may be nil.
func (p *tracedProgram) library(ctx context.Context, cc string, building func(done, total int64)) (string, error) {
	compiler := cc
	if compiler == "" {
		compiler = "cc"
		if p.mpi != "" {
			compiler = p.mpi
			if _, err := exec.LookPath(compiler); err != nil {
				compiler = "mpicc" // a system that has only one MPI
			}
		}
	}
	if _, err := exec.LookPath(compiler); err != nil {
		return "", NoCompiler(compiler)
	}
	folder, err := agentFolder()
	if err != nil {
		return "", err
	}
	events := map[string]int{}
	catalog := pinsight.Builtin()
	if d, ok := catalog.Domain("MPI"); ok {
		for _, e := range catalog.Domains()[d].Events {
			events[e.Name] = int(e.ID)
		}
	}
	return agent.Build(ctx, agent.Options{
		Compiler: compiler, MPI: p.mpi != "", Events: events, Cache: folder, Building: building,
	})
}

// agentFolder returns the folder for built agents: the cache folder or, if there is none or an agent in it cannot be preloaded, a private folder for
// temporary files.
func agentFolder() (string, error) {
	reason := "there is no folder for caches"
	if cache, err := os.UserCacheDir(); err == nil {
		if collect.Preloadable(cache) {
			return filepath.Join(cache, "pentode", "trace"), nil
		}
		reason = "LD_PRELOAD is split at blanks and colons, as in `" + cache + "`"
	}
	temp := os.TempDir()
	if !collect.Preloadable(temp) {
		temp = "/tmp"
	}
	private := filepath.Join(temp, fmt.Sprintf("pentode-%d", os.Getuid()))
	if err := control.Private(private); err != nil {
		return "", fmt.Errorf("there is no folder from which the tracer can be loaded: %s, and %w; set XDG_CACHE_HOME to another folder", reason, err)
	}
	return filepath.Join(private, "trace"), nil
}

// why explains why nothing was traced.
func (p *tracedProgram) why() string {
	switch {
	case p.deaf():
		text := "the program's OpenMP is GCC's, which has no interface for tools; build it with clang"
		if _, err := os.Stat(llvmRuntime); err == nil {
			text += ", or start it with LD_PRELOAD=libomp.so.5"
		}
		return text
	case p.ownTool():
		return "the program has its own OpenMP tool, `" + suite.StartTool + "`, which is started instead of the tracer; link the program without that tool to trace its OpenMP"
	case p.omp == noOpenMP && p.mpi == "":
		if isPython(p.path) {
			return "the Python interpreter does not support tracers: it is older than 3.9, or does not export the functions of its C interface"
		}
		return "the program does not use OpenMP, MPI, CUDA or Python, and has not marked any region"
	case p.mpi == "" && p.empty():
		return "the program is linked with OpenMP, but calls none of its functions: optimizing compilers remove parallel regions that do nothing"
	}
	return "no event happened"
}

// empty reports whether the program calls no function of an OpenMP runtime.
func (p *tracedProgram) empty() bool {
	f, err := elf.Open(p.path)
	if err != nil {
		return false
	}
	defer f.Close()
	symbols, err := f.ImportedSymbols()
	return err == nil && !slices.ContainsFunc(symbols, func(s elf.ImportedSymbol) bool {
		return strings.HasPrefix(s.Name, "__kmpc_") || strings.HasPrefix(s.Name, "GOMP_")
	})
}

// deaf reports whether the program's OpenMP runtime has no interface for tools.
func (p *tracedProgram) deaf() bool {
	return p.omp == gnuOpenMP && !strings.Contains(os.Getenv("LD_PRELOAD"), "libomp")
}

// ownTool reports whether the program's OpenMP runtime reports events to the program's own tool.
func (p *tracedProgram) ownTool() bool { return p.tool && p.omp != noOpenMP && !p.deaf() }

const llvmRuntime = "/usr/lib/x86_64-linux-gnu/libomp.so.5"

func (p *tracedProgram) close() {
	for _, f := range p.libraries {
		f.Close()
	}
	if p.debug != nil {
		p.debug.Close()
	}
}
