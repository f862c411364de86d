package workspace_test

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/pentode-dev/pentode/core/diag"
	"github.com/pentode-dev/pentode/core/source"
	"github.com/pentode-dev/pentode/lang"
	"github.com/pentode-dev/pentode/workspace"
	"github.com/pentode-dev/pentode/workspace/project"
)

// inFolder is a workspace over files on the disk, in the working directory.
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

// TestOneAnswer: whoever asks for the findings of a configuration gets them as
// its project and its comments have them.
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
		t.Errorf("%s, %v", got, list)
	}
	if got := codes(w.Review(c.Found(), c)); got != "a.pipe sprokit/unknown-type" {
		t.Error(got)
	}
	if err := os.WriteFile("pentode.toml", []byte("ignore = [\"sprokit/*\"]\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	w.Forget()
	if c, err := w.Config("a.pipe"); err != nil || len(c.Diagnostics()) > 0 {
		t.Errorf("the new project file does not hold: %v, %v", c.Diagnostics(), err)
	}
}

// TestIdleComments: a comment that silences nothing is a finding where its code
// was looked for: not one of a run, nor one that the project ignores.
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

// TestAlone: the only file of a folder is a part of no other.
func TestAlone(t *testing.T) {
	w := inFolder(t, map[string]string{"pentode.toml": "", "a.pipe": "process o :: orphan\n"})
	d, err := w.Open("a.pipe")
	if err != nil {
		t.Fatal(err)
	}
	if others := w.NewIncluders().Of(d); len(others) > 0 {
		t.Errorf("it is a part of %s", others[0].Document.File.Path())
	}
}

// TestPartsOfOthers: a file is a part of those that include it, also through others.
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

// TestElsewhere: a file that is not on the path is found by the end of its own.
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

// TestNamedFiles: a file that the user names is known by its name alone, and a
// pattern of the project decides over its content.
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
	if got, _ := w.Walk("."); strings.Join(got, " ") != "cpu.txt "+filepath.Join("site", "events") {
		t.Error(got)
	}
	for path, want := range map[string]bool{"pentode.toml": true, "cpu.txt": false, "site/events": false} {
		if w.IsProject(path) != want {
			t.Errorf("%s is a project file: want %v", path, want)
		}
	}
}
