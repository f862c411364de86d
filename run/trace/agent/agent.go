// Package agent is what a traced program carries: a small library in C that
// decides and records, kept here as source and built by the user's own
// compiler, because each MPI has a binary interface of its own.
//
//	records.go, mpi.go ──▶ records.h, calls.h ─┐
//	run/trace/layout ────▶ layout.h ───────────┤
//	src/*.c, *.h ──────────────────────────────┴─ cc / mpicc ──▶ cache/HASH.so
package agent

import (
	"crypto/sha256"
	"embed"
	"errors"
	"fmt"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"

	"github.com/pentode-dev/pentode/run/trace/layout"
)

//go:embed src
var sources embed.FS

// Header is the text of the header for a program's own regions and knobs.
func Header() []byte {
	text, err := sources.ReadFile("src/pentode_trace.h")
	if err != nil {
		panic(err) // it is embedded
	}
	return text
}

// Options is how the library is built.
type Options struct {
	Compiler string         // `cc`, or an MPI's own
	Flags    []string       // further flags, such as those of a sanitizer
	MPI      bool           // with the MPI calls
	Events   map[string]int // the ids of the MPI events, by name
	Cache    string         // the folder of built libraries
}

// Build returns the library's path, building it unless it is in the cache.
func Build(o Options) (string, error) {
	texts, err := o.texts()
	if err != nil {
		return "", err
	}
	version, err := exec.Command(o.Compiler, "--version").Output()
	if err != nil {
		return "", fmt.Errorf("the tracer is built with the compiler `%s`, which does not run; install it, or name another with --cc", o.Compiler)
	}
	hash := sha256.New()
	fmt.Fprintf(hash, "%s\x00%s\x00%q\x00", o.Compiler, version, o.Flags)
	for _, name := range slices.Sorted(maps.Keys(texts)) {
		fmt.Fprintf(hash, "%s\x00%s\x00", name, texts[name])
	}
	library := filepath.Join(o.Cache, fmt.Sprintf("pentode-trace-%x.so", hash.Sum(nil)[:10]))
	if _, err := os.Stat(library); err == nil {
		return library, nil
	}
	return library, o.compile(texts, library)
}

func (o *Options) texts() (map[string][]byte, error) {
	texts := map[string][]byte{"records.h": []byte(recordsHeader()), "layout.h": []byte(layout.Header())}
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
		texts["calls.h"] = []byte(callsHeader(o.Events))
	}
	return texts, nil
}

// compile builds in a folder of its own and moves the result into place, so
// that ranks that start together do not see half a library.
func (o *Options) compile(texts map[string][]byte, library string) error {
	if err := os.MkdirAll(o.Cache, 0o700); err != nil {
		return err
	}
	dir, err := os.MkdirTemp(o.Cache, "build-")
	if err != nil {
		return err
	}
	defer os.RemoveAll(dir)
	built := filepath.Join(dir, "built.so")
	args := append([]string{"-std=gnu11", "-O2", "-g", "-fPIC", "-shared", "-fvisibility=hidden", "-Wall", "-Wextra", "-o", built}, o.Flags...)
	for _, name := range slices.Sorted(maps.Keys(texts)) {
		path := filepath.Join(dir, name)
		if err := os.WriteFile(path, texts[name], 0o600); err != nil {
			return err
		}
		if strings.HasSuffix(name, ".c") {
			args = append(args, path)
		}
	}
	args = append(args, "-lpthread", "-ldl")
	if out, err := exec.Command(o.Compiler, args...).CombinedOutput(); err != nil {
		if !errors.As(err, new(*exec.ExitError)) {
			return fmt.Errorf("the compiler `%s` does not run", o.Compiler)
		}
		return fmt.Errorf("the compiler `%s` cannot build the tracer:\n%s", o.Compiler, strings.TrimSpace(string(out)))
	}
	return os.Rename(built, library)
}
