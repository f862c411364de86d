package project

import (
	"errors"
	"fmt"
	"io/fs"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/pentode-dev/pentode/core/diag"
	"github.com/pentode-dev/pentode/core/load"
	"github.com/pentode-dev/pentode/core/source"
)

var names = Names{
	Codes:     []string{"sprokit/unknown-port", "sprokit/unknown-type", "pinsight/upstream-range"},
	Languages: []string{"coil", "paradyn", "sprokit", "pdi", "pinsight"},
	Launch: Launch{
		Programs: []Key{
			{Name: "after"}, {Name: "copies", Takes: "a number", Doc: "how often it is started"}, {Name: "env", Table: true}, {Name: "ready", Words: []string{"none", "tcp:"}},
			{Name: "ready-within"}, {Name: "restart"},
		},
		Runs: []Key{{Name: "map", Table: true}, {Name: "nodes", Takes: "a number", Doc: "the machines of the job"}, {Name: "time"}},
		Judge: func(_ []string, value Value) error {
			if value.Text == "soon" {
				return errors.New("`soon` is no way to be ready")
			}
			return nil
		},
		JudgeRun: func(path []string, value Value) error {
			if path[0] == "nodes" && value.Text == "0" {
				return errors.New("`0` is not a number of at least 1")
			}
			return nil
		},
	},
}

// read returns the project of a file `p/pentode.toml`.
func read(text string, config ...string) *Project {
	f := &Finder{Opener: source.Map{"p/pentode.toml": text}, Names: names, Config: config}
	return f.Of("p/x.pipe", false)
}

const everything = `
exclude = ["build/", "third_party/"]
ignore  = ["pinsight/upstream-*"]
as      = "upstream"

[per-file-ignore]
"configs/old/**" = ["sprokit/*"]

[severity]
"sprokit/unknown-type" = "info"

[files]
"configs/**/*.yml" = "pdi"
"configs/site.yml" = "none"

[env]
VIAME_INSTALL = "${project}/x"

[sprokit]
include   = ["configs/pipelines"]
types     = ["types/viame.json"]
complete  = true
fragments = ["configs/**/common_*.pipe"]
templates = ["configs/templates/*.pipe"]
as        = "documented"

[pinsight]
catalog = ["site-domains.json"]

[coil]
targets = ["machines/"]

[launch.solver]
ready        = "tcp:4711"
ready-within = "2m"
restart      = "on-failure:3"

[launch.viewer]
ready = "none"
`

func TestEverything(t *testing.T) {
	p := read(everything)
	if len(p.Problems()) > 0 {
		t.Fatalf("%v; want at most 0", p.Problems()[0].Message)
	}
	install, _ := p.Getenv("VIAME_INSTALL")
	_, other := p.Getenv("HOME")
	documented, _ := p.Dialect("sprokit")
	upstream, _ := p.Dialect("coil")
	for what, ok := range map[string]bool{
		"a folder is excluded":            p.Excludes("p/a/build", true),
		"a file of its name is not":       !p.Excludes("p/a/build", false),
		"what is above is not":            !p.Excludes("build", true),
		"a pattern names a language":      p.Language("p/configs/a/b.yml") == "pdi",
		"the last pattern decides":        p.Language("p/configs/site.yml") == NoLanguage,
		"other files are not named":       p.Language("p/b.yml") == "",
		"the folder of the project":       install == filepath.Join(absolute("p"), "x"),
		"no other variable":               !other,
		"the dialect of one language":     documented == load.Documented,
		"the dialect of the others":       upstream == load.Upstream,
		"a path is relative to the file":  p.Include[0].Name == filepath.Join("p", "configs", "pipelines"),
		"types":                           p.Types[0].Name == filepath.Join("p", "types", "viame.json"),
		"the types are complete":          p.Complete,
		"catalogues":                      p.Catalogs[0].Name == filepath.Join("p", "site-domains.json"),
		"targets":                         p.Targets[0].Name == filepath.Join("p", "machines"),
		"a fragment":                      p.IsFragment("p/configs/x/common_a.pipe"),
		"no fragment":                     !p.IsFragment("p/configs/x/a.pipe"),
		"a template":                      p.IsTemplate("p/configs/templates/a.pipe"),
		"an ignored code":                 !p.Wants("pinsight/upstream-range", nil),
		"a code":                          p.Wants("sprokit/unknown-port", source.NewFile("p/configs/new/a.pipe", "")),
		"a code that is ignored in files": !p.Wants("sprokit/unknown-port", source.NewFile("p/configs/old/x/a.pipe", "")),
	} {
		if !ok {
			t.Errorf("not so: %s", what)
		}
	}
}

func TestFindings(t *testing.T) {
	for _, c := range []struct{ text, want string }{
		{"sprokit.complete = \"yes\"", "1:20 project/bad-value `sprokit.complete` takes true or false"},
		{"exclude = 3", "1:11 project/bad-value `exclude` takes a list of texts"},
		{"exclude = \"a\"", ""},
		{"exclude = [\"a\", \"/\"]", "1:17 project/bad-value the pattern `/` matches nothing"},
		{"exclud = []", "1:1 project/unknown-key there is no setting `exclud`; did you mean `exclude`?"},
		{"[sprokt]\ninclude = []", "1:2 project/unknown-key there is no setting `sprokt`; did you mean `sprokit`?\n2:1 project/unknown-key there is no setting `sprokt.include`; did you mean `sprokit.include`?"},
		{"[sprokit]\nfragment = []", "2:1 project/unknown-key there is no setting `sprokit.fragment`; did you mean `fragments`?"},
		{"sprokit.fragment = []", "1:9 project/unknown-key there is no setting `sprokit.fragment`; did you mean `fragments`?"},
		{"sprokit = { fragment = [] }", "1:13 project/unknown-key there is no setting `sprokit.fragment`; did you mean `fragments`?"},
		{"[[env]]\nA = \"1\"", "1:3 project/bad-value `env` is one table, not a list of them; write `[env]`"},
		{"as = \"upsteam\"", "1:6 project/bad-value `upsteam` is not a dialect; write `documented` or `upstream`"},
		{"[severity]\n\"sprokit/unknown-prot\" = \"eror\"", "2:1 project/unknown-code no finding has the code `sprokit/unknown-prot`; did you mean `sprokit/unknown-port`?\n2:26 project/bad-value `eror` is not a severity; write `error`, `warning` or `info`; `ignore` is for codes that do not matter at all"},
		{"[files]\n\"*.yml\" = \"pid\"", "2:11 project/bad-value `pid` is not a language; did you mean `pdi`?"},
		{"[env]\nA = 1", "2:5 project/bad-value `env.A` takes a text; write it in quotes"},
		{"a = 1\na = 2", "2:1 project/not-toml"},
		{"as = 1\n", "1:6 project/bad-value `as` takes a text; write it in quotes"},
		{"[sprokit]\nas = \"x\"", "2:6 project/bad-value `x` is not a dialect"},
		{"[severity]\n\"sprokit/*\" = 1", "2:15 project/bad-value `severity.sprokit/*` takes a text"},
		{"[severity]\n\"quite/another\" = \"info\"", "2:1 project/unknown-code no finding has the code `quite/another`; `pentode explain CODE` explains a code"},
		{"[files]\n\"a\" = 1", "2:7 project/bad-value `files.a` takes a text"},
		{"[files]\n\"a\" = \"zzz\"", "`zzz` is not a language; write coil, paradyn, sprokit, pdi, pinsight, none"},
		{"[trace]\noverhead = \"0%\"", "2:12 project/bad-value `0%` is not a share; write one such as `1%`"},
		{"[trace]\noverhead = 1", "2:12 project/bad-value `trace.overhead` takes a text"},
		{"[trace]\nring = \"3MB\"", "2:8 project/bad-value the size of a buffer must be a power of two, such as `8MB`"},
		{"[trace]\nfull = \"block\"", "2:8 project/bad-value `block` is not a choice; write `drop` or `wait`"},
		{"[trace]\nring = 8192\nfull = \"wait\"\ngaps = false", ""},
		{"[trace]\nbytes = \"much\"", "2:9 project/bad-value `much` is not a size; write one such as `4MB`"},
		{"[trace]\nbyte = \"2GB\"", "2:1 project/unknown-key there is no setting `trace.byte`; did you mean `bytes`?"},
		{"[trace]\nbytes = \"2GB\"\noverhead = \"1%\"", ""},
		{"[lanch.d]\na = 1", "1:8 project/unknown-key there is no setting `lanch.d`; did you mean `launch`?"},
		{"[launch.d]\na = 1", "2:1 project/unknown-key there is no setting `launch.d.a`; there are after, copies, env, ready, ready-within, restart"},
		{"[launch.d]\ncopis = 1", "2:1 project/unknown-key there is no setting `launch.d.copis`; did you mean `copies`?"},
		{"[launch]\nd = 1", "2:1 project/unknown-key there is no setting `launch.d`; `[launch.NAME]` has the settings of one program; settings of whole runs are in `[run]`"},
		{"[run]\nd = 1", "2:1 project/unknown-key there is no setting `run.d`; there are map, nodes, time"},
		{"[run]\nnode = 1", "2:1 project/unknown-key there is no setting `run.node`; did you mean `nodes`?"},
		{"[run]\nnodes = 0", "2:9 project/bad-value `0` is not a number of at least 1"},
		{"[run]\nnodes = 1979-05-27", "project/bad-value `run.nodes` takes a text, a number or a list of these"},
		{"[run]\nmap = 1", "2:7 project/bad-value `map` is a table: write `map.NAME = …`"},
		{"[run]\nmap = { a = \"b\" }", ""},
		{"[run.map]\na = \"b\"", ""},
		{"[run.nodes]\na = 1", "1:6 project/bad-value `nodes` is a value, not a table\n2:5 project/bad-value `nodes.a` is a value, not a table"},
		{"[run.mup]", "1:6 project/unknown-key there is no setting `run.mup`; did you mean `map`?"},
		{"[[run.map]]\na = \"b\"", "1:7 project/bad-value `run.map` is one table, not a list of them; write it in single brackets"},
		{"[run]\nnodes = 2\n[launch.solver]\ncopies = 2", ""},
		{"[[launch.d]]\ncopies = 1", "1:10 project/bad-value `launch.d` is one table, not a list of them; write it in single brackets"},
		{"[launch.d]\nenv = 1", "2:7 project/bad-value `env` is a table: write `env.NAME = …`"},
		{"[launch.d.env]\nA.b = 1", "2:7 project/bad-value `env.A.b` is a table: write `env.NAME = …`"},
		{"[launch.d.copies]\na = 1", "1:11 project/bad-value `launch.d.copies` takes a text, a number or a list of these\n2:5 project/bad-value `copies.a` is a value, not a table"},
		{"[launch.d]\nready = \"soon\"", "2:9 project/bad-value `soon` is no way to be ready"},
		{"[launch.d]\ncopies = [[1]]", "project/bad-value `launch.d.copies` takes a text, a number or a list of these"},
		{"[env.x]\na = \"1\"", "1:6 project/unknown-key there is no setting `env.x`"},
		{"[sprokit.as]\nx = \"1\"", "1:10 project/unknown-key there is no setting `sprokit.as`"},
		{"env.a.b = \"1\"", "1:7 project/unknown-key there is no setting `env.a.b`"},
		{"\"sprokit.as\" = \"upstream\"", "1:1 project/unknown-key there is no setting `sprokit.as`"},
		{"zzzzzz = 1", "1:1 project/unknown-key there is no setting `zzzzzz`; there are as, coil, env, exclude, files, ignore"},
		{"exclude = [1]", "1:1 project/bad-value `exclude` takes a list of texts; write `exclude = [\"…\"]`"},
		{"exclude = [\n# a comment\n\"a\"]", ""},
		{"# a comment\nas = \"upstream\" x\n", "2:17 project/not-toml"},
		{"exclude = [", "project/not-toml"},
	} {
		var got []string
		for _, d := range read(c.text).Problems() {
			p := d.Span.Position()
			got = append(got, fmt.Sprintf("%d:%d %s", p.Line, p.Column, strings.Join(append([]string{d.Code.ID + " " + d.Message}, d.Help...), "; ")))
		}
		if s := strings.Join(got, "\n"); s != c.want && (c.want == "" || !strings.Contains(s, c.want)) {
			t.Errorf("%s\n got %s\nwant %s", c.text, s, c.want)
		}
	}
}

// TestPlaces: a finding underlines the whole key or value.
func TestPlaces(t *testing.T) {
	for text, want := range map[string]string{
		"exclude = 314": "314", "exclud = []": "exclud", "as = \"upsteam\"": "\"upsteam\"", "[sprokit]\nfragment = []": "fragment",
		"exclude = [\"a\", \"/\"]": "\"/\"",
	} {
		if found := read(text).Problems(); len(found) != 1 || found[0].Span.Text() != want {
			t.Errorf("%s: %v, want one about %s", text, found, want)
		}
	}
}

// TestConfig: a value on the command line replaces the value in the file; lists are
// replaced as a whole.
func TestConfig(t *testing.T) {
	p := read(everything, "as=documented", `sprokit.include=["a", "b"]`, "exclude=out/", `severity."sprokit/unknown-type"=error`, `pinsight.catalog=[]`)
	if len(p.Problems()) > 0 {
		t.Fatalf("%v; want at most 0", p.Problems()[0].Message)
	}
	dialect, _ := p.Dialect("coil")
	severity, _ := p.severityOf("sprokit/unknown-type")
	if dialect != load.Documented || severity != diag.Error || len(p.Include) != 2 || len(p.Catalogs) != 0 || p.Excludes("p/build", true) || !p.Excludes("p/out", true) {
		t.Errorf("%v %v %v %v; want documented, an error, 2 folders, no catalogue, and out excluded alone", dialect, severity, p.Include, p.Catalogs)
	}
	for _, c := range []struct{ config, want string }{
		{"as", "expected KEY=VALUE, not `as`"}, {"", "expected KEY=VALUE"}, {"as=x", "`x` is not a dialect"}, {"az=upstream", "did you mean `as`?"}, {"a b=1", "is not a key and a value"},
	} {
		if found := read("", c.config, "az=1").Problems(); len(found) != 2 {
			t.Errorf("--config %s: a mistake behind it is not reported: %v", c.config, found)
		}
		f := &Finder{Opener: source.Map{}, Names: names, Config: []string{c.config}}
		if err := f.Validate(); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("--config %s: %v", c.config, err)
		}
	}
}

// TestNearest: only the nearest project file above a file applies.
func TestNearest(t *testing.T) {
	files := source.Map{"pentode.toml": `as = "upstream"`, "a/pentode.toml": `exclude = ["x"]`}
	f := &Finder{Opener: files, Names: names}
	if _, ok := f.Of("b/c/d.pipe", false).Dialect("coil"); !ok {
		t.Error("the project file above does not apply")
	}
	if _, ok := f.Of("a/c/d.pipe", false).Dialect("coil"); ok {
		t.Error("a project file further up applies too")
	}
	if p, above := f.Of("a", true), f.Of("a", false); p.Dir != "a" || above.Dir != "." {
		t.Errorf("a folder is in the project %s, a file of its name in %s; want %s and %s", p.Dir, above.Dir, "a", ".")
	}
	if p := f.Of("a/c", true); p.Dir != "a" || !p.Excludes("a/c/x", false) {
		t.Errorf("the folder of the project is %s, want a, and c/x excluded", p.Dir)
	}
	f = &Finder{Opener: files, Names: names, Off: true, Config: []string{"ignore=sprokit/*"}}
	p := f.Of("b.pipe", false)
	if _, ok := p.Dialect("coil"); ok || p.Wants("sprokit/unknown-port", nil) {
		t.Error("without project files, want only the settings of the command line")
	}
}

// TestPathsAsWritten: the path of a project's folder is written in the same form as the
// path of the file, however many folders are between them.
func TestPathsAsWritten(t *testing.T) {
	here := absolute(".")
	up, base := filepath.Dir(here), filepath.Base(here)
	for _, c := range []struct{ path, file, want string }{
		{"a/b/x.pipe", "a/pentode.toml", "a"},
		{"a/./b/../b/x.pipe", "a/pentode.toml", "a"},
		{"a/x.pipe", "pentode.toml", "."},
		{"x.pipe", "pentode.toml", "."},
		{"x.pipe", "../pentode.toml", ".."},
		{"../x.pipe", "../pentode.toml", ".."},
		{"../x.pipe", "../../pentode.toml", "../.."},
		{filepath.Join(up, base, "x.pipe"), filepath.Join(up, "pentode.toml"), up},
	} {
		f := &Finder{Opener: source.Map{filepath.FromSlash(c.file): ""}, Names: names}
		if p := f.Of(c.path, false); p.File == nil || filepath.Clean(p.Dir) != filepath.FromSlash(c.want) {
			t.Errorf("%s: the project is in %q, want %q", c.path, p.Dir, c.want)
		}
	}
}

// TestReadOnce: a project file is read once, until Forget.
func TestReadOnce(t *testing.T) {
	files := source.Map{"pentode.toml": ""}
	f := &Finder{Opener: files, Names: names}
	first := f.Of("a/x.pipe", false)
	files["pentode.toml"] = "ignore = [\"sprokit/*\"]\n"
	if f.Of("b/y.pipe", false) != first || f.Of("a", true) != first {
		t.Error("the project file was read twice")
	}
	f.Forget()
	if p := f.Of("a/x.pipe", false); p == first || p.Wants("sprokit/unknown-port", nil) {
		t.Error("the project file was not read again")
	}
}

// TestUnreadable: a project file that cannot be read is a finding at its beginning. A
// folder of that name, or a file that must not be opened, counts as missing.
func TestUnreadable(t *testing.T) {
	for _, c := range []struct {
		err  error
		want int
	}{{fs.ErrNotExist, 0}, {source.ErrFolder, 0}, {source.ErrOutside, 0}, {fs.ErrPermission, 1}} {
		p := (&Finder{Opener: failing{c.err}, Config: []string{"as=upstream"}}).Of("x", false)
		found := p.Problems()
		if len(found) != c.want || c.want == 1 && (found[0].Code != unreadable || found[0].Span.Start != 0 || found[0].Span.End != 0) {
			t.Errorf("%v: %v", c.err, found)
		}
		if d, ok := p.Dialect("coil"); !ok || d != load.Upstream {
			t.Errorf("%v: the command line does not hold", c.err)
		}
	}
}

// TestConfine removes the paths outside of the folders that may be read, and reports
// each.
func TestConfine(t *testing.T) {
	p := read("[sprokit]\ninclude = [\"in/a\", \"out/a\"]\ntypes = [\"out/b\"]\npython = [\"in/c\"]\n[pinsight]\ncatalog = [\"out/d\"]\n[coil]\ntargets = [\"in\"]\n")
	p.Confine([]string{filepath.Join("p", "in")})
	if len(p.Include) != 1 || filepath.Base(p.Include[0].Name) != "a" || len(p.Types) != 0 || len(p.Python) != 1 || len(p.Catalogs) != 0 || len(p.Targets) != 1 {
		t.Errorf("%v %v %v %v %v; want in/a, no types, one folder for Python, no catalogue, one for targets", p.Include, p.Types, p.Python, p.Catalogs, p.Targets)
	}
	var got []string
	for _, d := range p.Problems() {
		if d.Code == unusable {
			got = append(got, d.Span.Text())
		}
	}
	if want := []string{`"out/a"`, `"out/b"`, `"out/d"`}; !slices.Equal(got, want) {
		t.Errorf("findings are about %q, want %q", got, want)
	}
}

// TestLastHolds: the command line replaces the rule of a pattern at its position, and the
// last matching pattern decides.
func TestLastHolds(t *testing.T) {
	const files = "[files]\n\"*.yml\" = \"pdi\"\n\"a.yml\" = \"coil\"\n[per-file-ignore]\n\"*.pipe\" = [\"sprokit/*\"]\n\"b.pipe\" = [\"pinsight/*\"]\n[severity]\n\"sprokit/*\" = \"info\"\n\"sprokit/unknown-port\" = \"error\"\n"
	p := read(files)
	if p.Language("p/a.yml") != "coil" || p.Language("p/b.yml") != "pdi" {
		t.Error("the last pattern does not decide")
	}
	if s, _ := p.severityOf("sprokit/unknown-port"); s != diag.Error {
		t.Errorf("the severity is %v, want %v", s, diag.Error)
	}
	if s, ok := p.severityOf("sprokit/unknown-type"); s != diag.Info || !ok {
		t.Errorf("the severity is %v, want %v", s, diag.Info)
	}
	p = read(files, `files."*.yml"=sprokit`, `per-file-ignore."*.pipe"=[]`)
	if p.Language("p/a.yml") != "coil" || p.Language("p/b.yml") != "sprokit" {
		t.Error("the command line does not replace the rule in its place")
	}
	b := source.NewFile("p/b.pipe", "")
	if !p.Wants("pinsight/upstream-range", nil) || !p.Wants("sprokit/unknown-port", b) || p.Wants("pinsight/upstream-range", b) || !p.Wants("pinsight/upstream-range", source.NewFile("b.pipe", "")) {
		t.Error("the command line does not replace the codes that files ignore")
	}
}

// TestSelected: a code that is both selected and ignored is not shown.
func TestSelected(t *testing.T) {
	p := read("select = [\"sprokit/*\"]\nignore = [\"sprokit/unknown-type\"]\n")
	for code, want := range map[string]bool{"sprokit/unknown-port": true, "sprokit/unknown-type": false, "pinsight/upstream-range": false} {
		if p.Wants(code, nil) != want {
			t.Errorf("%s is wanted: %v", code, !want)
		}
	}
}

// TestMatchCode: `*` matches any text.
func TestMatchCode(t *testing.T) {
	for _, c := range []struct {
		pattern, code string
		want          bool
	}{
		{"a/b", "a/b", true}, {"a/b", "a/bc", false}, {"a/*", "a/", true}, {"a/*", "b/a/", false}, {"*", "a/b", true}, {"*b", "a/b", true}, {"*b", "a/bc", false},
		{"a*c*e", "abcde", true}, {"a*c*e", "abde", false}, {"a*c*e", "ae", false}, {"a*bb*b", "abb", false}, {"a*bb*b", "abbb", true}, {"**", "", true},
	} {
		if got := MatchCode(c.pattern, c.code); got != c.want {
			t.Errorf("%s fits %s: %v, want %v", c.code, c.pattern, got, c.want)
		}
	}
}

// TestReviewOptional: a finding that is off by default is shown if a project selects it
// or sets its severity.
func TestReviewOptional(t *testing.T) {
	list := diag.List{diag.New(&diag.Code{ID: "a/usual", Severity: diag.Info}, source.Span{}, "usual"),
		diag.New(&diag.Code{ID: "a/optional", Severity: diag.Info, Optional: true}, source.Span{}, "optional")}
	for text, want := range map[string]string{
		"":                                     "usual",
		"ignore = [\"a/usual\"]":               "",
		"select = [\"a/*\"]":                   "usual optional",
		"[severity]\n\"a/opt*\" = \"warning\"": "usual optional",
	} {
		var got []string
		for _, d := range read(text).Review(list) {
			got = append(got, d.Message)
		}
		if s := strings.Join(got, " "); s != want {
			t.Errorf("%q shows %q, want %q", text, s, want)
		}
	}
}

// TestReviewEach: each kind of rule alone causes a review. The number of findings that
// are not shown is kept, and setting the same severity changes nothing.
func TestReviewEach(t *testing.T) {
	code := &diag.Code{ID: "sprokit/unknown-port", Severity: diag.Error}
	file := source.NewFile("p/a.pipe", "text")
	mild := diag.List{diag.New(&diag.Code{ID: "pinsight/upstream-range", Severity: diag.Info}, file.Span(0, 1), "mild")}
	if got := read("[severity]\n\"sprokit/*\" = \"error\"").Review(mild); len(got) != 1 || got[0].Severity != diag.Info {
		t.Errorf("a finding of another code is %v, want len(got) = 1 and got[0].Severity = %v", got, diag.Info)
	}
	list := diag.List{diag.New(code, file.Span(0, 1), "wrong"), diag.New(diag.TooMany, file.Span(0, 1), "more"), diag.New(code, file.Span(1, 2), "wrong too")}
	for text, want := range map[string]string{
		"select = [\"sprokit/*\"]\nignore = [\"sprokit/*\"]":                                    "info",
		"ignore = [\"sprokit/*\"]\n[per-file-ignore]\n\"*.conf\" = [\"sprokit/*\"]":             "info",
		"ignore = [\"sprokit/*\"]\n[severity]\n\"sprokit/*\" = \"info\"":                        "info",
		"select = [\"pinsight/*\"]\n[per-file-ignore]\n\"*.conf\" = [\"sprokit/*\"]":            "info",
		"[per-file-ignore]\n\"*.conf\" = [\"sprokit/*\"]\n[severity]\n\"sprokit/*\" = \"info\"": "info info info",
		"select = [\"sprokit/*\"]":                           "error info error",
		"ignore = [\"sprokit/*\", \"*\"]":                    "info",
		"[per-file-ignore]\n\"*.pipe\" = [\"sprokit/*\"]":    "info",
		"[severity]\n\"sprokit/unknown-port\" = \"warning\"": "warning info warning",
		"[severity]\n\"sprokit/unknown-type\" = \"warning\"": "error info error",
		"[severity]\n\"sprokit/unknown-port\" = \"error\"":   "error info error",
	} {
		var got []string
		for _, d := range read(text).Review(list) {
			got = append(got, d.Severity.String())
		}
		if s := strings.Join(got, " "); s != want {
			t.Errorf("%s: %s, want %s", text, s, want)
		}
	}
}

type failing struct{ err error }

func (f failing) Open(path string) (*source.File, error) {
	return nil, &fs.PathError{Op: "open", Path: path, Err: f.err}
}

type broken struct{}

func (broken) Open(string) (*source.File, error) { return nil, errors.New("no") }

func TestReview(t *testing.T) {
	code := &diag.Code{ID: "sprokit/unknown-port", Severity: diag.Error}
	file := source.NewFile("p/a.pipe", "text")
	list := diag.List{diag.New(code, file.Span(0, 1), "wrong")}
	for _, c := range []struct {
		text string
		want string
	}{
		{"", "error"},
		{`ignore = ["sprokit/*"]`, ""},
		{`ignore = ["*/*port"]`, ""},
		{`ignore = ["pdi/*"]`, "error"},
		{`select = ["pdi/*"]`, ""},
		{`select = ["sprokit/unknown-*"]`, "error"},
		{"[severity]\n\"sprokit/*\" = \"info\"", "info"},
		{"[per-file-ignore]\n\"*.pipe\" = [\"sprokit/*\"]", ""},
		{"[per-file-ignore]\n\"*.conf\" = [\"sprokit/*\"]", "error"},
	} {
		got := ""
		for _, d := range read(c.text).Review(list) {
			got += d.Severity.String()
		}
		if got != c.want || list[0].Severity != diag.Error {
			t.Errorf("%s: %s; want got = %v and list[0].Severity = %v", c.text, got, c.want, diag.Error)
		}
	}
}

// TestCodesBite: every code has an example that triggers it, and one that does not.
func TestCodesBite(t *testing.T) {
	for _, code := range Codes() {
		found := func(text string) bool {
			p := read(text)
			switch code {
			case unreadable:
				p = (&Finder{Opener: broken{}}).Of("x", false)
				if text == code.Good {
					p = read(text)
				}
			case unmatched:
				p.Walked([]string{filepath.Join(p.Dir, "deep", "a.pipe.in"), filepath.Join(p.Dir, "..", "a.tmpl")})
			case unknownProgram:
				p.Planned([]string{"solver"}, nil) // some files have not been found yet
				p.Walked(nil)
				p.Planned([]string{"solver"}, nil)
			case unusable:
				for _, path := range p.Types {
					p.Unusable(path, errors.New("it is not there"))
				}
			}
			return len(p.Problems()) == 1 && p.Problems()[0].Code == code
		}
		if !found(code.Bad) || found(code.Good) {
			t.Errorf("%s: the examples do not show it", code.ID)
		}
	}
}

// FuzzRead: no text makes reading fail, and every finding has a place in it.
func FuzzRead(f *testing.F) {
	f.Add(everything)
	for _, code := range Codes() {
		f.Add(code.Bad)
	}
	f.Add("a = [[[1, {b = 2}]]]\n[[c.d]]\n'' = 1\n\"\\u0000\".x = '''\n'''")
	f.Fuzz(func(t *testing.T, text string) {
		p := read(text)
		for _, d := range p.Problems() {
			if d.Span.File != p.File || d.Span.Start < 0 || d.Span.Start > d.Span.End || d.Span.End > len(text) {
				t.Fatalf("%s at %d-%d of %d bytes, want d.Span.File = %v, d.Span.Start at least 0, d.Span.Start at most %v and d.Span.End at most %v", d.Code.ID, d.Span.Start, d.Span.End, len(text), p.File, d.Span.End, len(text))
			}
		}
		for offset := 0; offset <= len(text); offset += 1 + len(text)/64 {
			for _, c := range Complete(p.File, offset, names, nil) {
				if c.Replace.Start > offset || c.Replace.End < offset {
					t.Fatalf("a completion at %d replaces %d-%d, want c.Replace.Start at most %v and c.Replace.End at least %v", offset, c.Replace.Start, c.Replace.End, offset, offset)
				}
			}
			if _, at, ok := Describe(p.File, offset, names); ok && (at.Start > offset || at.End < offset) {
				t.Fatalf("what stands at %d is %d-%d, want at.Start at most %v and at.End at least %v", offset, at.Start, at.End, offset, offset)
			}
		}
	})
}

// TestPrograms: a plan finds its programs' settings with their places, and the command
// line overrides them.
func TestPrograms(t *testing.T) {
	const text = `
[launch.solver]
copies = 64
after = ["db:ready", "cache"]
env = { A = "1", B = 2 }

[launch."sub/other.psdl:solver"]
restart = "no"

[launch.viewer]
ready = "none"
`
	shown := func(p *Project, file string) string {
		var b strings.Builder
		for _, program := range p.Programs(file) {
			for _, s := range program.Settings {
				fmt.Fprintf(&b, "%s %s %s %v %s\n", program.Name, strings.Join(s.Path, "."), s.Value.Text, s.Value.List, s.Span)
			}
		}
		return b.String()
	}
	p := read(text)
	for _, d := range p.Problems() {
		t.Errorf("%s; want no problem", d.Message)
	}
	const every = "solver copies 64 [] p/pentode.toml:3:10\n" +
		"solver after  [db:ready cache] p/pentode.toml:4:1\n" +
		"solver env.A 1 [] p/pentode.toml:5:13\n" +
		"solver env.B 2 [] p/pentode.toml:5:22\n"
	const viewer = "viewer ready none [] p/pentode.toml:11:9\n"
	if got := shown(p, "p/run.psdl"); got != every+viewer {
		t.Errorf("got\n%s\nwant %v", got, every+viewer)
	}
	if got := shown(p, "p/sub/other.psdl"); got != every+"solver restart no [] p/pentode.toml:8:11\n"+viewer {
		t.Errorf("of another file\n%s\nwant %v", got, every+"solver restart no [] p/pentode.toml:8:11\n"+viewer)
	}
	if got := shown(read(text, "launch.solver.copies=2", "launch.viewer.ready=tcp:1"), "p/run.psdl"); !strings.Contains(got, "solver copies 2 ") || !strings.Contains(got, "viewer ready tcp:1 ") {
		t.Errorf("replaced\n%s\nwant %q in got and %q in got", got, "solver copies 2 ", "viewer ready tcp:1 ")
	}
	p.Walked([]string{"p/run.psdl"})
	if found := p.Problems(); len(found) != 1 || found[0].Message != "no file matches the pattern `sub/other.psdl`" {
		t.Errorf("got findings for a plan that does not exist: %v", found)
	}
}
