package main

import (
	"bufio"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"text/tabwriter"
)

// An Outcome is the result of testing a mutant.
type Outcome string

const (
	Killed     Outcome = "killed"     // a test failed or did not end
	Survived   Outcome = "survived"   // every test that runs the line passed, or none does
	Broken     Outcome = "broken"     // does not compile: no mutant
	Equivalent Outcome = "equivalent" // marked by hand: it changes nothing that a test could see
)

// A Result is one line of the results file. The last line about a mutant counts.
type Result struct {
	ID      string
	Area    string
	At      string // file:line at the time of the run
	Outcome Outcome
	By      string  // the test that failed, or the reason given by hand
	Seconds float64 `json:",omitempty"`
}

// Results are kept in a file that only grows, so that an interrupted run can be
// continued.
type Results struct {
	path string
	mu   sync.Mutex
	last map[string]Result
}

// OpenResults reads the results so far. A missing file counts as empty.
func OpenResults(path string) (*Results, error) {
	r := &Results{path: path, last: map[string]Result{}}
	f, err := os.Open(path)
	if errors.Is(err, fs.ErrNotExist) {
		return r, os.MkdirAll(filepath.Dir(path), 0o755)
	}
	if err != nil {
		return nil, err
	}
	defer f.Close()
	lines := bufio.NewScanner(f)
	for lines.Scan() {
		var one Result
		// The mutant of a truncated line is run again: the program was interrupted.
		if json.Unmarshal(lines.Bytes(), &one) == nil {
			r.last[one.ID] = one
		}
	}
	return r, lines.Err()
}

// Add appends one result.
func (r *Results) Add(one Result) error {
	line, err := json.Marshal(one)
	if err != nil {
		return err
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	f, err := os.OpenFile(r.path, os.O_APPEND|os.O_CREATE|os.O_WRONLY, 0o644)
	if err != nil {
		return err
	}
	r.last[one.ID] = one
	_, err = f.Write(append([]byte{'\n'}, append(line, '\n')...))
	return errors.Join(err, f.Close())
}

// judgeByHand records that a survivor changes nothing that a test could see.
func (r *Results) judgeByHand(id, why string) error {
	one, ok := r.Of(id)
	if !ok || why == "" {
		return errors.New("`-equivalent` expects the ID of a mutant as the table prints it, and `-why`")
	}
	one.Outcome, one.By = Equivalent, why
	return r.Add(one)
}

// Of returns the last result of a mutant.
func (r *Results) Of(id string) (Result, bool) {
	r.mu.Lock()
	defer r.mu.Unlock()
	one, ok := r.last[id]
	return one, ok
}

// Print writes the table of areas, and the survivors below it.
func (r *Results) Print(w io.Writer) error {
	r.mu.Lock()
	defer r.mu.Unlock()
	counts := map[string]map[Outcome]int{}
	var alive []Result
	for _, id := range slices.Sorted(maps.Keys(r.last)) {
		one := r.last[id]
		for _, area := range []string{one.Area, "~ all"} { // sorted after every name
			if counts[area] == nil {
				counts[area] = map[Outcome]int{}
			}
			counts[area][one.Outcome]++
		}
		if one.Outcome == Survived {
			alive = append(alive, one)
		}
	}
	table := tabwriter.NewWriter(w, 0, 0, 2, ' ', 0)
	fmt.Fprintln(table, "area\tmutants\tkilled\tequivalent\tsurvived\tkilled of those that differ")
	for _, area := range slices.Sorted(maps.Keys(counts)) {
		n := counts[area]
		differ := n[Killed] + n[Survived]
		share := "-"
		if differ > 0 {
			share = fmt.Sprintf("%d %%", 100*n[Killed]/differ)
		}
		fmt.Fprintf(table, "%s\t%d\t%d\t%d\t%d\t%s\n", strings.TrimPrefix(area, "~ "), differ+n[Equivalent], n[Killed], n[Equivalent], n[Survived], share)
	}
	if err := table.Flush(); err != nil {
		return err
	}
	for _, one := range alive {
		if _, err := fmt.Fprintf(w, "survived: %s (at %s, %s)\n", one.ID, one.At, one.By); err != nil {
			return err
		}
	}
	return nil
}
