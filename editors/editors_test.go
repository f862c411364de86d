// Package editors tests editors with the real server: Neovim, Emacs, a client that uses
// the protocol's own library on Node, and the packaged extension of VS Code.
package editors

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/pelletier/go-toml/v2"

	"github.com/pentode-dev/pentode/internal/golden"
	"github.com/pentode-dev/pentode/internal/need"
	"github.com/pentode-dev/pentode/lang/all"
	"github.com/pentode-dev/pentode/workspace/project"
)

// files has one file of each language, each with a finding.
var files = map[string]string{
	"a.coilcfg":  "[Target]\nPU = CPU\nArchitecture = x86\nMode = 64\nFeatures = AVX2, AVX2\n\n[ACME_Board]\nFan = quiet\n",
	"a.psdl":     "tunable_constant \"maxEvla\" 3;\ndaemon { name \"gather\"; command \"true\"; host \"localhost\"; }\n",
	"a.pipe":     "process source\n  :: numbers\n  edn = 3\n\nprocess out\n  :: sink\n\nconnect from source.number\n        to   out.sink\n",
	"a.yml":      "metadata:\n  rows: int\ndata:\n  field: {type: array, subtype: doubel, size: $rows}\n",
	"a.pinsight": "[OpenMP.default]\n    omp_work = maybe\n\n[Lexgion(solve)]\n    tracing_rate = 2\n",
}

// others has files whose names do not tell their language, by folder, and whether they are specification trees.
var others = map[string]struct {
	text string
	tree bool
}{
	"tree.yml":      {"duration: 0.5\ndata:\n  field: {type: array, subtype: double, size: 3}\n", true},
	"nested.yaml":   {"steps: 3\npdi:\n  metadata: {n: int}\n", true},
	"plugin.yml":    {"plugins:\n  decl_hdf5: out.h5\n", true},
	"configmap.yml": {"apiVersion: v1\nkind: ConfigMap\nmetadata:\n  name: x\ndata:\n  level: int\n", false},
	"compose.yml":   {"services:\n  web: {image: x}\nvolumes:\n  data:\n", false},
	"openapi.yml":   {"openapi: 3.0.0\ndata: {x: int}\n", false},
	"mkdocs.yml":    {"site_name: x\nplugins:\n  - search\n", false},
	"values.yml":    {"metadata:\n  labels: {app: x}\ndata:\n  size: 10Gi\n", false},
	"pentode.toml":  {"ignore = [\"pinsight/*\"]\n", false},
}

// typesAreRight checks which files of others an editor recognised as specification trees.
func typesAreRight(t *testing.T, out, tree, project string) {
	t.Helper()
	for name, file := range others {
		_, after, ok := strings.Cut(out, "other/"+name+" type ")
		word, _, _ := strings.Cut(after, "\n")
		want := "another than " + tree
		switch {
		case file.tree:
			want = tree
		case name == "pentode.toml":
			want = project
		}
		if !ok || (want == tree || want == project) != (word == want) || !file.tree && word == tree {
			t.Errorf("%s has the type %q, want %s", name, word, want)
		}
	}
}

func folder(t *testing.T) string {
	t.Helper()
	dir, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	if err := os.Mkdir(filepath.Join(dir, "other"), 0o700); err != nil {
		t.Fatal(err)
	}
	for name, file := range others {
		if err := os.WriteFile(filepath.Join(dir, "other", name), []byte(file.text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	for name, text := range files {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	return dir
}

// TestHelix checks the configuration for Helix without running Helix: it must have every language with its file names, and colours
// for every grammar that it borrows.
func TestHelix(t *testing.T) {
	text, err := os.ReadFile("helix/languages.toml")
	if err != nil {
		t.Fatal(err)
	}
	var config struct {
		Language []struct {
			Name, Grammar string
			Types         []any    `toml:"file-types"`
			Servers       []string `toml:"language-servers"`
		}
	}
	if err := toml.Unmarshal(text, &config); err != nil {
		t.Fatal(err)
	}
	known := map[string][]string{}
	for _, l := range config.Language {
		patterns := []string{}
		for _, file := range l.Types {
			switch file := file.(type) {
			case string:
				patterns = append(patterns, "*."+file)
			case map[string]any:
				patterns = append(patterns, fmt.Sprint(file["glob"]))
			}
		}
		known[l.Name] = patterns
		if !slices.Equal(l.Servers, []string{"pentode"}) {
			t.Errorf("%s is served by %q, want pentode", l.Name, l.Servers)
		}
		if l.Grammar == "" {
			continue
		}
		query, err := os.ReadFile(filepath.Join("helix", "runtime", "queries", l.Name, "highlights.scm"))
		if want := "; inherits: " + l.Grammar + "\n"; string(query) != want {
			t.Errorf("the colours of %s are %q, want %q: %v", l.Name, query, want, err)
		}
	}
	if !slices.Equal(known["pentode-project"], []string{project.FileName}) {
		t.Errorf("the project file is %q, want %s", known["pentode-project"], project.FileName)
	}
	for _, l := range all.Languages(all.Options{}) {
		patterns, ok := known[l.Name]
		if !ok {
			t.Errorf("there is no language %s", l.Name)
		}
		for _, g := range l.Globs {
			if !g.Sniff && !slices.Contains(patterns, g.Pattern) {
				t.Errorf("%s has the files %q, want also %s", l.Name, patterns, g.Pattern)
			}
		}
	}
}

// run runs a program and returns what it prints.
func run(t *testing.T, dir string, env []string, name string, args ...string) string {
	t.Helper()
	cmd := exec.Command(name, args...)
	cmd.Dir, cmd.Env = dir, append(os.Environ(), env...)
	timer := time.AfterFunc(5*time.Minute, func() { _ = cmd.Process.Kill() })
	defer timer.Stop()
	out, err := cmd.CombinedOutput()
	if err != nil {
		t.Fatalf("%s %s: %v\n%s", name, strings.Join(args, " "), err, out)
	}
	return string(out)
}

// TestNeovim opens one file of each language in Neovim.
func TestNeovim(t *testing.T) {
	nvim := need.Program(t, "nvim", "--version")
	plugin, err := filepath.Abs("nvim")
	if err != nil {
		t.Fatal(err)
	}
	home := t.TempDir()
	env := []string{"PENTODE=" + golden.Pentode(t), "FOLDER=" + folder(t), "PLUGIN=" + plugin, "HOME=" + home, "XDG_CONFIG_HOME=" + home, "XDG_DATA_HOME=" + home, "XDG_STATE_HOME=" + home, "XDG_CACHE_HOME=" + home}
	out := run(t, plugin, env, nvim, "--headless", "-u", "test/session.lua")
	sessionIsWhole(t, out)
	typesAreRight(t, out, "pdi", "toml")
}

// sessionIsWhole checks that an editor got all answers for every file.
func sessionIsWhole(t *testing.T, out string) {
	t.Helper()
	for name := range files {
		for _, what := range []string{"finding", "hover", "completion", "rename"} {
			if !strings.Contains(out, name+" "+what+" ") || strings.Contains(out, name+" "+what+" 0") || strings.Contains(out, name+" "+what+" nothing") {
				t.Errorf("%s: no %s", name, what)
			}
		}
	}
	if t.Failed() {
		t.Log(out)
	}
}

// TestEmacs opens one file of each language in Emacs, with eglot.
func TestEmacs(t *testing.T) {
	need.Slow(t)
	emacs := need.Program(t, "emacs", "--batch", "--eval", "(progn (package-initialize) (require 'eglot))")
	home := t.TempDir()
	env := []string{"PENTODE=" + golden.Pentode(t), "FOLDER=" + folder(t), "HOME=" + home}
	out := run(t, ".", env, emacs, "--batch", "-l", "emacs/test/session.el")
	sessionIsWhole(t, out)
	typesAreRight(t, out, "pentode-pdi-mode", "pentode-project-mode")
	for _, want := range []string{
		"a.coilcfg colour Target font-lock-type-face", "a.coilcfg colour PU font-lock-variable-name-face",
		"a.psdl colour tunable_constant font-lock-keyword-face", "a.psdl colour \"maxEvla\" font-lock-string-face",
		"a.pipe colour process font-lock-keyword-face", "a.pipe colour numbers font-lock-type-face", "a.pipe colour edn font-lock-variable-name-face",
		"a.yml colour metadata font-lock-keyword-face", "a.yml colour rows font-lock-variable-name-face", "a.yml colour $rows font-lock-builtin-face",
		"a.pinsight colour OpenMP font-lock-type-face", "a.pinsight colour omp_work font-lock-variable-name-face",
		"other/pentode.toml colour ignore font-lock-variable-name-face", "other/pentode.toml colour \"pinsight font-lock-string-face",
	} {
		if !strings.Contains(out, want+"\n") {
			t.Errorf("the output of the session does not have %q", want)
		}
	}
	if t.Failed() {
		t.Log(out)
	}
}

// TestVSCode checks the types of the extension, runs a whole session of the
// protocol's own client, tokenizes with the grammars, and loads the packaged
// extension with a stand-in for the editor.
func TestVSCode(t *testing.T) {
	need.Slow(t)
	npm := need.Program(t, "npm", "--version")
	need.Program(t, "node", "--eval", "require('node:util').styleText('bold', '')") // vsce calls it; available since Node 20.12
	dir, err := filepath.Abs("vscode")
	if err != nil {
		t.Fatal(err)
	}
	if _, err := os.Stat(filepath.Join(dir, "node_modules", ".package-lock.json")); err != nil {
		cmd := exec.Command(npm, "ci", "--no-audit", "--no-fund")
		cmd.Dir = dir
		out, err := cmd.CombinedOutput()
		if err != nil {
			t.Logf("%s", out)
		}
		need.Ability(t, "the packages of npm", err)
	}
	env := []string{"PENTODE=" + golden.Pentode(t), "FOLDER=" + folder(t)}
	run(t, dir, env, npm, "run", "package")
	t.Log(run(t, dir, env, npm, "test"))
}
