// Systems checks the packages of the module and their tests for other systems:
//
//	go -C tools run ./systems windows/amd64 darwin/arm64
//
// It reads all sources, including imported packages, and compiles nothing. This takes a
// fifteenth of the time of `go vet` for a system with an empty build cache. It runs the analyses of
// vet, except the ones that depend on the bodies of functions in other packages: they run only
// for this system.
package main

import (
	"fmt"
	"os"
	"slices"
	"strings"

	"golang.org/x/tools/go/analysis"
	"golang.org/x/tools/go/analysis/checker"
	"golang.org/x/tools/go/analysis/suite/vet"
	"golang.org/x/tools/go/packages"
)

func main() {
	failed := false
	for _, platform := range os.Args[1:] {
		fmt.Println(platform)
		found, err := judge("..", platform)
		if err != nil {
			found = append(found, err.Error())
		}
		for _, line := range found {
			fmt.Println(line)
			failed = true
		}
	}
	if failed {
		os.Exit(1)
	}
}

// judge returns the problems of the packages at and below a folder on a platform: type errors, or, if there are
// none, findings.
func judge(dir, platform string) (found []string, err error) {
	system, processor, ok := strings.Cut(platform, "/")
	if !ok {
		return nil, fmt.Errorf("%s is not a platform such as linux/arm64", platform)
	}
	all, err := packages.Load(&packages.Config{
		Mode: packages.LoadAllSyntax, Tests: true, Dir: dir,
		Env: append(os.Environ(), "GOOS="+system, "GOARCH="+processor, "CGO_ENABLED=0", "GOFLAGS="), // flags of this system do not apply
	}, "./...")
	if err != nil {
		return nil, err
	}
	packages.Visit(all, nil, func(p *packages.Package) {
		for _, e := range p.Errors {
			found = append(found, e.Error())
		}
	})
	if len(found) > 0 {
		return once(found), nil
	}
	graph, err := checker.Analyze(slices.DeleteFunc(slices.Clone(vet.Suite), asksOthers), all, nil)
	if err != nil {
		return nil, err
	}
	for _, act := range graph.Roots {
		if act.Err != nil {
			return nil, act.Err
		}
		for _, d := range act.Diagnostics {
			found = append(found, fmt.Sprintf("%s: %s", act.Package.Fset.Position(d.Pos), d.Message))
		}
	}
	return once(found), nil
}

// asksOthers reports whether an analysis depends on the bodies of functions in other packages.
func asksOthers(a *analysis.Analyzer) bool {
	return len(a.FactTypes) > 0 || slices.ContainsFunc(a.Requires, asksOthers)
}

// once removes duplicates, which occur because a package is also checked with its tests.
func once(found []string) []string {
	slices.Sort(found)
	return slices.Compact(found)
}
