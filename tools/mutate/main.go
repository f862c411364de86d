// Mutate measures how many mistakes the tests find. It changes one token of the
// program at random, runs the tests that execute the changed line, and counts how
// many of these mutants a test finds:
//
//	go -C tools run ./mutate -n 20 run/data lang/pdi    # 20 mutants in each area; all areas by default
//	go -C tools run ./mutate -at run/data/store.go:120  # every mutant of a line
//	go -C tools run ./mutate -again -by nearest         # survivors again, after new tests, with all tests of their packages
//	go -C tools run ./mutate -equivalent ID -why TEXT   # mark a survivor that no test could find
//	go -C tools run ./mutate -table                     # the results so far
//
// An area is a folder such as run/data or cli. The same -seed gives the
// same mutants of an area. Results are appended to a file, so that an interrupted
// run can be continued. A time-out counts as found; a mutant that does not compile
// does not count; generated files and packages for tests have no mutants.
//
//	HEAD ──▶ clones ──▶ Record: which test runs which block, cached
//	            │                     │
//	          Sites ──▶ weave ──▶ judge: one test program with many mutants, run those tests
//	                                  │
//	                               Results ──▶ table
//
// Tests run in clones of the newest commit. They see no other process and can
// write nowhere else, because a mutant may kill or delete anything. This needs
// unshare(1), and so Linux.
package main

import (
	"cmp"
	"errors"
	"flag"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"sync"
)

const module = "github.com/pentode-dev/pentode"

type options struct {
	n, workers, packages int
	seed                 uint64
	at, equivalent, why  string
	skip, by             string
	again, own, table    bool
	cache                string
}

func main() {
	var o options
	cache, _ := os.UserCacheDir()
	flag.IntVar(&o.n, "n", 20, "the number of mutants in each area")
	flag.Uint64Var(&o.seed, "seed", 1, "the number that chooses the mutants")
	flag.StringVar(&o.at, "at", "", "only the mutants of these lines: `file:line,...`")
	flag.BoolVar(&o.again, "again", false, "only the mutants that survived")
	flag.BoolVar(&o.own, "own", false, "judge only with tests of the areas, so that no others need to be recorded")
	flag.StringVar(&o.by, "by", "", "judge with all tests of these `packages`, without recording; nearest: with the tests of each mutant's own package")
	flag.BoolVar(&o.table, "table", false, "print the results so far, and run nothing")
	flag.StringVar(&o.skip, "skip", "", "leave out tests that match this `pattern`, because they take too long")
	flag.StringVar(&o.equivalent, "equivalent", "", "mark the mutant with this `ID` as equivalent: it changes nothing that a test could see")
	flag.StringVar(&o.why, "why", "", "the reason why it is equivalent")
	flag.IntVar(&o.workers, "j", 2, "the number of mutants tested at a time")
	flag.IntVar(&o.packages, "packages", 5, "the maximum number of test packages that judge a mutant")
	flag.StringVar(&o.cache, "cache", filepath.Join(cache, "pentode-mutate"), "`folder` of clones, coverage and results, not below /tmp")
	flag.Parse()
	if err := run(o, flag.Args()); err != nil {
		fmt.Fprintln(os.Stderr, "mutate:", err)
		os.Exit(1)
	}
}

func run(o options, areas []string) error {
	results, err := OpenResults(filepath.Join(o.cache, "results.jsonl"))
	if err != nil {
		return err
	}
	switch {
	case o.table:
		return results.Print(os.Stdout)
	case o.equivalent != "":
		return results.judgeByHand(o.equivalent, o.why)
	}
	skip, err := regexp.Compile(cmp.Or(o.skip, "^$"))
	if err != nil {
		return err
	}
	root, err := output("", "git", "rev-parse", "--show-toplevel")
	if err != nil {
		return err
	}
	var clones []*Clone
	for i := range o.workers {
		clone, err := NewClone(strings.TrimSpace(root), filepath.Join(o.cache, fmt.Sprint("clone", i)))
		if err != nil {
			return err
		}
		clones = append(clones, clone)
	}
	packages, err := list(clones[0])
	if err != nil {
		return err
	}
	sites, err := sitesOf(clones[0], packages)
	if err != nil {
		return err
	}
	chosen := func(area string) bool { return len(areas) == 0 || slices.Contains(areas, area) }
	if o.own {
		packages = slices.DeleteFunc(packages, func(p Package) bool { return !chosen(area(p.Name + "/")) })
	}
	var covers []*Cover
	if o.by != "" {
		covers = everything(packages, strings.Split(o.by, ","))
	} else if covers, err = recordAll(clones, packages, o.cache, skip); err != nil {
		return err
	}
	queues := make(chan []Site, len(sites))
	for _, name := range slices.Sorted(maps.Keys(sites)) {
		if chosen(name) {
			queues <- choose(sites[name], o, results)
		}
	}
	close(queues)
	err = each(clones, func(c *Clone) error {
		j := &judge{clone: c, covers: covers, programs: filepath.Join(o.cache, "programs", filepath.Base(c.dir)), packages: o.packages, skip: o.skip, faulty: map[string][]string{}}
		for queue := range queues {
			if err := j.work(queue, o, results); err != nil {
				return err
			}
		}
		return nil
	})
	return errors.Join(err, results.Print(os.Stdout))
}

// choose returns the mutants of an area that may be run, in their order.
func choose(sites []Site, o options, results *Results) []Site {
	var chosen []Site
	for _, s := range sites {
		known, ok := results.Of(s.ID())
		switch {
		case o.at != "" && !slices.Contains(strings.Split(o.at, ","), s.At()):
		case o.again && (!ok || known.Outcome != Survived):
		default:
			chosen = append(chosen, s)
		}
	}
	slices.SortFunc(chosen, func(a, b Site) int { return cmp.Compare(a.rank(o.seed), b.rank(o.seed)) })
	return chosen
}

// each calls a function for all clones concurrently.
func each(clones []*Clone, call func(*Clone) error) error {
	failed := make([]error, len(clones))
	var wait sync.WaitGroup
	for i, c := range clones {
		wait.Go(func() { failed[i] = call(c) })
	}
	wait.Wait()
	return errors.Join(failed...)
}
