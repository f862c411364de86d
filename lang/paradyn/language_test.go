package paradyn_test

import (
	"slices"
	"strings"
	"testing"

	"github.com/pentode-dev/pentode/core/diag"
	"github.com/pentode-dev/pentode/core/load"
	"github.com/pentode-dev/pentode/core/source"
	"github.com/pentode-dev/pentode/internal/golden"
	"github.com/pentode-dev/pentode/lang"
	"github.com/pentode-dev/pentode/lang/paradyn"
	"github.com/pentode-dev/pentode/run/launch"
)

func here() string { return "here" }

var (
	language = paradyn.New(paradyn.Options{Hostname: here})
	later    = paradyn.New(paradyn.Options{Hostname: here, Dialect: paradyn.PCL})
)

// decls are the declarations of a configuration.
func decls(c *lang.Config) (launch.Decls, error) {
	m, _ := lang.Model[*paradyn.Model](c)
	return m.Decls()
}

func TestGolden(t *testing.T) { golden.Run(t, language, "testdata") }

func TestGoldenPCL(t *testing.T) { golden.Run(t, later, "testdata/pcl") }

// TestCodes leaves out the codes that only another dialect or the search has;
// their own tests trigger them.
func TestCodes(t *testing.T) {
	l := *language
	l.Codes = slices.DeleteFunc(slices.Clone(l.Codes), func(c *diag.Code) bool {
		return slices.Contains([]string{"paradyn/pcl-kept", "paradyn/unreadable", "paradyn/read-once", "paradyn/nothing-found"}, c.ID)
	})
	golden.Codes(t, &l, "testdata", "x.psdl")
}

func TestGoldenStyle(t *testing.T) { golden.Canonical(t, language, "canonical.psdl") }

func Fuzz(f *testing.F) { golden.Fuzz(f, language, "testdata", "x.psdl") }

func FuzzPCL(f *testing.F) { golden.Fuzz(f, later, "testdata/pcl", "x.psdl") }

func TestSplice(t *testing.T) { golden.Splice(t, language, "testdata", "x.psdl") }

// TestOccurrencesHaveNoQuotes: the place of a name is what is within its quotes,
// also where that is nothing.
func TestOccurrencesHaveNoQuotes(t *testing.T) {
	f := source.NewFile("a.psdl", `daemon { name ""; command "d"; host "localhost"; } process { command ""; host "localhost"; daemon "d"; }`)
	all := language.Parse(f).Resolve(&load.Env{}).Occurrences()
	if len(all) < 4 {
		t.Errorf("only %d places", len(all))
	}
	for _, o := range all {
		if strings.Contains(o.Span.Text(), `"`) {
			t.Errorf("a place is `%s`", o.Span.Text())
		}
	}
}
