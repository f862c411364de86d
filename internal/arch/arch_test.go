// Package arch tests which package may import which. The rules keep the five languages similar in structure, and
// independent of each other.
package arch

import (
	"bytes"
	"encoding/json"
	"errors"
	"io"
	"io/fs"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/pentode-dev/pentode/internal/golden"
)

const module = "github.com/pentode-dev/pentode/"

// rule lists our packages that the packages matching `from` may import. In
// `to`, $1 is the match of the first group of `from`.
type rule struct {
	from string
	to   []string
}

// The first rule that matches a package applies. In addition, every package may import the packages of internal/leaf, which
// import none of ours except each other.
var rules = []rule{
	{`internal/leaf/[^/]+`, nil},
	{`core/(source|debuginfo|downsample|seal)`, nil},
	{`core/debuginfo/structs`, []string{`core/debuginfo`}},
	{`core/fingerprint`, []string{`core/source`}},
	{`core/outfile`, []string{`core/(source|seal)`}},
	{`core/problem`, []string{`core/source`}},
	{`core/diag`, []string{`core/(source|problem)`}},
	{`core/diag/render`, []string{`core/(source|problem|diag)`}},
	{`core/token`, []string{`core/(source|diag)`}},
	{`core/(origin|schema|graph)`, []string{`core/(source|problem|diag|token)`}},
	{`core/graph/svg`, []string{`core/graph`}},
	{`core/load`, []string{`core/(source|problem|diag|token|origin|schema|graph)`}},
	{`run/control`, []string{`core/problem`}},
	{`run/handoff`, []string{`run/(control|handoff/tensor)`}},
	{`run/handoff/tensor`, nil},
	{`run/launch(/.*)?`, []string{`core/(source|problem|outfile|seal|fingerprint)`, `run/control`, `run/launch(/.*)?`}},
	{`run/flow/pipe`, []string{`core/(source|problem|outfile|seal|fingerprint)`, `run/handoff/tensor`}},
	{`run/flow/recording`, []string{`core/(source|problem|outfile)`, `run/flow/pipe`}},
	{`run/flow/remote/internal/broker`, nil},
	{`run/flow`, []string{`core/(fingerprint|outfile|problem|seal|source)`, `run/flow/(pipe|recording)`, `run/handoff(/tensor)?`}},
	{`run/flow/image/internal/fastpng`, nil},
	{`run/flow/peek`, []string{`core/(downsample|problem)`, `run/handoff/tensor`, `run/flow(/(image|pipe|wire))?`}},
	{`run/flow/steer`, []string{`core/source`, `run/control`, `run/flow(/(peek|pipe))?`}},
	{`run/flow/remote`, []string{`run/flow(/(pipe|wire|remote/internal/broker))?`}},
	{`run/flow/catalog/scan`, []string{`core/source`, `run/flow/pipe`}},
	{`run/flow/catalog`, []string{`run/flow(/.*)?`}},
	{`run/flow/vision(/.*)?`, []string{`core/(outfile|problem)`, `run/handoff/tensor`, `run/flow(/(image|pipe|vision/.*))?`}},
	{`run/flow/[^/]+`, []string{`core/(outfile|problem|seal)`, `run/handoff(/tensor)?`, `run/flow(/(image(/internal/fastpng)?|pipe|wire))?`}},
	{`run/data/(logging|ranks|hdf5/internal/field)`, nil},
	{`run/data/hdf5/internal/disk`, []string{`run/data/hdf5/internal/field`}},
	{`run/data/hdf5/internal/index`, []string{`run/data/hdf5/internal/(disk|field)`}},
	{`run/data/hdf5`, []string{`run/data/hdf5/internal/(disk|field|index)`}},
	{`run/data/netcdf`, []string{`run/data/hdf5`}},
	{`run/data/internal/rankstest`, []string{`run/data/ranks`}},
	{`run/data/expr`, []string{`core/problem`}},
	{`run/data/config`, []string{`run/data/logging`}},
	{`run/data`, []string{`core/(source|problem|outfile|seal|fingerprint)`, `run/handoff/tensor`, `run/data/(config|expr|logging)`}},
	{`run/data/into`, []string{`run/data(/config)?`}},
	{`run/data/(convert|replay)|internal/datatest`, []string{`core/source`, `run/data`}},
	{`run/data/declhdf5`, []string{`core/seal`, `run/data(/(config|expr|hdf5|into|ranks))?`}},
	{`run/data/declnetcdf`, []string{`run/data(/(config|declhdf5|expr|hdf5|into|netcdf|ranks))?`}},
	{`run/data/plugin/[^/]+`, []string{`core/problem`, `run/handoff(/tensor)?`, `run/data(/(config|expr|into|logging|ranks))?`}},
	{`run/data/plugin`, []string{`run/data(/.*)?`}},
	{`run/trace/(layout|ctf/tsdl)`, nil},
	{`run/trace`, []string{`core/(source|problem|fingerprint)`, `run/trace/layout`}},
	{`run/trace/ctf`, []string{`core/(outfile|seal)`, `run/trace/ctf/tsdl`}},
	{`run/trace/recorded`, []string{`core/problem`, `run/trace/ctf`}},
	{`run/trace/(report|why|query|export|timeline|forecast)`, []string{`core/(outfile|problem|seal|source)`, `run/trace(/(agent|ctf|recorded))?`}},
	{`run/([^/]+)(/.*)?`, []string{`core/(source|problem|outfile|seal|fingerprint)`, `run/$1(/.*)?`}},
	{`lang`, []string{`core/.*`}},
	{`lang/all`, []string{`lang(/[^/]+)?`}},
	{`lang/([^/]+)/syntax`, []string{`core/(source|problem|diag|token)`}},
	{`lang/pdi/calls`, []string{`core/source`}},
	{`lang/([^/]+)(/.*)?`, []string{`core/.*`, `lang`, `lang/$1(/.*)?`, `run/.*`}},
	{`workspace`, []string{`core/.*`, `lang`, `workspace/.*`}},
	{`workspace/ignore`, nil},
	{`workspace/project`, []string{`core/.*`, `workspace/ignore`}},
	{`suite(/.*)?`, []string{`core/.*`, `lang(/.*)?`, `run/.*`, `workspace(/.*)?`}},
	{`runs/compare`, []string{`core/(problem|seal)`, `run/(data/hdf5|flow/image)`, `runs/record`}},
	{`runs/record`, []string{`core/(outfile|seal)`, `run/(control|data/hdf5|launch/state)`}},
	{`runs/origin`, []string{`core/(problem|seal)`, `run/(data/(declhdf5|hdf5)|trace/ctf)`, `runs/record`, `workspace`}},
	{`runs/registry`, []string{`run/(control|flow/steer|launch(/state)?)`, `runs/record`}},
	{`runs/traced`, []string{`core/(debuginfo|diag|load|outfile|seal|source)`, `lang(/pinsight)?`, `run/(control|trace(/.*)?)`, `suite`, `workspace`}},
	{`runs`, []string{`core/.*`, `lang(/.*)?`, `run/.*`, `workspace(/.*)?`, `suite`, `runs/.*`}},
	{`cli`, []string{`core/.*`, `lang(/.*)?`, `run/.*`, `workspace(/.*)?`, `suite(/.*)?`, `runs(/.*)?`, `internal/(cxxname|live|lsp|web)`}},
	{`capi`, []string{`core/.*`, `lang/pdi(/.*)?`, `run/(data(/.*)?|handoff)`}},
	{`capi/install`, nil},
	{`packaging`, []string{`cli`}},
	{`internal/lsp/protocol`, nil},
	{`internal/lsp`, []string{`core/.*`, `lang`, `workspace(/.*)?`, `suite`, `internal/lsp/protocol`}},
	{`internal/web/guard`, []string{`core/source`}},
	{`internal/web/results`, []string{`internal/web/guard`, `core/(downsample|seal)`, `run/(data/hdf5|trace/(recorded|timeline))`, `runs(/record)?`}},
	{`internal/web/watch`, []string{`internal/web/guard`, `core/downsample`, `run/(control|flow(/(figures|peek|pipe|steer))?|launch(/state)?)`, `runs(/(registry|traced))?`}},
	{`internal/web`, []string{`internal/web/.*`, `core/.*`, `lang(/(all|pdi|pinsight))?`, `run/(control|data(/hdf5)?|flow(/(figures|peek|pipe|steer))?|launch(/state)?|target|trace(/(export|recorded|report|timeline|why))?)`, `workspace(/.*)?`, `suite(/.*)?`, `runs(/(compare|origin|record|registry|traced))?`}},
	{`internal/live`, []string{`run/flow(/.*)?`, `run/launch`}},
	{`internal/golden`, []string{`core/.*`, `lang`, `internal/need`}},
	{`internal/played`, []string{`run/trace(/.*)?`}},
	{`internal/(arch|cxxname|need)`, nil},
	{`cmd/[^/]+`, []string{`cli`}},
	{`editors|docs/site`, nil},
	{`bench|examples(/.*)?`, []string{`.*`}},
}

// engineOf maps each language to its engine. A language may import only this engine.
var engineOf = map[string]string{
	"coil": "run/target", "paradyn": "run/launch", "sprokit": "run/flow", "pdi": "run/data", "pinsight": "run/trace",
}

// Only the package `remote` may use NATS, and only `runs` and `bench` may import that package. The project has its own
// broker, which speaks the protocol of NATS. The server of NATS is larger than the rest of the program, so only tests
// import it.
const (
	nats       = "github.com/nats-io/"
	natsServer = "github.com/nats-io/nats-server/"
	remote     = "run/flow/remote"
	broker     = "run/flow/remote/internal/broker"
)

var mayBeRemote = regexp.MustCompile(`^(runs|bench)$`)

type goPackage struct {
	ImportPath string
	Imports    []string
	CgoFiles   []string
}

func TestImports(t *testing.T) {
	packages := list(t)
	if len(packages) < 10 {
		t.Fatalf("only %d packages found", len(packages))
	}
	for _, p := range packages {
		name := strings.TrimPrefix(p.ImportPath, module)
		if len(p.CgoFiles) > 0 && name != "capi" {
			t.Errorf("%s uses cgo, which only capi may", name)
		}
		r, groups := find(name)
		if r == nil {
			t.Errorf("%s has no rule: say in this test what it may import", name)
			continue
		}
		for _, imported := range p.Imports {
			if !mayKnowNATS(name, imported) {
				t.Errorf("%s imports %s: %s may import NATS, %s its keys, and tests alone its server", name, imported, remote, broker)
			}
			target, ours := strings.CutPrefix(imported, module)
			if !ours || target == name {
				continue
			}
			if !leaf(target) && !allowed(r, groups, target) || !ownEngine(name, target) || target == remote && !mayBeRemote.MatchString(name) || target == broker && name != remote {
				t.Errorf("%s imports %s, which it may not", name, target)
			}
		}
	}
}

// mayKnowNATS reports whether a package may import a package of NATS.
func mayKnowNATS(name, imported string) bool {
	switch {
	case !strings.HasPrefix(imported, nats):
		return true
	case name == broker:
		return imported == nats+"nkeys"
	}
	return name == remote && !strings.HasPrefix(imported, natsServer)
}

// TestShared checks that each package of core and internal/leaf is imported by at least two others. A package with a single
// importer belongs next to that importer.
func TestShared(t *testing.T) {
	callers := map[string]map[string]bool{}
	for _, p := range list(t) {
		for _, imported := range p.Imports {
			if name, ours := strings.CutPrefix(imported, module); ours && (leaf(name) || strings.HasPrefix(name, "core/")) {
				if callers[name] == nil {
					callers[name] = map[string]bool{}
				}
				callers[name][p.ImportPath] = true
			}
		}
	}
	for name, by := range callers {
		if len(by) < 2 {
			t.Errorf("%s has one caller, %v: move it there", name, slices.Collect(maps.Keys(by)))
		}
	}
	if len(callers) < 10 {
		t.Errorf("%d shared packages were found, want more than 10", len(callers))
	}
}

// leaf reports whether a package is one that every other package may import.
func leaf(name string) bool { return strings.HasPrefix(name, "internal/leaf/") }

// ownEngine reports whether an import obeys the rule that a language uses only its own engine.
func ownEngine(from, target string) bool {
	parts := strings.Split(from, "/")
	if parts[0] != "lang" || len(parts) < 2 || parts[1] == "all" || !strings.HasPrefix(target, "run/") {
		return true
	}
	engine, ok := engineOf[parts[1]]
	return ok && (target == engine || strings.HasPrefix(target, engine+"/"))
}

func find(name string) (*rule, []string) {
	for i := range rules {
		if m := regexp.MustCompile("^(?:" + rules[i].from + ")$").FindStringSubmatch(name); m != nil {
			return &rules[i], m
		}
	}
	return nil, nil
}

func allowed(r *rule, groups []string, target string) bool {
	for _, to := range r.to {
		if len(groups) > 1 {
			to = strings.ReplaceAll(to, "$1", regexp.QuoteMeta(groups[1]))
		}
		if regexp.MustCompile("^(?:" + to + ")$").MatchString(target) {
			return true
		}
	}
	return false
}

func list(t *testing.T) []goPackage {
	see(t)
	cmd := exec.Command("go", "list", "-json=ImportPath,Imports,CgoFiles", module+"...")
	cmd.Env = append(os.Environ(), "CGO_ENABLED=1") // otherwise go list leaves out files that use cgo
	out, err := cmd.Output()
	if failed := (*exec.ExitError)(nil); errors.As(err, &failed) {
		t.Fatalf("go list: %v\n%s", err, failed.Stderr)
	}
	if err != nil {
		t.Fatal(err)
	}
	var packages []goPackage
	for d := json.NewDecoder(bytes.NewReader(out)); ; {
		var p goPackage
		if err := d.Decode(&p); errors.Is(err, io.EOF) {
			return packages
		} else if err != nil {
			t.Fatal(err)
		}
		packages = append(packages, p)
	}
}

// see calls os.Stat on every Go file. Go then notices that a file was added or changed and does not use a cached result of
// this test.
func see(t *testing.T) {
	root := golden.Root(t)
	err := filepath.WalkDir(root, func(path string, e fs.DirEntry, err error) error {
		switch {
		case err != nil:
			return err
		case e.IsDir():
			_, err = os.ReadDir(path)
		case strings.HasSuffix(path, ".go"):
			_, err = os.Stat(path)
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
}

// TestRulesBite checks that the rules above refuse some imports that must be forbidden.
func TestRulesBite(t *testing.T) {
	for _, c := range []struct {
		from, target string
		ok           bool
	}{
		{"lang/coil", "lang/coil/syntax", true},
		{"lang/coil", "lang/pdi", false},
		{"lang/coil", "run/target", true},
		{"lang/coil", "run/data", false},
		{"lang/coil/syntax", "core/token", true},
		{"lang/coil/syntax", "core/load", false},
		{"run/flow/vision/internal/detect", "run/flow/image", true},
		{"run/flow", "run/trace", false},
		{"run/flow", "core/diag", false},
		{"run/flow/pipe", "run/flow", false},
		{"run/flow/recording", "run/flow", false},
		{"run/flow/remote/internal/broker", "run/flow/remote", false},
		{"run/data/hdf5/internal/disk", "run/data/hdf5/internal/index", false},
		{"run/data", "run/data/into", false},
		{"run/data/config", "run/data", false},
		{"run/data/into", "run/data/plugin/trace", false},
		{"run/data/plugin/timer", "run/data/plugin/mpi", false},
		{"run/data/declhdf5", "run/data/plugin/trace", false},
		{"run/data/hdf5", "run/data/expr", false},
		{"run/flow", "run/flow/steer", false},
		{"run/flow/text", "run/flow/steer", false},
		{"run/flow/text", "run/flow/image", true},
		{"run/flow/figures", "run/flow/text", false},
		{"run/trace/recorded", "run/trace", false},
		{"run/trace/why", "run/trace/report", false},
		{"internal/web/watch", "internal/web", false},
		{"run/flow", "core/problem", true},
		{"run/flow/steer", "run/control", true},
		{"run/launch/state", "run/control", true},
		{"run/data", "run/control", false},
		{"run/control", "run/launch", false},
		{"run/control", "core/source", false},
		{"lang/paradyn", "run/control", false},
		{"core/diag", "lang", false},
		{"workspace", "lang/all", false},
	} {
		r, groups := find(c.from)
		if got := allowed(r, groups, c.target) && ownEngine(c.from, c.target); got != c.ok {
			t.Errorf("%s -> %s: %v", c.from, c.target, got)
		}
	}
	for _, c := range []struct {
		name, imported string
		ok             bool
	}{
		{remote, nats + "nats.go", true},
		{remote, nats + "nkeys", true},
		{remote, natsServer + "v2/server", false},
		{broker, nats + "nkeys", true},
		{broker, nats + "nats.go", false},
		{broker, natsServer + "v2/server", false},
		{"runs", nats + "nats.go", false},
		{"runs", "strings", true},
	} {
		if got := mayKnowNATS(c.name, c.imported); got != c.ok {
			t.Errorf("%s -> %s: %v, want %v", c.name, c.imported, got, c.ok)
		}
	}
}
