package main

import (
	"cmp"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"
)

// A judge tests mutants in one clone.
type judge struct {
	clone    *Clone
	covers   []*Cover
	programs string              // the folder of test programs
	packages int                 // the maximum number of test packages that judge a mutant
	skip     string              // the pattern of tests that are left out
	faulty   map[string][]string // by package, tests that failed without a mutant, which are left out too
}

// A batch is a set of mutants that are compiled together. A mutant outside of
// functions is a batch of its own.
type batch struct {
	sites  []Site
	alone  bool
	broken map[int]string // the compiler's messages about mutants that do not compile
	built  map[string]bool
}

// spare is the number of extra mutants in a batch, because some do not compile.
const spare = 3

// work judges the mutants of an area until there are as many results as wanted.
// Known results count, and are not run again unless the options ask for it.
func (j *judge) work(queue []Site, o options, results *Results) error {
	all := o.at != "" || o.again
	counted := 0
	if !all {
		queue = slices.DeleteFunc(queue, func(s Site) bool {
			r, ok := results.Of(s.ID())
			if ok && r.Outcome != Broken && counted < o.n {
				counted++
			}
			return ok
		})
	}
	for len(queue) > 0 && (all || counted < o.n) {
		size := len(queue)
		if !all {
			size = min(size, o.n-counted+spare)
		}
		batches, err := j.batches(queue[:size])
		if err != nil {
			return err
		}
		for _, b := range batches {
			n, err := j.batch(b, results)
			if err != nil {
				return err
			}
			counted += n
		}
		queue = queue[size:]
	}
	return nil
}

func (j *judge) batches(sites []Site) ([]*batch, error) {
	together := &batch{}
	batches := []*batch{together}
	for _, s := range sites {
		text, err := os.ReadFile(filepath.Join(j.clone.dir, s.File))
		if err != nil {
			return nil, err
		}
		if inFunction(text, s) {
			together.sites = append(together.sites, s)
		} else {
			batches = append(batches, &batch{sites: []Site{s}, alone: true})
		}
	}
	return batches, nil
}

// batch judges the mutants of a batch and returns the number that compile.
func (j *judge) batch(b *batch, results *Results) (int, error) {
	if err := errors.Join(os.RemoveAll(j.programs), os.MkdirAll(j.programs, 0o755)); err != nil {
		return 0, err
	}
	if err := j.write(b); err != nil {
		return 0, err
	}
	counted := 0
	for i, s := range b.sites {
		r := Result{ID: s.ID(), Area: area(s.File), At: s.At()}
		if why, ok := b.broken[i]; ok {
			r.Outcome, r.By = Broken, why
		} else {
			begin := time.Now()
			if err := j.judge(b, i, &r); err != nil {
				return 0, err
			}
			r.Seconds = time.Since(begin).Round(100 * time.Millisecond).Seconds()
			counted++
		}
		if err := results.Add(r); err != nil {
			return 0, err
		}
		fmt.Fprintf(os.Stderr, "%-10s %5.1f s  %s: %s %s -> %s: %s\n", r.Outcome, r.Seconds, r.At, s.Kind, s.Was, s.Now, r.By)
	}
	return counted, j.clone.Reset()
}

// write writes the mutants into the clone, without those that do not compile.
func (j *judge) write(b *batch) error {
	b.broken, b.built = map[int]string{}, map[string]bool{}
	for {
		copies, err := j.weaveAll(b)
		if err != nil {
			return err
		}
		var dirs []string
		for i, s := range b.sites {
			if _, bad := b.broken[i]; !bad {
				dirs = append(dirs, "./"+filepath.Dir(s.File))
			}
		}
		slices.Sort(dirs)
		if dirs = slices.Compact(dirs); len(dirs) == 0 {
			return nil
		}
		_, err = output(j.clone.dir, "go", append([]string{"build", "-o", os.DevNull}, dirs...)...)
		if err == nil {
			return nil
		}
		if b.alone {
			b.broken[0] = firstLine(err.Error())
			continue
		}
		known := len(b.broken)
		for _, m := range compileError.FindAllStringSubmatch(err.Error(), -1) {
			line, _ := strconv.Atoi(m[2])
			for i, s := range b.sites {
				if s.File == filepath.Clean(m[1]) && copies[i].first <= line && line <= copies[i].last {
					b.broken[i] = m[3]
				}
			}
		}
		if len(b.broken) == known {
			return fmt.Errorf("mutants do not compile: %w", err)
		}
	}
}

var compileError = regexp.MustCompile(`(?m)^(\S+\.go):(\d+):\d+: (.*)$`)

// weaveAll writes every file of a batch, and returns where the mutants are.
func (j *judge) weaveAll(b *batch) ([]lines, error) {
	if err := j.clone.Reset(); err != nil {
		return nil, err
	}
	copies := make([]lines, len(b.sites))
	files := map[string][]int{}
	for i, s := range b.sites {
		if _, bad := b.broken[i]; !bad {
			files[s.File] = append(files[s.File], i)
		}
	}
	for name, numbers := range files {
		path := filepath.Join(j.clone.dir, name)
		text, err := os.ReadFile(path)
		if err != nil {
			return nil, err
		}
		if b.alone {
			return copies, os.WriteFile(path, b.sites[0].Apply(text), 0o644)
		}
		var sites []Site
		for _, i := range numbers {
			sites = append(sites, b.sites[i])
		}
		w, err := weave(name, text, sites, plusOne(numbers))
		if err != nil {
			return nil, err
		}
		for k, i := range numbers {
			copies[i] = w.copies[k]
		}
		pkg := regexp.MustCompile(`(?m)^package (\w+)`).FindSubmatch(text)
		more := fmt.Sprintf(switchFile, pkg[1], j.switchPath())
		if err := errors.Join(os.WriteFile(path, w.text, 0o644), os.WriteFile(filepath.Join(filepath.Dir(path), switchName), []byte(more), 0o644)); err != nil {
			return nil, err
		}
	}
	return copies, nil
}

// plusOne numbers mutants from 1: 0 is the unchanged program.
func plusOne(numbers []int) []int {
	var next []int
	for _, n := range numbers {
		next = append(next, n+1)
	}
	return next
}

const switchName = "zz_mutant.go"

// switchPath is the file with the number of the active mutant.
func (j *judge) switchPath() string { return filepath.Join(j.programs, "on") }

func (j *judge) turn(to int) error {
	return os.WriteFile(j.switchPath(), []byte(strconv.Itoa(to)), 0o644)
}

// judge runs the tests that run a mutant, first of its own package, then of
// others, until a test fails that does not fail without the mutant.
func (j *judge) judge(b *batch, i int, r *Result) error {
	s := b.sites[i]
	r.Outcome, r.By = Survived, "no test runs it"
	for k, cover := range nearest(s, j.covers) {
		if k == j.packages {
			break
		}
		program := filepath.Join(j.programs, strings.ReplaceAll(cover.Package, "/", "+"))
		if !b.built[cover.Package] {
			if err := j.clone.compile(cover.Package, program); err != nil {
				r.Outcome, r.By = Broken, firstLine(err.Error())
				return nil
			}
			b.built[cover.Package] = true
		}
		tests := cover.Covering(s)
		limit := 30 * time.Second
		for _, t := range tests {
			limit += time.Duration(5 * t.Seconds * float64(time.Second))
		}
		for _, pattern := range quickFirst(tests) {
			by, err := j.failure(i+1, b.alone, cover.Package, program, pattern, limit)
			if err != nil {
				return err
			}
			if by != "" {
				r.Outcome, r.By = Killed, by
				return nil
			}
		}
		r.By = "the last tests that passed were from " + cover.Package
	}
	return nil
}

// failure runs tests with a mutant and returns the test that failed because of it.
// If a test also fails without the mutant, it is skipped, and the others run once
// more. A mutant that is compiled alone cannot be turned off.
func (j *judge) failure(mutant int, alone bool, pkg, program, pattern string, limit time.Duration) (string, error) {
	for {
		by, err := j.test(mutant, pkg, program, pattern, limit)
		if err != nil || by == "" || alone {
			return by, err
		}
		single := pattern
		failed := failedTest.FindStringSubmatch(by)
		if failed != nil {
			single = "^" + failed[1] + "$"
		}
		without, err := j.test(0, pkg, program, single, limit)
		if err != nil || without == "" {
			return by, err
		}
		fmt.Fprintf(os.Stderr, "mutate: fails without a mutant: %s\n", without)
		if failed == nil || slices.Contains(j.faulty[pkg], failed[1]) {
			return "", nil
		}
		j.faulty[pkg] = append(j.faulty[pkg], failed[1])
	}
}

// skipped returns the pattern of the tests of a package that are left out.
func (j *judge) skipped(pkg string) string {
	var all []string
	if j.skip != "" {
		all = append(all, j.skip)
	}
	for _, name := range j.faulty[pkg] {
		all = append(all, "^"+name+"$")
	}
	return strings.Join(all, "|")
}

var failedTest = regexp.MustCompile(`--- FAIL: (\w+) `)

// quickTest is the time below which a test runs before the others: if it fails,
// the others need not run.
const quickTest = 1.5 // seconds

func quickFirst(tests []Test) []string {
	var quick, slow []Test
	for _, t := range tests {
		if t.Seconds < quickTest {
			quick = append(quick, t)
		} else {
			slow = append(slow, t)
		}
	}
	return append(patterns(quick), patterns(slow)...)
}

// test runs tests with a mutant, and returns the test that failed.
func (j *judge) test(mutant int, pkg, program, pattern string, limit time.Duration) (string, error) {
	if err := j.turn(mutant); err != nil {
		return "", err
	}
	// The test program ends by itself if this program ends first.
	own := "-test.timeout=" + (limit + time.Minute).String()
	out, err := j.clone.run(pkg, j.programs, limit, nil, program, "-test.failfast", own, "-test.run="+pattern, "-test.skip="+j.skipped(pkg))
	if err == nil {
		return "", nil
	}
	if err := j.clone.clean(); err != nil {
		return "", err
	}
	if errors.Is(err, errTimeout) {
		return pkg + ": time-out", nil
	}
	return pkg + ": " + cmp.Or(failures(out), firstLine(out)), nil
}

// nearest returns the packages with tests that run a site, sorted by distance in
// the tree, then by the time of their tests.
func nearest(s Site, covers []*Cover) []*Cover {
	type near struct {
		cover   *Cover
		shared  int
		seconds float64
	}
	var all []near
	for _, c := range covers {
		n := near{cover: c, shared: shared(c.Package, filepath.Dir(s.File))}
		tests := c.Covering(s)
		for _, t := range tests {
			n.seconds += t.Seconds
		}
		if len(tests) > 0 {
			all = append(all, n)
		}
	}
	slices.SortStableFunc(all, func(a, b near) int {
		return cmp.Or(cmp.Compare(b.shared, a.shared), cmp.Compare(a.seconds, b.seconds))
	})
	var sorted []*Cover
	for _, n := range all {
		sorted = append(sorted, n.cover)
	}
	return sorted
}

// shared counts the folders that two packages have in common, plus one if they are
// the same.
func shared(a, b string) int {
	as, bs := strings.Split(a, "/"), strings.Split(b, "/")
	n := 0
	for n < len(as) && n < len(bs) && as[n] == bs[n] {
		n++
	}
	if a == b {
		n++
	}
	return n
}

func firstLine(text string) string {
	lines := strings.SplitN(strings.TrimSpace(text), "\n", 4)
	return strings.Join(lines[:min(3, len(lines))], " | ")
}
