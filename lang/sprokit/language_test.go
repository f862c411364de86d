package sprokit_test

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/pentode-dev/pentode/core/load"
	"github.com/pentode-dev/pentode/core/source"
	"github.com/pentode-dev/pentode/internal/golden"
	"github.com/pentode-dev/pentode/lang"
	"github.com/pentode-dev/pentode/lang/sprokit"
	"github.com/pentode-dev/pentode/run/flow/catalog"
	"github.com/pentode-dev/pentode/run/flow/pipe"
)

// language knows the standard types, and one with a static port.
var language = sprokit.New(sprokit.Options{Types: types(), Machine: func() sprokit.Machine {
	return sprokit.Machine{
		Hostname: "node7", Domain: "node7.lab", OS: "Linux", Description: "Linux 6.1", Platform: "x86_64", Version: "#1",
		TotalMemory: 2048, FreeMemory: 1024, TotalVirtual: 4096, FreeVirtual: 3072, Processors: 8, PID: 4711,
	}
}})

func types() *pipe.Registry {
	r := catalog.Standard()
	err := r.Add(&pipe.Type{Name: "scaled", Doc: "Takes numbers and a factor.", In: []pipe.Port{
		{Name: "number", Type: "integer", Flags: pipe.Required},
		{Name: "factor", Type: "integer", Flags: pipe.Static},
	}})
	if err != nil {
		panic(err)
	}
	return r
}

func TestGolden(t *testing.T) {
	t.Setenv("SPROKIT_PYTHON_MODULES", "") // modules may have algorithms
	golden.Run(t, language, "testdata")
}

func TestCodes(t *testing.T) { golden.Codes(t, language, "testdata", "x.pipe") }

func TestGoldenStyle(t *testing.T) {
	golden.Canonical(t, language, "canonical.pipe")
	golden.Canonical(t, language, "canonical.cluster")
}

func Fuzz(f *testing.F) { golden.Fuzz(f, language, "testdata", "x.pipe", "x.cluster") }

func TestSplice(t *testing.T) {
	golden.Splice(t, language, "testdata", "x.pipe")
	golden.Splice(t, language, "testdata", "x.cluster")
}

// TestCompleteConnect offers the side after `connect`, and a port after the side.
func TestCompleteConnect(t *testing.T) {
	const before = "process a\n  :: numbers\nprocess s\n  :: sink\n"
	for text, want := range map[string]string{"connect ": "from", "connect fr": "from", "connect from a": "a", "connect from a.": "number", "connect from a.number to s.": "sink"} {
		f := source.NewFile("a.pipe", before+text)
		var got []string
		for _, c := range language.Parse(f).Resolve(&load.Env{}).Complete(f, f.Len()) {
			got = append(got, c.Label)
		}
		if !slices.ContainsFunc(got, func(label string) bool { return strings.HasSuffix(label, want) }) {
			t.Errorf("%q: have %q, want %s among them", text, got, want)
		}
	}
}

// TestSetAtTheEnd: a new section begins after an empty line, unless it is the first.
func TestSetAtTheEnd(t *testing.T) {
	const section = "config _scheduler\n  type = sync\n"
	for text, want := range map[string]string{
		"": section, "\n": "\n\n" + section, "#": "#\n\n" + section, "# a comment": "# a comment\n\n" + section, "# a comment\n": "# a comment\n\n" + section,
		"config _scheduler":       section[:len(section)-1],
		"config _scheduler # why": "config _scheduler # why\n  type = sync",
	} {
		c := language.Parse(source.NewFile("a.conf", text)).Resolve(&load.Env{})
		edited, err := c.Edit(lang.Assignment{Key: "_scheduler:type", Value: "sync"})
		if err != nil || edited.Changes[0].Text != want {
			t.Errorf("%q: %v, %+v", text, err, edited.Changes)
		}
	}
}

// TestExtract moves a value to a name on the line above, which the entry then reads.
func TestExtract(t *testing.T) {
	const text = "process a :: numbers\n  start = 12 # why\n\tblock b\n\t:c:key x\nendblock\n  end = $CONFIG{a:start}\n  m := 3\n  relativepath p = f\n  none =\n"
	f := source.NewFile("a.pipe", text)
	c := language.Parse(f).Resolve(&load.Env{})
	for place, want := range map[string]string{
		"12": "  start_value := 12\n  start = $LOCAL{start_value} # why\n",
		" #": "  start_value := 12\n  start = $LOCAL{start_value} # why\n", // right after the value
		"x":  "\tkey_value := x\n\t:c:key $LOCAL{key_value}\n",
		"$":  "", "start": "", " # why": "  start_value := 12\n  start = $LOCAL{start_value} # why\n", "# why": "", "3": "", "f\n": "", "numbers": "", "=\n": "",
	} {
		edits := c.Extract(f, strings.Index(text, place))
		if (len(edits) > 0) != (want != "") {
			t.Errorf("at %q: %v, want %v", place, edits, (want != ""))
			continue
		}
		got, err := source.Apply(f, edits)
		if err != nil || !strings.Contains(got, want) || want == "" && got != text {
			t.Errorf("at %q: %v\n%s", place, err, got)
		}
	}
	if edits := c.Extract(source.NewFile("b.pipe", text), strings.Index(text, "12")); edits != nil {
		t.Errorf("a file that is no part of the pipeline has %v", edits)
	}
}

// TestCompleteTypes offers types and the clusters beside the file after `::`. Types that cannot run here come later.
func TestCompleteTypes(t *testing.T) {
	dir := t.TempDir()
	write(t, dir, "twice.cluster", "cluster twice\n  -- Doubles.\n")
	for _, text := range []string{"process a\n  :: num", "process a ::num"} {
		f := source.NewFile(filepath.Join(dir, "a.pipe"), text)
		later := map[string]bool{}
		kinds := map[string]lang.Kind{}
		for _, c := range language.Parse(f).Resolve(&load.Env{Opener: source.Disk{}, Dir: dir}).Complete(f, f.Len()) {
			if c.Replace.Text() != "num" {
				t.Errorf("%s replaces %q, want %q", c.Label, c.Replace.Text(), "num")
			}
			if kinds[c.Label] != "" {
				t.Errorf("%s is offered twice", c.Label)
			}
			later[c.Label], kinds[c.Label] = c.Later, c.Kind
		}
		if kinds["numbers"] != lang.Type || kinds["twice"] != lang.Cluster || kinds["multiplier_cluster"] != lang.Cluster || later["numbers"] || !later["algo_wrapper"] {
			t.Errorf("%q: kinds %v, later %v; want numbers a type to run now, twice and multiplier_cluster clusters, and algo_wrapper for later", text, kinds, later)
		}
	}
}

// TestCompleteIncludes offers files that can be included, and folders, after `include`: beside the file and in the folders of the command line.
func TestCompleteIncludes(t *testing.T) {
	dir, more := t.TempDir(), t.TempDir()
	for _, name := range []string{"a.pipe", "b.conf", "c.config", "d.pipeline", "e.txt", "f.cluster", "sub/g.conf"} {
		write(t, dir, name, "")
	}
	write(t, more, "h.conf", "")
	f := source.NewFile(filepath.Join(dir, "x.pipe"), "include ")
	var got []string
	for _, c := range language.Parse(f).Resolve(&load.Env{Opener: source.Disk{}, Dir: dir, Include: []string{more}}).Complete(f, f.Len()) {
		got = append(got, c.Label)
	}
	slices.Sort(got)
	if want := "a.pipe b.conf c.config d.pipeline h.conf sub/"; strings.Join(got, " ") != want {
		t.Errorf("have %q, want %q", got, want)
	}
}

func write(t *testing.T, dir, name, text string) {
	t.Helper()
	path := filepath.Join(dir, name)
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
		t.Fatal(err)
	}
}

// TestTemplate: in a template, a tool replaces the placeholders before the file is read. Other wrong values are still reported.
func TestTemplate(t *testing.T) {
	template := sprokit.New(sprokit.Options{Types: types(), Template: func(path string) bool { return path == "t.pipe" }})
	for _, c := range []struct{ path, value, want string }{
		{"t.pipe", "[-COUNT-]", ""},
		{"t.pipe", "1[-ZEROS-]0", ""},
		{"t.pipe", "many", "bad-value"},
		{"t.pipe", "[-COUNT", "bad-value"},
		{"t.pipe", "-][-", "bad-value"},
		{"t.pipe", "COUNT-]", "bad-value"},
		{"a.pipe", "[-COUNT-]", "bad-value"},
	} {
		text := "process n :: numbers\n  end = " + c.value + "\nprocess s :: sink\nconnect from n.number to s.sink\n"
		var got []string
		for _, d := range template.Parse(source.NewFile(c.path, text)).Resolve(&load.Env{}).Diagnostics() {
			got = append(got, strings.TrimPrefix(d.Code.ID, "sprokit/"))
		}
		if strings.Join(got, " ") != c.want {
			t.Errorf("%s with %s: %s, want %s", c.path, c.value, got, c.want)
		}
	}
}

// TestAttributeAtTheEnd: a file may end within the attributes of a key.
func TestAttributeAtTheEnd(t *testing.T) {
	var last lang.Occurrence
	for _, o := range language.Parse(source.NewFile("x.pipe", "process a :: orphan\n  k[ro")).Resolve(&load.Env{Opener: source.Map{}, Dir: "."}).Occurrences() {
		last = o
	}
	if last.Kind != lang.Keyword || last.Span.Text() != "ro" {
		t.Errorf("the last word is %q, %v; want last.Kind = %v and last.Span.Text() = %q", last.Span.Text(), last.Kind, lang.Keyword, "ro")
	}
}

// TestParts: the parts of a pipeline include the parts inside its clusters, below the names of their instances.
func TestParts(t *testing.T) {
	files := source.Map{"twice.cluster": "cluster twice\n  -- Doubles.\n  imap from i to m.factor1\n  -- in\n  omap from m.product to o\n  -- out\nprocess m :: multiplication\nprocess c :: const_number\nconnect from c.number to m.factor2\n"}
	f := source.NewFile("x.pipe", "process n :: numbers\nprocess t :: twice\nconnect from n.number to t.i\n")
	var got []string
	for p := range language.Parse(f).Resolve(&load.Env{Opener: files, Dir: "."}).Parts() {
		got = append(got, p.Text)
	}
	want := []string{
		"process n :: numbers", "process t :: twice", "imap t.i = m.factor1", "omap t.o = m.product",
		"process t/m :: multiplication", "process t/c :: const_number", "connect from t/c.number to t/m.factor2", "connect from n.number to t.i",
	}
	if !slices.Equal(got, want) {
		t.Errorf("have %q, want %q", got, want)
	}
}

// TestMisspeltIncludes: for the first missing files a similar name is suggested, if the files of the project are known. Many missing files are no
// typing mistakes.
func TestMisspeltIncludes(t *testing.T) {
	const most = 10
	files := source.Map{"input.conf": ""}
	for _, known := range []bool{true, false} {
		env := &load.Env{Opener: files, Dir: "."}
		want := 0
		if known {
			env.Names, want = func() []string { return []string{"input.conf"} }, most
		}
		helped := 0
		for _, d := range language.Parse(source.NewFile("x.pipe", strings.Repeat("include inptu.conf\n", most+1))).Resolve(env).Diagnostics() {
			if slices.ContainsFunc(d.Help, func(h string) bool { return strings.Contains(h, "did you mean `input.conf`?") }) {
				helped++
			}
		}
		if helped != want {
			t.Errorf("%d of %d are helped, want %d", helped, most+1, want)
		}
	}
}

// TestFixedNames: the words of the language and of the types cannot be renamed.
func TestFixedNames(t *testing.T) {
	golden.FixedNames(t, language, "a.pipe", "config _pipeline\n  _edge:capacity = 3\nconfig s\n  k = $ENV{HOME} $LOCAL{x}\nprocess a :: numbers\n  end = 3\n  own = $CONFIG{s:k}\nprocess b :: sink\nconnect from a.number to b.sink\n",
		"key _pipeline, key _pipeline:_edge, key _pipeline:_edge:capacity, variable HOME, type numbers, key a:end, type sink, output a.number, input b.sink",
		"key s, key s:k, process a, key a:own, key s, key s:k, process b, process a, process b")
}

// TestJSONSchema: the published schema describes the output of `convert --to json`.
func TestJSONSchema(t *testing.T) {
	golden.Converted(t, language, "testdata",
		`{"processes": [], "connections": []}`,
		`{"processes": [{"name": "n", "type": "numbers", "config": {"end": 3}}], "connections": [], "config": {}}`,
		`{"processes": [], "connections": [{"form": "a.b", "to": "c.d"}], "config": {}}`)
}
