package coil_test

import (
	"fmt"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/pentode-dev/pentode/core/load"
	"github.com/pentode-dev/pentode/core/origin"
	"github.com/pentode-dev/pentode/core/source"
	"github.com/pentode-dev/pentode/internal/golden"
	"github.com/pentode-dev/pentode/lang"
)

// forest is a set of files without cycles: each includes only later ones.
type forest struct {
	includes [][]int
	sets     [][][2]string // key and value
}

func (f *forest) text(i int) string {
	var b strings.Builder
	for _, j := range f.includes[i] {
		fmt.Fprintf(&b, "@include \"f%d.coilcfg\"\n", j)
	}
	b.WriteString("[ARM_X]\n")
	for _, s := range f.sets[i] {
		fmt.Fprintf(&b, "%s = %s\n", s[0], s[1])
	}
	return b.String()
}

// meaning implements inheritance as the document describes it: the included
// files in order, then the file's own settings.
func (f *forest) meaning(i int, into map[string]string) {
	for _, j := range f.includes[i] {
		f.meaning(j, into)
	}
	for _, s := range f.sets[i] {
		into[s[0]] = s[1]
	}
}

func draw(t *rapid.T) *forest {
	n := rapid.IntRange(1, 7).Draw(t, "files")
	f := &forest{includes: make([][]int, n), sets: make([][][2]string, n)}
	for i := range n {
		if i+1 < n {
			f.includes[i] = rapid.SliceOfN(rapid.IntRange(i+1, n-1), 0, 3).Draw(t, "includes")
		}
		for range rapid.IntRange(0, 4).Draw(t, "settings") {
			f.sets[i] = append(f.sets[i], [2]string{rapid.SampledFrom([]string{"A", "B", "C", "D"}).Draw(t, "key"), fmt.Sprintf("v%d_%d", i, len(f.sets[i]))})
		}
	}
	return f
}

// TestInheritance checks whole trees of includes against the documented rule,
// and the origin of every value against the value.
func TestInheritance(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		f := draw(t)
		files := source.Map{}
		for i := range f.sets {
			files[fmt.Sprintf("f%d.coilcfg", i)] = f.text(i)
		}
		c := language.Parse(source.NewFile("f0.coilcfg", files["f0.coilcfg"])).Resolve(&load.Env{Opener: files, Dir: "."})
		want := map[string]string{}
		f.meaning(0, want)
		for e := range c.Values() {
			key := strings.TrimPrefix(e.Key, "ARM_X.")
			if e.Value != want[key] {
				t.Fatalf("%s is %s, want %s", key, e.Value, want[key])
			}
			if last := e.Decided(); last.Text != e.Value || !strings.HasSuffix(last.Span.Text(), "= "+e.Value) {
				t.Fatalf("%s is %s, and its way ends in %+v; want last.Text = %v and last.Span.Text() = %q at the end", key, e.Value, last, e.Value, "= "+e.Value)
			}
			delete(want, key)
		}
		if len(want) > 0 {
			t.Fatalf("%v is missing", want)
		}
	})
}

// TestFlattenKeepsTheMeaning checks that the flattened file has the same
// settings.
func TestFlattenKeepsTheMeaning(t *testing.T) {
	for _, c := range golden.Cases(t, "testdata") {
		t.Run(c.Name, func(t *testing.T) {
			before := c.Config(language)
			if before.Diagnostics().HasErrors() {
				t.Skip("has errors")
			}
			var b strings.Builder
			if _, err := before.Flatten(&b); err != nil {
				t.Fatal(err)
			}
			after := language.Parse(source.NewFile("flat.coilcfg", b.String())).Resolve(&load.Env{Opener: source.Map{}, Dir: "."})
			if got, want := golden.Settings(after, true), golden.Settings(before, true); got != want {
				t.Errorf("flattened\n%s\nmeans\n%s\nnot\n%s", b.String(), got, want)
			}
			if d := after.Diagnostics(); d.HasErrors() {
				t.Errorf("%s in\n%s\nwant no errors", d[0].Message, b.String())
			}
		})
	}
}

// TestSetIsSeen: `show` prints what `set` wrote, for every setting of every
// case without errors.
func TestSetIsSeen(t *testing.T) {
	for _, c := range golden.Cases(t, "testdata") {
		config := c.Config(language)
		if config.Diagnostics().HasErrors() || len(c.Env.Overrides) > 0 {
			continue
		}
		for e := range config.Values() {
			value := other(&e)
			edited, err := config.Edit(lang.Assignment{Key: e.Key, Value: value})
			if err != nil {
				continue // refusing the value is allowed
			}
			if got := valueOf(edited.Config, e.Key); got != value {
				t.Errorf("%s: %s was set to %s and is %s; want %v", c.Name, e.Key, value, got, value)
			}
		}
	}
}

// other returns a value that a setting does not have.
func other(e *origin.Entry) string {
	switch {
	case e.Type == "bool" && e.Value == "true":
		return "false"
	case e.Type == "bool":
		return "true"
	case e.Type == "int" && e.Value == "2":
		return "1"
	case e.Type == "int":
		return "2"
	}
	return "Other"
}

func valueOf(c *lang.Config, key string) string {
	for e := range c.Values() {
		if e.Key == key {
			return e.Value
		}
	}
	return ""
}
