// Package agent contains the library in C that is loaded into a traced program, where it decides and records. It is kept here as
// source and built with the user's own compiler, because every MPI has a different binary interface.
//
//	records.go, mpi.go ──▶ records.h, calls.h ─┐
//	cuda.go ─────────────▶ cuda_events.h ──────┤
//	run/trace/layout ────▶ layout.h ───────────┤
//	src/*.c, *.h ──────────────────────────────┴─ cc / mpicc ──▶ cache/HASH.so
//
//	bindings/*                                    compiled into programs that call the library
package agent

import (
	"bytes"
	"context"
	"crypto/sha256"
	"embed"
	"errors"
	"fmt"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"sync"
	"sync/atomic"

	"github.com/pentode-dev/pentode/run/trace/layout"
)

// HeaderName is the file name of the header for programs.
const HeaderName = "pentode_trace.h"

var (
	//go:embed src
	sources embed.FS
	// Header is the header with which C and C++ programs mark regions and events and read knobs.
	//go:embed bindings/pentode_trace.h
	Header []byte
	// Fortran is the source of the Fortran module with the same functions.
	//go:embed bindings/pentode_trace.f90
	Fortran []byte
)

// Options are the settings with which the library is built.
type Options struct {
	Compiler string         // `cc`, or the compiler wrapper of an MPI
	Flags    []string       // further flags, such as a sanitizer's
	MPI      bool           // whether MPI calls are traced
	Events   map[string]int // the ids of the MPI events, by name
	Cache    string         // the folder for built libraries

	// Building is called with the number of files compiled so far, from several goroutines. It may be nil.
	Building func(done, total int64)
}

// Build returns the library's path, building it unless it is in the cache.
func Build(ctx context.Context, o Options) (string, error) {
	texts, path, err := o.prepare(ctx)
	if err != nil {
		return "", err
	}
	if _, err := os.Stat(path); err == nil {
		return path, nil
	}
	return path, o.compile(ctx, texts, path)
}

// Version identifies the sources of the agent, independent of the compiler and the options.
func Version() string {
	hash := sha256.New()
	texts, _ := (&Options{}).texts(&library{}) // embedded files can always be read
	for _, name := range slices.Sorted(maps.Keys(texts)) {
		fmt.Fprintf(hash, "%s\x00%s\x00", name, texts[name])
	}
	return fmt.Sprintf("%x", hash.Sum(nil)[:10])
}

// prepare returns the sources of the library and its path in the cache, which depends on compiler, MPI and sources.
func (o *Options) prepare(ctx context.Context) (map[string][]byte, string, error) {
	version, err := exec.CommandContext(ctx, o.Compiler, "--version").Output()
	if ctx.Err() != nil {
		return nil, "", ctx.Err()
	}
	if err != nil {
		return nil, "", fmt.Errorf("the tracer is built with the compiler `%s`, which does not run; install it, or name another one as `compiler` in `[trace]` of pentode.toml", o.Compiler)
	}
	var mpi library
	if o.MPI {
		if mpi, err = o.mpi(ctx); err != nil {
			return nil, "", err
		}
	}
	texts, err := o.texts(&mpi)
	if err != nil {
		return nil, "", err
	}
	hash := sha256.New()
	fmt.Fprintf(hash, "%s\x00%s\x00%q\x00%s\x00%s\x00", o.Compiler, version, o.Flags, mpi.show, mpi.header)
	for _, name := range slices.Sorted(maps.Keys(texts)) {
		fmt.Fprintf(hash, "%s\x00%s\x00", name, texts[name])
	}
	return texts, filepath.Join(o.Cache, fmt.Sprintf("pentode-trace-%x.so", hash.Sum(nil)[:10])), nil
}

// library describes an MPI, as its compiler shows it.
type library struct {
	show   []byte // the command that a compiler wrapper runs, which names the libraries
	header []byte // mpi.h with everything it includes
	twins  []twin
}

func (o *Options) mpi(ctx context.Context) (library, error) {
	var m library
	m.show, _ = exec.CommandContext(ctx, o.Compiler, "-show").Output() // not all compilers have this option
	preprocess := exec.CommandContext(ctx, o.Compiler, append(slices.Clone(o.Flags), "-E", "-x", "c", "-")...)
	preprocess.Stdin = strings.NewReader("#include <mpi.h>\n")
	var err error
	if m.header, err = preprocess.Output(); ctx.Err() != nil {
		return m, ctx.Err()
	}
	if err != nil {
		return m, fmt.Errorf("the compiler `%s` finds no mpi.h; name the compiler of the program's MPI, for instance mpicc, as `compiler` in `[trace]` of pentode.toml", o.Compiler)
	}
	if m.twins = findTwins(string(m.header)); len(m.twins) == 0 {
		return m, fmt.Errorf("the mpi.h of the compiler `%s` declares no function with a PMPI_ name, by which MPI is traced", o.Compiler)
	}
	return m, nil
}

func (o *Options) texts(mpi *library) (map[string][]byte, error) {
	texts := map[string][]byte{"records.h": []byte(recordsHeader()), "layout.h": []byte(layout.Header()), "cuda_events.h": []byte(cudaEventsHeader())}
	entries, err := sources.ReadDir("src")
	if err != nil {
		return nil, err
	}
	for _, e := range entries {
		if e.Name() == "mpi.c" && !o.MPI {
			continue
		}
		if texts[e.Name()], err = sources.ReadFile("src/" + e.Name()); err != nil {
			return nil, err
		}
	}
	if o.MPI {
		texts["calls.h"] = []byte(callsHeader(o.Events, mpi.twins))
		texts["events.h"] = fmt.Appendf(nil, "enum { OTHER = %d }; /* the event of functions without one of their own */\n", o.Events[otherEvent])
		if bytes.Contains(mpi.header, []byte("MPI_F08_STATUS_IGNORE")) {
			texts["events.h"] = append(texts["events.h"], "#define HAS_F08_STATUS\n"...)
		}
	}
	return texts, nil
}

// compile builds in a temporary folder and moves the result into place, so that ranks that start together never see half a
// library. The files are compiled in parallel, because the user waits.
func (o *Options) compile(ctx context.Context, texts map[string][]byte, library string) error {
	if err := os.MkdirAll(o.Cache, 0o700); err != nil {
		return err
	}
	dir, err := os.MkdirTemp(o.Cache, "build-")
	if err != nil {
		return err
	}
	defer os.RemoveAll(dir)
	// The alignment of functions to cache lines changes the cost of an event by half a nanosecond.
	flags := []string{"-std=gnu11", "-O2", "-falign-functions=64", "-g", "-fPIC", "-fvisibility=hidden", "-Wall", "-Wextra"}
	var files []string // the C files
	for _, name := range slices.Sorted(maps.Keys(texts)) {
		if err := os.WriteFile(filepath.Join(dir, name), texts[name], 0o600); err != nil {
			return err
		}
		if strings.HasSuffix(name, ".c") {
			files = append(files, name)
		}
	}
	objects, failed := make([]string, len(files)), make([]error, len(files))
	var compiled atomic.Int64
	building := func() {
		if o.Building != nil {
			o.Building(compiled.Add(1)-1, int64(len(files))+1)
		}
	}
	building()
	turns := make(chan struct{}, runtime.GOMAXPROCS(0))
	var all sync.WaitGroup
	for i, name := range files {
		turns <- struct{}{}
		all.Go(func() {
			source := filepath.Join(dir, name)
			objects[i] = strings.TrimSuffix(source, "c") + "o"
			failed[i] = o.compiler(ctx, flags, o.Flags, []string{"-c", "-o", objects[i], source})
			building()
			<-turns
		})
	}
	all.Wait()
	for _, err := range failed {
		if err != nil {
			return err // an error in one file usually means the same error in all
		}
	}
	built := filepath.Join(dir, "built.so")
	if err := o.compiler(ctx, flags, []string{"-shared", "-o", built}, o.Flags, objects, []string{"-lpthread", "-ldl"}); err != nil {
		return err
	}
	building()
	return os.Rename(built, library)
}

// Unbuilt is the error of a compiler that cannot build the library. Said is the compiler's output.
type Unbuilt struct{ Compiler, Said string }

func (u *Unbuilt) Error() string {
	return fmt.Sprintf("the compiler `%s` cannot build the tracer:\n%s", u.Compiler, u.Said)
}

// compiler runs the compiler.
func (o *Options) compiler(ctx context.Context, args ...[]string) error {
	out, err := exec.CommandContext(ctx, o.Compiler, slices.Concat(args...)...).CombinedOutput()
	switch {
	case err == nil:
		return nil
	case ctx.Err() != nil:
		return ctx.Err()
	case !errors.As(err, new(*exec.ExitError)):
		return fmt.Errorf("the compiler `%s` does not run", o.Compiler)
	default:
		return &Unbuilt{o.Compiler, strings.TrimSpace(string(out))}
	}
}
