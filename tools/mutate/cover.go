package main

import (
	"bufio"
	"cmp"
	"crypto/sha256"
	"encoding/gob"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"time"
)

// A Cover records which blocks of the module the tests of one package run.
type Cover struct {
	Package string
	Blocks  []Block
	Tests   []Test
	Failed  []string // tests that fail without a mutant and so cannot judge mutants
}

// A Block is a piece of a function that is run as a whole or not at all.
type Block struct {
	File                               string
	Line, Column, LastLine, LastColumn int
}

func (b Block) has(s Site) bool {
	return b.File == s.File &&
		(b.Line < s.Line || b.Line == s.Line && b.Column <= s.Column) &&
		(s.Line < b.LastLine || s.Line == b.LastLine && s.Column < b.LastColumn)
}

// A Test is a test function, or a subtest if the function takes long and has subtests.
type Test struct {
	Name    string // with a slash before the name of a subtest
	Seconds float64
	Ran     []uint64 // a bit for each block
}

func (t Test) ran(block int) bool { return t.Ran[block/64]>>(block%64)&1 != 0 }

// longTest is the time from which the subtests of a test are run one by one.
const longTest = 8 * time.Second

// Covering returns the tests that run a site. A site outside of functions, as in
// a table, is run by every test that runs a function of its file or, if the file
// has no function, of its package.
func (c *Cover) Covering(s Site) []Test {
	near := c.blocks(func(b Block) bool { return b.has(s) })
	if len(near) == 0 {
		near = c.blocks(func(b Block) bool { return b.File == s.File })
	}
	if len(near) == 0 {
		near = c.blocks(func(b Block) bool { return filepath.Dir(b.File) == filepath.Dir(s.File) })
	}
	var tests []Test
	for _, t := range c.Tests {
		if slices.ContainsFunc(near, t.ran) {
			tests = append(tests, t)
		}
	}
	return tests
}

func (c *Cover) blocks(is func(Block) bool) []int {
	var found []int
	for i, b := range c.Blocks {
		if is(b) {
			found = append(found, i)
		}
	}
	return found
}

// Record runs every test of a package once by itself, or reads the records of an
// earlier run with the same files.
func Record(c *Clone, pkg Package, cache string, skip *regexp.Regexp) (*Cover, error) {
	key, err := c.key(pkg)
	if err != nil {
		return nil, err
	}
	path := filepath.Join(cache, "cover", strings.ReplaceAll(pkg.Name, "/", "+")+"-"+key)
	if f, err := os.Open(path); err == nil {
		defer f.Close()
		cover := &Cover{}
		return cover, gob.NewDecoder(bufio.NewReader(f)).Decode(cover)
	}
	r := &recorder{clone: c, pkg: pkg, dir: filepath.Join(cache, "record", filepath.Base(c.dir)), skip: skip, cover: &Cover{Package: pkg.Name}, blocks: map[Block]int{}}
	if err := r.all(); err != nil {
		return nil, fmt.Errorf("%s: %w", pkg.Name, err)
	}
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		return nil, err
	}
	f, err := os.Create(path + ".new")
	if err != nil {
		return nil, err
	}
	if err := errors.Join(gob.NewEncoder(f).Encode(r.cover), f.Close()); err != nil {
		return nil, err
	}
	return r.cover, os.Rename(path+".new", path)
}

// key changes with every file that the coverage of a package can depend on: the
// files of its folder, and the Go files of the packages that it imports.
func (c *Clone) key(pkg Package) (string, error) {
	tree, err := output(c.dir, "git", "ls-tree", "-r", "HEAD")
	if err != nil {
		return "", err
	}
	h := sha256.New()
	for line := range strings.Lines(tree) {
		_, path, _ := strings.Cut(strings.TrimSpace(line), "\t")
		test := strings.HasSuffix(path, "_test.go")
		if strings.HasPrefix(path, pkg.Name+"/") || strings.HasSuffix(path, ".go") && !test && slices.Contains(pkg.Deps, filepath.Dir(path)) {
			io.WriteString(h, line)
		}
	}
	return hex.EncodeToString(h.Sum(nil))[:16], nil
}

type recorder struct {
	clone  *Clone
	pkg    Package
	dir    string
	skip   *regexp.Regexp
	cover  *Cover
	blocks map[Block]int

	covdata string // the program that reads coverage
}

func (r *recorder) all() error {
	if err := os.MkdirAll(r.dir, 0o755); err != nil {
		return err
	}
	covdata, err := output(r.clone.dir, "go", "tool", "-n", "covdata")
	if err != nil {
		return err
	}
	r.covdata = strings.TrimSpace(covdata)
	var deps []string
	for _, d := range r.pkg.Deps {
		deps = append(deps, module+"/"+d)
	}
	program := filepath.Join(r.dir, "covered.test")
	if err := r.clone.compile(r.pkg.Name, program, "-cover", "-covermode=set", "-coverpkg="+strings.Join(deps, ",")); err != nil {
		return err
	}
	list, err := r.clone.run(r.pkg.Name, r.dir, time.Minute, []string{"GOCOVERDIR=" + r.dir}, program, "-test.list=^(Test|Fuzz|Example)")
	if err != nil {
		return fmt.Errorf("%w\n%s", err, list)
	}
	for name := range strings.Lines(list) {
		name = strings.TrimSpace(name)
		if !regexp.MustCompile(`^(Test|Fuzz|Example)\w*$`).MatchString(name) || r.skip.MatchString(name) {
			continue
		}
		parts, err := r.one(program, name)
		if err != nil {
			return err
		}
		for _, part := range parts {
			if _, err := r.one(program, name+"/"+part); err != nil {
				return err
			}
		}
	}
	for i := range r.cover.Tests {
		t := &r.cover.Tests[i]
		t.Ran = append(t.Ran, make([]uint64, (len(r.cover.Blocks)+63)/64-len(t.Ran))...)
	}
	return r.clone.Reset()
}

// one records a test. If the test takes long and has subtests, it returns their
// names instead.
func (r *recorder) one(program, name string) (parts []string, err error) {
	data := filepath.Join(r.dir, "data")
	if err := os.RemoveAll(data); err != nil {
		return nil, err
	}
	if err := os.MkdirAll(data, 0o755); err != nil {
		return nil, err
	}
	begin := time.Now()
	// Programs that the test builds are covered too.
	env := []string{"GOCOVERDIR=" + data, "GOFLAGS=-buildvcs=false -cover -covermode=set -coverpkg=" + module + "/..."}
	out, err := r.clone.run(r.pkg.Name, r.dir, 2*time.Minute, env, program, "-test.v", "-test.run="+pattern(name), "-test.gocoverdir="+data)
	took := time.Since(begin)
	if err != nil {
		r.cover.Failed = append(r.cover.Failed, name)
		fmt.Fprintf(os.Stderr, "mutate: %s %s fails without a mutant: %v\n%s\n", r.pkg.Name, name, err, failures(out))
		return nil, nil
	}
	if took > longTest && !strings.Contains(name, "/") {
		if parts := partsOf(name, out); len(parts) > 1 {
			return parts, nil
		}
	}
	text := filepath.Join(r.dir, "text")
	if _, err := output(r.clone.dir, r.covdata, "textfmt", "-i="+data, "-o="+text); err != nil {
		return nil, err
	}
	ran, err := r.read(text)
	if err != nil {
		return nil, err
	}
	r.cover.Tests = append(r.cover.Tests, Test{Name: name, Seconds: took.Seconds(), Ran: ran})
	return nil, nil
}

func (r *recorder) read(path string) ([]uint64, error) {
	f, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	var ran []uint64
	lines := bufio.NewScanner(f)
	for lines.Scan() {
		line := lines.Text()
		file, where, ok := strings.Cut(line, ":")
		if !ok || strings.HasSuffix(line, " 0") || file == "mode" {
			continue
		}
		b := Block{File: strings.TrimPrefix(file, module+"/")}
		if _, err := fmt.Sscanf(where, "%d.%d,%d.%d", &b.Line, &b.Column, &b.LastLine, &b.LastColumn); err != nil {
			return nil, err
		}
		i, ok := r.blocks[b]
		if !ok {
			i = len(r.cover.Blocks)
			r.blocks[b] = i
			r.cover.Blocks = append(r.cover.Blocks, b)
		}
		for len(ran) <= i/64 {
			ran = append(ran, 0)
		}
		ran[i/64] |= 1 << (i % 64)
	}
	return ran, lines.Err()
}

// partsOf finds the subtests of a test in its output with -test.v.
func partsOf(name, out string) []string {
	var parts []string
	for line := range strings.Lines(out) {
		part, ok := strings.CutPrefix(strings.TrimSpace(line), "=== RUN   "+name+"/")
		if ok && !strings.Contains(part, "/") {
			parts = append(parts, part)
		}
	}
	return parts
}

// pattern returns the pattern that selects the test or subtest with a name.
func pattern(name string) string {
	test, part, ok := strings.Cut(name, "/")
	if !ok {
		return "^" + test + "$"
	}
	return "^" + test + "$/^" + regexp.QuoteMeta(part) + "$"
}

// patterns returns the fewest patterns that select the tests: one for all functions
// together, and one for the subtests of each.
func patterns(tests []Test) []string {
	var whole []string
	parts := map[string][]string{}
	for _, t := range tests {
		if test, part, ok := strings.Cut(t.Name, "/"); ok {
			parts[test] = append(parts[test], regexp.QuoteMeta(part))
		} else {
			whole = append(whole, t.Name)
		}
	}
	var all []string
	if len(whole) > 0 {
		all = append(all, "^("+strings.Join(whole, "|")+")$")
	}
	for test, names := range parts {
		all = append(all, "^"+test+"$/^("+strings.Join(names, "|")+")$")
	}
	slices.SortFunc(all, func(a, b string) int { return cmp.Compare(len(a), len(b)) })
	return all
}

// failures returns the lines that report failed tests.
func failures(out string) string {
	var lines []string
	for line := range strings.Lines(out) {
		if strings.Contains(line, "--- FAIL") || strings.HasPrefix(line, "panic:") {
			lines = append(lines, strings.TrimSpace(line))
		}
	}
	return strings.Join(lines, "; ")
}
