package workspace_test

import (
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/pentode-dev/pentode/core/diag"
	"github.com/pentode-dev/pentode/core/load"
	"github.com/pentode-dev/pentode/core/source"
	"github.com/pentode-dev/pentode/lang"
	"github.com/pentode-dev/pentode/lang/all"
	"github.com/pentode-dev/pentode/workspace"
	"github.com/pentode-dev/pentode/workspace/project"
)

// inFolder returns a workspace over files on the disk, in the working directory.
func inFolder(t *testing.T, files map[string]string) *workspace.Workspace {
	t.Helper()
	t.Chdir(t.TempDir())
	for path, text := range files {
		if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	w := open(t, source.Disk{})
	w.Projects = &project.Finder{Opener: source.Disk{}}
	for _, l := range w.Languages {
		w.Projects.Names.Languages = append(w.Projects.Names.Languages, l.Name)
		for _, c := range l.Codes {
			w.Projects.Names.Codes = append(w.Projects.Names.Codes, c.ID)
		}
	}
	return w
}

func codes(list diag.List) string {
	var ids []string
	for _, d := range list {
		ids = append(ids, d.Span.File.Path()+" "+d.Code.ID)
	}
	return strings.Join(ids, "\n")
}

// TestOneAnswer checks that the project and the comments are respected, whichever
// function returns the findings.
func TestOneAnswer(t *testing.T) {
	w := inFolder(t, map[string]string{
		"pentode.toml": "[severity]\n\"sprokit/unknown-type\" = \"info\"\n",
		"a.pipe":       "process a :: theirs\nprocess b :: theirs # pentode: ignore sprokit/unknown-type, sprokit/separate-parts -- theirs\n",
	})
	c, err := w.Config("a.pipe")
	if err != nil {
		t.Fatal(err)
	}
	list := c.Diagnostics()
	if got := codes(list); got != "a.pipe sprokit/unknown-type" || list[0].Severity != diag.Info {
		t.Errorf("%s, %v; want got = %q and list[0].Severity = %v", got, list, "a.pipe sprokit/unknown-type", diag.Info)
	}
	if got := codes(w.Review(c.Found(), c)); got != "a.pipe sprokit/unknown-type" {
		t.Errorf("%v; want %q", got, "a.pipe sprokit/unknown-type")
	}
	if err := os.WriteFile("pentode.toml", []byte("ignore = [\"sprokit/*\"]\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	w.Forget()
	if c, err := w.Config("a.pipe"); err != nil || len(c.Diagnostics()) > 0 {
		t.Errorf("the new project file does not hold: %v, %v", c.Diagnostics(), err)
	}
}

// TestIdleComments: a comment that silences nothing is reported if a check looks
// for its code. It is not reported if only a run finds the code or if the project
// ignores it.
func TestIdleComments(t *testing.T) {
	w := inFolder(t, map[string]string{
		"pentode.toml": "ignore = [\"sprokit/shadowed\"]\n",
		"a.pipe":       "process a :: orphan # pentode: ignore sprokit/unknown-key, sprokit/step-failed, sprokit/shadowed, sprokit/nosuch\n",
	})
	c, err := w.Config("a.pipe")
	if err != nil {
		t.Fatal(err)
	}
	var got []string
	for _, d := range w.Review(c.Found(), c) {
		got = append(got, d.Code.ID+" "+d.Span.Text())
	}
	want := []string{"file/unused-ignore sprokit/unknown-key", "file/unknown-ignore sprokit/nosuch"}
	if !slices.Equal(got, want) {
		t.Errorf("%q, want %q", got, want)
	}
}

// TestIdleAmongOthers: each code of a comment is checked separately, and each
// file once, even if several configurations read it.
func TestIdleAmongOthers(t *testing.T) {
	w := inFolder(t, map[string]string{
		"pentode.toml": "",
		"a.pipe":       "include part.conf\nprocess a :: theirs # pentode: ignore sprokit/unknown-type, sprokit/nosuch, sprokit/unknown-key\n",
		"b.pipe":       "include part.conf\nprocess b :: orphan\n",
		"part.conf":    "config n # pentode: ignore sprokit/unknown-type\n  a = 1\n",
	})
	var configs []*lang.Config
	var found diag.List
	for _, path := range []string{"a.pipe", "b.pipe"} {
		c, err := w.Config(path)
		if err != nil {
			t.Fatal(err)
		}
		configs, found = append(configs, c), append(found, c.Found()...)
	}
	var got []string
	for _, d := range w.Review(found, configs...) {
		if strings.HasPrefix(d.Code.ID, "file/") {
			got = append(got, d.Span.File.Path()+" "+d.Code.ID+" "+d.Span.Text())
		}
	}
	slices.Sort(got)
	want := []string{
		"a.pipe file/unknown-ignore sprokit/nosuch",
		"a.pipe file/unused-ignore sprokit/unknown-key",
		"part.conf file/unused-ignore sprokit/unknown-type",
	}
	if !slices.Equal(got, want) {
		t.Errorf("got %q\nwant %q", got, want)
	}
}

// TestIdleInOtherDialect: a comment for a finding of the other dialect is not
// reported; a comment for a finding of neither dialect is.
func TestIdleInOtherDialect(t *testing.T) {
	for _, dialect := range []load.Dialect{load.Documented, load.Upstream} {
		files := source.Map{"a.list": "# pentode: ignore list/strict, list/poor\na strict\n"}
		w := workspace.New([]*lang.Language{lists(false)}, &load.Env{Opener: files, Dir: ".", Dialect: dialect})
		c := config(t, w, "a.list")
		if len(c.Found()) != int(dialect) {
			t.Fatalf("%s: found are %v, want %v", dialect, c.Found(), int(dialect))
		}
		var idle []string
		for _, d := range w.Review(c.Found(), c) {
			idle = append(idle, d.Code.ID+" "+d.Span.Text())
		}
		if !slices.Equal(idle, []string{"file/unused-ignore list/poor"}) {
			t.Errorf("%s: shown are %q, want %v", dialect, idle, []string{"file/unused-ignore list/poor"})
		}
	}
}

// TestIdleInInclude: a comment that silences nothing is also reported in an
// included file, even if the document has no comments.
func TestIdleInInclude(t *testing.T) {
	w := inFolder(t, map[string]string{"a.pipe": "include part.conf\nprocess o :: orphan\n", "part.conf": "config n # pentode: ignore sprokit/unknown-type\n  a = 1\n"})
	c, err := w.Config("a.pipe")
	if err != nil {
		t.Fatal(err)
	}
	if got := codes(w.Review(c.Found(), c)); !strings.Contains(got, "part.conf file/unused-ignore") {
		t.Errorf("found are %s; want %q in it", got, "part.conf file/unused-ignore")
	}
}

// TestReviewWithoutFile: the project of the working directory reviews findings in
// no file, and each finding is shown once.
func TestReviewWithoutFile(t *testing.T) {
	code := &diag.Code{ID: "sprokit/unknown-type", Severity: diag.Error}
	twice := func() diag.List {
		return diag.List{diag.New(code, source.Span{}, "in no file"), diag.New(code, source.Span{}, "in no file"), diag.New(code, source.Span{}, "another")}
	}
	for text, want := range map[string]int{"": 2, "ignore = [\"sprokit/*\"]\n": 0} {
		w := inFolder(t, map[string]string{"pentode.toml": text})
		if got := w.Review(twice()); len(got) != want {
			t.Errorf("%q leaves %d findings, want %d", text, len(got), want)
		}
	}
}

// TestUnique: findings that differ in any part are all shown.
func TestUnique(t *testing.T) {
	one, two := &diag.Code{ID: "a/one"}, &diag.Code{ID: "a/two"}
	f, same, g := source.NewFile("x.pipe", "abc"), source.NewFile("./x.pipe", "abc"), source.NewFile("y.pipe", "abc")
	found := diag.List{
		diag.New(one, f.Span(0, 1), "m"), diag.New(one, same.Span(0, 1), "m"), diag.New(two, f.Span(0, 1), "m"),
		diag.New(one, f.Span(1, 2), "m"), diag.New(one, f.Span(0, 1), "n"), diag.New(one, g.Span(0, 1), "m"),
	}
	if got := workspace.Unique(found); len(got) != 5 {
		t.Errorf("%d findings of 5 are left", len(got))
	}
}

// TestLayeredScopes: the command line decides the dialect, else the project. The
// environment decides a variable, else the project.
func TestLayeredScopes(t *testing.T) {
	w := inFolder(t, map[string]string{"pentode.toml": "as = \"upstream\"\n[env]\nOURS = \"project\"\nBOTH = \"project\"\n", "a.pipe": ""})
	w.Env.Lookup = func(name string) (string, bool) {
		value, ok := map[string]string{"BOTH": "machine", "THEIRS": "machine"}[name]
		return value, ok
	}
	d, err := w.Open("a.pipe")
	if err != nil {
		t.Fatal(err)
	}
	if got := w.EnvOf(d).Dialect; got != load.Upstream {
		t.Errorf("the dialect is %s; want %v", got, load.Upstream)
	}
	w.FixedDialect = true
	if got := w.EnvOf(d).Dialect; got != load.Documented {
		t.Errorf("where the command line says it, the dialect is %s; want %v", got, load.Documented)
	}
	variables := func() (list []string) {
		for _, name := range []string{"OURS", "BOTH", "THEIRS", "NONE"} {
			value, _ := w.EnvOf(d).Getenv(name)
			list = append(list, value)
		}
		return list
	}
	if got := variables(); !slices.Equal(got, []string{"project", "machine", "machine", ""}) {
		t.Errorf("the variables are %q, want %v", got, []string{"project", "machine", "machine", ""})
	}
	if w.Confined("a.pipe") || w.EnvOf(d).Confined {
		t.Error("the file is confined without a setting")
	}
	w.Inside = []string{"."}
	if got := variables(); !slices.Equal(got, []string{"project", "project", "", ""}) {
		t.Errorf("where this machine is not read the variables are %q", got)
	}
	w.Known = func(name string) (string, bool) { return "known", name == "THEIRS" }
	if got := variables(); !slices.Equal(got, []string{"project", "project", "known", ""}) {
		t.Errorf("with known ones the variables are %q, want %v", got, []string{"project", "project", "known", ""})
	}
	if !w.Confined("a.pipe") || !w.EnvOf(d).Confined {
		t.Error("the file is not confined")
	}
}

// TestInsideByProject: the project limits the folders that may be read, also for
// paths in the project file. The command line overrides the project.
func TestInsideByProject(t *testing.T) {
	w := inFolder(t, map[string]string{
		"in/pentode.toml": "inside = [\".\"]\n[sprokit]\ninclude = [\"lib\", \"../out\"]\n", "in/a.pipe": "include x.conf\n", "in/lib/x.conf": "config n\n  a = 1\n", "out/y.conf": "config n\n  b = 1\n", "out/b.pipe": "",
		"free/pentode.toml": "[sprokit]\ninclude = [\"../out\"]\n", "free/a.pipe": "include y.conf\n",
	})
	if p := w.Project("free/a.pipe"); w.Confined("free/a.pipe") || len(p.Include) != 1 || filepath.ToSlash(p.Include[0].Name) != "out" {
		t.Errorf("a project without such folders looks for includes in %v", p.Include)
	}
	if !w.Confined("in/a.pipe") || w.Confined("out/b.pipe") {
		t.Error("the wrong files are confined")
	}
	if p := w.Project("in/a.pipe"); len(p.Include) != 1 || filepath.ToSlash(p.Include[0].Name) != "in/lib" {
		t.Errorf("includes are looked for in %v, want len(p.Include) = 1 and filepath.ToSlash(p.Include[0].Name) = %q", p.Include, "in/lib")
	}
	if got := codes(w.Problems()); got != "in/pentode.toml project/unusable-file" && got != filepath.FromSlash("in/pentode.toml")+" project/unusable-file" {
		t.Errorf("the project files have the problems %q, want %v", got, filepath.FromSlash("in/pentode.toml")+" project/unusable-file")
	}
	w.Inside = []string{"out"}
	if _, err := w.Open("in/a.pipe"); !errors.Is(err, source.ErrOutside) {
		t.Errorf("a file outside of the folder is opened: %v", err)
	}
	if _, err := w.Open("out/b.pipe"); err != nil {
		t.Error(err)
	}
}

// TestConfigured: a project configures its languages, also for files whose
// language the user gives.
func TestConfigured(t *testing.T) {
	w := inFolder(t, map[string]string{"pentode.toml": "", "a.pipe": "", "notes": ""})
	own := all.Languages(all.Options{})
	w.Configure = func(*project.Project) []*lang.Language { return own }
	isOwn := func(d *lang.Document, err error) bool {
		return err == nil && slices.Contains(own, d.Language) && d.Language.Name == "sprokit"
	}
	if !isOwn(w.Open("a.pipe")) {
		t.Error("a file is not of the project's language")
	}
	forced, err := w.As("sprokit")
	if err != nil {
		t.Fatal(err)
	}
	if !isOwn(forced.Open("notes")) || forced.LanguageOf("notes") != "sprokit" || w.LanguageOf("notes") != "" || forced.IsProject("pentode.toml") {
		t.Error("a file whose language is given is not of the project's language")
	}
	if _, err := w.As("sproket"); err == nil || !strings.Contains(err.Error(), "did you mean `sprokit`") {
		t.Errorf("the error is %v", err)
	}
	w.Force = w.Languages[0]
	own = nil
	w.Forget()
	if d, err := w.Open("notes"); err != nil || d.Language != w.Force {
		t.Errorf("a language that the project lacks: %v, %v", d, err)
	}
}

// TestSiblings: without a project file, a file may be included by files in its
// folder. In a repository, it may be included by any file of the repository.
func TestSiblings(t *testing.T) {
	files := map[string]string{"main.pipe": "include sub/low.conf\n", "sub/near.pipe": "include low.conf\n", "sub/low.conf": "config a\n  k = 1\n"}
	for _, repository := range []bool{false, true} {
		w := inFolder(t, files)
		want := "sub/near.pipe"
		if repository {
			want = "main.pipe sub/near.pipe"
			if err := os.Mkdir(".git", 0o700); err != nil {
				t.Fatal(err)
			}
		}
		for _, dir := range []string{"", mustAbs(t, ".")} { // as written, and as an absolute path
			d, err := w.Open(filepath.Join(dir, "sub/low.conf"))
			if err != nil {
				t.Fatal(err)
			}
			var got []string
			for _, c := range w.NewIncluders().Of(d) {
				path := c.Document.File.Path()
				if filepath.IsAbs(path) != (dir != "") {
					t.Errorf("%s is not written like the file itself", path)
				}
				path, _ = filepath.Rel(mustAbs(t, "."), mustAbs(t, path))
				got = append(got, filepath.ToSlash(path))
			}
			if s := strings.Join(got, " "); s != want {
				t.Errorf("in a repository %v: it is a part of %q, want %q", repository, s, want)
			}
		}
	}
}

// TestWalkedIsRoot: a missing file is looked for in the folder being checked,
// unless a project file sets another.
func TestWalkedIsRoot(t *testing.T) {
	w := inFolder(t, map[string]string{"a/b/x.pipe": "", "a/c/part.conf": "", "a/c/.hidden/far.conf": ""})
	d, err := w.Open("a/b/x.pipe")
	if err != nil {
		t.Fatal(err)
	}
	if _, _, ok := w.EnvOf(d).FindElsewhere("part.conf"); ok {
		t.Error("a file of another folder is found without a project")
	}
	if _, err := w.Walk("a"); err != nil {
		t.Fatal(err)
	}
	if path, folder, ok := w.EnvOf(d).FindElsewhere("part.conf"); !ok || filepath.ToSlash(path) != "a/c/part.conf" || folder != "c" {
		t.Errorf("it is %s in %s, want %s in %s", path, folder, "a/c/part.conf", "c")
	}
	if path, _, ok := w.EnvOf(d).FindElsewhere("far.conf"); ok {
		t.Errorf("a file of a hidden folder is found: %s, want it not to be", path)
	}
	w.Inside = []string{"a/b"}
	if path, _, ok := w.EnvOf(d).FindElsewhere("part.conf"); ok {
		t.Errorf("a file that may not be read is found: %s", path)
	}
}

// TestLeaves: configurations that another of the same language includes are
// dropped.
func TestLeaves(t *testing.T) {
	w := inFolder(t, map[string]string{"a.pipe": "include b.conf\n", "b.conf": "config n\n  a = 1\n", "c.pipe": "process c\n  :: sink\n"})
	var list []*lang.Config
	for _, path := range []string{"b.conf", "a.pipe", "c.pipe"} {
		c, err := w.Config(path)
		if err != nil {
			t.Fatal(err)
		}
		list = append(list, c)
	}
	names := func(list []*lang.Config) string {
		var got []string
		for _, c := range list {
			got = append(got, c.Document.File.Path())
		}
		return strings.Join(got, " ")
	}
	if got := names(workspace.Leaves(list)); got != "a.pipe c.pipe" {
		t.Errorf("leaves are %s; want %q", got, "a.pipe c.pipe")
	}
	if got := names(workspace.Leaves(list[:1])); got != "b.conf" {
		t.Errorf("the leaf of one file is %s; want %q", got, "b.conf")
	}
}

// TestAlone checks that the only file in a folder is not found to be included by
// another.
func TestAlone(t *testing.T) {
	w := inFolder(t, map[string]string{"pentode.toml": "", "a.pipe": "process o :: orphan\n"})
	d, err := w.Open("a.pipe")
	if err != nil {
		t.Fatal(err)
	}
	if others := w.NewIncluders().Of(d); len(others) > 0 {
		t.Errorf("it is a part of %s; want at most 0", others[0].Document.File.Path())
	}
}

// TestPartsOfOthers: a file is a part of the files that include it directly or
// through others.
func TestPartsOfOthers(t *testing.T) {
	w := inFolder(t, map[string]string{
		"pentode.toml":  "",
		"main.pipe":     "include sub/mid.pipe\n",
		"sub/mid.pipe":  "include low.conf\n",
		"sub/low.conf":  "config a\n  k = 1\n",
		"sub/lone.pipe": "process o :: orphan\n",
	})
	for path, want := range map[string]string{"sub/low.conf": "main.pipe", "sub/mid.pipe": "main.pipe", "main.pipe": "", "sub/lone.pipe": ""} {
		d, err := w.Open(path)
		if err != nil {
			t.Fatal(err)
		}
		var got []string
		for _, c := range w.NewIncluders().Of(d) {
			got = append(got, c.Document.File.Path())
		}
		if s := strings.Join(got, " "); s != want {
			t.Errorf("%s is a part of %q, want %q", path, s, want)
		}
	}
}

// TestElsewhere: an include that is not on the path is found by the end of its
// path.
func TestElsewhere(t *testing.T) {
	w := inFolder(t, map[string]string{
		"pentode.toml":           "exclude = [\"old\"]\n",
		"a.pipe":                 "",
		"configs/lib/x.pipe":     "",
		"configs/far/lib/x.pipe": "",
		"old/y.pipe":             "",
	})
	d, err := w.Open("a.pipe")
	if err != nil {
		t.Fatal(err)
	}
	here := filepath.Base(mustAbs(t, "."))
	for name, want := range map[string]string{
		"lib/x.pipe": "configs/lib/x.pipe configs", "x.pipe": "configs/lib/x.pipe configs/lib", "../x.pipe": "configs/lib/x.pipe configs/lib",
		"a.pipe": "a.pipe .", here + "/a.pipe": "a.pipe ..", "ib/x.pipe": " ", "y.pipe": " ", "nosuch": " ",
	} {
		path, folder, ok := w.EnvOf(d).FindElsewhere(name)
		if got := filepath.ToSlash(path) + " " + folder; got != want || ok != (want != " ") {
			t.Errorf("%s is %q, want %q", name, got, want)
		}
	}
}

func mustAbs(t *testing.T, path string) string {
	t.Helper()
	abs, err := filepath.Abs(path)
	if err != nil {
		t.Fatal(err)
	}
	return abs
}

// TestNamedFiles: a file that the user names is recognised by its name alone, and
// a pattern of the project overrides its content.
func TestNamedFiles(t *testing.T) {
	w := inFolder(t, map[string]string{
		"pentode.toml": "[files]\n\"site/*\" = \"pinsight\"\n\"tree.yml\" = \"none\"\n\"cpu.txt\" = \"coil\"\n",
		"mkdocs.yml":   "site_name: x\nplugins:\n- search\n",
		"tree.yml":     "data: {x: int}\n",
		"site/events":  "",
		"cpu.txt":      "",
	})
	name := func(open func(string) (*lang.Document, error), path string) string {
		d, err := open(path)
		if err != nil {
			return "none"
		}
		return d.Language.Name
	}
	for path, want := range map[string]string{"mkdocs.yml": "none pdi", "tree.yml": "none pdi", "site/events": "pinsight pinsight", "cpu.txt": "coil coil"} {
		if got := name(w.Open, path) + " " + name(w.OpenNamed, path); got != want {
			t.Errorf("%s: %s, want %s", path, got, want)
		}
	}
	if d, err := w.Document(source.NewFile("mkdocs.yml", "site_name: x\n")); err == nil {
		t.Errorf("a file that the user did not name is in %s", d.Language.Name)
	}
	if got, _ := w.Walk("."); strings.Join(got, " ") != "cpu.txt "+filepath.Join("site", "events") {
		t.Errorf("%v; want %v", got, "cpu.txt "+filepath.Join("site", "events"))
	}
	for path, want := range map[string]bool{"pentode.toml": true, "cpu.txt": false, "site/events": false} {
		if w.IsProject(path) != want {
			t.Errorf("%s is a project file: want %v", path, want)
		}
	}
}
