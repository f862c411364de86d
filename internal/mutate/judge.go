package main

import (
	"cmp"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"
)

// A judge tests mutants in one clone.
type judge struct {
	clone    *Clone
	covers   []*Cover
	programs string // the folder of test programs
	packages int    // so many test packages at most judge a mutant
}

// work judges the mutants of an area until there are as many as wanted. What
// is known already counts, and is not run again unless that was asked for.
func (j *judge) work(queue []Site, o options, results *Results) error {
	if err := os.MkdirAll(j.programs, 0o755); err != nil {
		return err
	}
	counted := 0
	for _, s := range queue {
		if counted == o.n && o.at == "" && !o.again {
			break
		}
		r, ok := results.Of(s.ID())
		if !ok || o.at != "" || o.again {
			var err error
			if r, err = j.judge(s); err != nil {
				return err
			}
			if err := results.Add(r); err != nil {
				return err
			}
			fmt.Fprintf(os.Stderr, "%-10s %5.1f s  %s: %s %s -> %s: %s\n", r.Outcome, r.Seconds, r.At, s.Kind, s.Was, s.Now, r.By)
		}
		if r.Outcome != Broken {
			counted++
		}
	}
	return nil
}

// judge runs the tests that run the site: those of its own package first, then
// those of others, until one fails.
func (j *judge) judge(s Site) (Result, error) {
	begin := time.Now()
	r := Result{ID: s.ID(), Area: area(s.File), At: s.At(), Outcome: Survived, By: "no test runs it"}
	path := filepath.Join(j.clone.dir, s.File)
	text, err := os.ReadFile(path)
	if err != nil {
		return r, err
	}
	if err := os.WriteFile(path, s.Apply(text), 0o644); err != nil {
		return r, err
	}
	for i, cover := range nearest(s, j.covers) {
		if i == j.packages {
			break
		}
		if r.Outcome, r.By, err = j.test(cover, s); err != nil || r.Outcome != Survived {
			break
		}
	}
	r.Seconds = time.Since(begin).Round(100 * time.Millisecond).Seconds()
	return r, errors.Join(err, j.clone.Reset())
}

func (j *judge) test(cover *Cover, s Site) (Outcome, string, error) {
	program := filepath.Join(j.programs, "mutant.test")
	if err := j.clone.compile(cover.Package, program); err != nil {
		return Broken, firstLine(err.Error()), nil
	}
	tests := cover.Covering(s)
	limit := 30 * time.Second
	for _, t := range tests {
		limit += time.Duration(5 * t.Seconds * float64(time.Second))
	}
	for _, pattern := range patterns(tests) {
		out, err := j.clone.run(cover.Package, j.programs, limit, nil, program, "-test.failfast", "-test.timeout=0", "-test.run="+pattern)
		if errors.Is(err, errTimeout) {
			return Killed, cover.Package + ": time-out", nil
		}
		if err != nil {
			return Killed, cover.Package + ": " + cmp.Or(failures(out), firstLine(out)), nil
		}
	}
	return Survived, "the last that passed were tests of " + cover.Package, nil
}

// nearest are the packages with tests that run a site, the nearest to it in
// the tree first, then those with the quickest tests.
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

// shared counts the folders that two packages have in common; one that is the
// other has one more.
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
	text = strings.TrimSpace(text)
	lines := strings.SplitN(text, "\n", 4)
	return strings.Join(lines[:min(3, len(lines))], " | ")
}
