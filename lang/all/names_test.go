package all_test

import (
	"fmt"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/pentode-dev/pentode/core/load"
	"github.com/pentode-dev/pentode/core/problem"
	"github.com/pentode-dev/pentode/core/source"
	"github.com/pentode-dev/pentode/internal/need"
	"github.com/pentode-dev/pentode/lang"
	"github.com/pentode-dev/pentode/lang/all"
	"github.com/pentode-dev/pentode/lang/pinsight"
	"github.com/pentode-dev/pentode/run/flow/catalog"
	"github.com/pentode-dev/pentode/run/flow/pipe"
	"github.com/pentode-dev/pentode/run/trace"
)

// upstreamNames returns names from the programs and standards that
// configurations refer to, including names that no language here knows.
func upstreamNames(t *testing.T) []string {
	text, err := os.ReadFile("testdata/names.txt")
	if err != nil {
		t.Fatal(err)
	}
	var names []string
	for line := range strings.Lines(string(text)) {
		if !strings.HasPrefix(line, "#") {
			names = append(names, strings.Fields(line)...)
		}
	}
	return names
}

// choices returns the lists of names from which a text may use one: the keys of
// a section, the words of a key, the events of a domain, the ports of a type.
func choices(languages []*lang.Language) [][]string {
	var lists [][]string
	for _, l := range languages {
		for _, s := range l.Schema().Sections {
			lists = append(lists, s.KeyNames())
			for _, k := range s.Keys {
				lists = append(lists, k.Enum)
			}
		}
	}
	events := pinsight.Builtin()
	lists = append(lists, events.DomainNames())
	for i := range events.Domains() {
		lists = append(lists, events.EventNames(trace.DomainID(i)))
	}
	for t := range catalog.Standard().All() {
		lists = append(lists, pipe.PortNames(t.In), pipe.PortNames(t.Out))
	}
	return lists
}

// TestNoNameIsMisspelt: a name of a language, or of the programs and standards
// around it, is never taken for a misspelling of another name.
func TestNoNameIsMisspelt(t *testing.T) {
	need.Slow(t)
	languages := all.Languages(all.Options{})
	knows := func(name string) bool {
		return slices.ContainsFunc(languages, func(l *lang.Language) bool { return l.Knows(name) })
	}
	lists := choices(languages)
	for _, list := range lists {
		for _, name := range list {
			if !knows(name) {
				t.Errorf("no language knows its own name %s", name)
			}
		}
	}
	names := upstreamNames(t)
	if len(names) < 1000 {
		t.Fatalf("only %d names", len(names))
	}
	for _, name := range names {
		for _, list := range lists {
			if !knows(name) && problem.Misspelt(name, list) {
				near, _ := problem.Nearest(name, list)
				t.Errorf("%s would be fixed to %s, want no name near it", name, near)
			}
		}
	}
}

// TestNoEventIsFixed checks that a line that switches on an unknown event, or
// one of another domain, is reported without a fix.
func TestNoEventIsFixed(t *testing.T) {
	need.Slow(t)
	l := pinsight.New(pinsight.Options{})
	names := upstreamNames(t)
	events := pinsight.Builtin()
	for i := range events.Domains() {
		names = append(names, events.EventNames(trace.DomainID(i))...)
	}
	for _, domain := range events.DomainNames() {
		for part := range slices.Chunk(names, 50) { // fewer than the limit of findings for one file
			var text strings.Builder
			fmt.Fprintf(&text, "[%s.default]\n", domain)
			for _, name := range part {
				fmt.Fprintf(&text, "    %s = on\n", name)
			}
			f := source.NewFile("a.pinsight", text.String())
			for _, d := range l.Parse(f).Resolve(&load.Env{Opener: source.Map{}, Dir: "."}).Diagnostics() {
				for _, fix := range d.Fixes {
					if fix.Safe && fix.Spelling {
						t.Errorf("%s: %s would be fixed: %s, want no safe fix of an upstream name", domain, d.Span.Text(), fix.Message)
					}
				}
			}
		}
	}
}
