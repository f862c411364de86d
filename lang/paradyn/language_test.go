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

func place() launch.Place {
	return launch.Place{Dir: "/work", LookPath: func(program string) (string, error) { return "/usr/bin/" + program, nil }}
}

var (
	language = paradyn.New(paradyn.Options{Hostname: here, Place: place})
	later    = paradyn.New(paradyn.Options{Hostname: here, Place: place, Dialect: paradyn.PCL})
)

// decls returns the declarations of a configuration.
func decls(c *lang.Config) (launch.Decls, error) {
	m, _ := lang.Model[*paradyn.Model](c)
	return m.Decls()
}

func TestGolden(t *testing.T) { golden.Run(t, language, "testdata") }

func TestGoldenPCL(t *testing.T) { golden.Run(t, later, "testdata/pcl") }

// TestCodes leaves out the codes that only the other dialect or the search has;
// other tests trigger them.
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

// TestOccurrencesHaveNoQuotes: the place of a name is the text inside its quotes,
// even if that is empty.
func TestOccurrencesHaveNoQuotes(t *testing.T) {
	f := source.NewFile("a.psdl", `daemon { name ""; command "d"; host "localhost"; } process { command ""; host "localhost"; daemon "d"; }`)
	all := language.Parse(f).Resolve(&load.Env{}).Occurrences()
	if len(all) < 4 {
		t.Errorf("only %d places", len(all))
	}
	for _, o := range all {
		if strings.Contains(o.Span.Text(), `"`) {
			t.Errorf("a place is `%s`, want no %q in it", o.Span.Text(), `"`)
		}
	}
}

// TestFixedNames: the words of the language and the constants that Paradyn knows
// cannot be renamed.
func TestFixedNames(t *testing.T) {
	golden.FixedNames(t, language, "a.psdl", `tunable_constant { "maxEval" 1; "own" 2; } daemon { command "d"; host "h"; } list "l" { "x" }`,
		"word tunable_constant, word daemon, field daemon.command, field daemon.host, word list, tunable maxEval",
		"tunable own, list l, daemon[0].command")
}

// TestSniff: the first definition decides whether a file without an extension
// belongs to this language.
func TestSniff(t *testing.T) {
	golden.Sniffs(t, language, map[string]bool{
		"daemon {\n": true,
		"\n  // a run\n\n\tprocess  { command \"p\"; }": true,
		"visi {}":                             true,
		"tunable_constant \"maxEval\" 3;":     true,
		"tunable_constant { \"maxEval\" 3; }": true,
		"tunable_constant\n\"maxEval\" 3;":    true,
		"list \"Practice\" { }":               true,
		"tunable_constant = 3":                false,
		"list { }":                            false,
		"list of things":                      false,
		"daemon paradynd {\n":                 false,
		"process a :: numbers\n":              false,
		"// daemon {\n":                       false,
		"x\ndaemon {\n":                       false,
		"":                                    false,
	})
}

// TestSet: where an edit writes and which edits are refused, in files that a test
// archive cannot contain: without a last line break, or with settings on the
// command line.
func TestSet(t *testing.T) {
	const block = `daemon { command "d"; host "h"; }`
	for _, c := range []struct{ text, key, value, want string }{
		{"", "tunable_constant.maxEval", "3", "tunable_constant \"maxEval\" 3;\n"},
		{"// x", "tunable_constant.maxEval", "3", "// x\ntunable_constant \"maxEval\" 3;\n"},
		{"\n", "tunable_constant.maxEval", "3", "\ntunable_constant \"maxEval\" 3;\n"},
		{block, "daemon[0].name", "n", `daemon { command "d"; host "h"; name "n"; }`},
		{block, "daemon[0].flavor", "cm5", `daemon { command "d"; host "h"; flavor cm5; }`},
		{"daemon { // why\ncommand \"d\"; host \"h\"; }", "daemon[0].name", "n", "daemon { // why\ncommand \"d\"; host \"h\";\nname \"n\"; }"},
		{"daemon {\n\tcommand \"d\";\n\thost \"h\"; // last\n}", "daemon[0].name", "n", "daemon {\n\tcommand \"d\";\n\thost \"h\"; // last\n\tname \"n\";\n}"},
		{block, "daemon[0].flavor", "unix", "`daemon[0].flavor` cannot be `unix`: the flavors are pvm and cm5"},
		{block, "daemon[0].host", "", "`daemon[0].host` cannot be ``: it needs at least one character"},
		{block, "daemon[0].host", "a\"b", "`daemon[0].host` cannot be `a\"b`: a string has no quotes and no line breaks"},
		{block, "tunable_constant.\"\"", "3", "the name of a tunable constant has at least one character, no quotes and no line breaks"},
		{block, "tunable_constant.a\"b", "3", "the name of a tunable constant has at least one character, no quotes and no line breaks"},
		{block, "tunable_constant.given", "3", "the command line decides this setting with -s"},
		{`process { command "p"; host "h"; daemon "d"; args { "" }; }`, "process[0].args[0]", "x", `process { command "p"; host "h"; daemon "d"; args { "x" }; }`},
		{`process { command "p"; host "h"; daemon "d"; args { "x" }; }`, "process[0].args[0]", "", `process { command "p"; host "h"; daemon "d"; args { "" }; }`},
		{`process { command "p"; host "h"; daemon "d"; args { "x" }; }`, "process[0].args", "y", "arguments are changed one at a time: `process[0].args[0]`"},
	} {
		env := &load.Env{Overrides: []load.Override{{Key: "tunable_constant.given", Value: "1"}}}
		edited, err := language.Parse(source.NewFile("x.psdl", c.text)).Resolve(env).Edit(lang.Assignment{Key: c.key, Value: c.value})
		got := ""
		switch {
		case err != nil:
			got = err.Error()
		case len(edited.Changes) > 0:
			got = edited.Changes[0].Text
		}
		if got != c.want {
			t.Errorf("%s=%s in %q\n got %q\nwant %q", c.key, c.value, c.text, got, c.want)
		}
	}
}

// TestJSONSchema: the published schema describes what `convert --to json` writes.
func TestJSONSchema(t *testing.T) {
	golden.Converted(t, language, "testdata",
		`{"tunable_constant": {}, "list": {}, "daemon": [{"command": "true", "host": "h", "flavr": "pvm"}], "process": [], "visi": []}`,
		`{"tunable_constant": {"maxEval": "many"}, "list": {}, "daemon": [], "process": [], "visi": []}`,
		`{"tunable_constant": {}, "list": {}, "daemon": [], "process": [{"command": "true", "host": "h"}], "visi": []}`,
		`{"tunables": {}}`)
}
