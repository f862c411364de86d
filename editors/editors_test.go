// Package editors tests the editors with the real server: Neovim, Emacs, a client of
// the protocol's own library on Node, and the packaged extension of VS Code.
package editors

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/pentode-dev/pentode/internal/golden"
	"github.com/pentode-dev/pentode/internal/need"
)

// files are one file of each language, each with a finding.
var files = map[string]string{
	"a.coilcfg":  "[Target]\nPU = CPU\nArchitecture = x86\nMode = 64\nFeatures = AVX2, AVX2\n\n[ACME_Board]\nFan = quiet\n",
	"a.psdl":     "tunable_constant \"maxEvla\" 3;\ndaemon { name \"gather\"; command \"true\"; host \"localhost\"; }\n",
	"a.pipe":     "process source\n  :: numbers\n  edn = 3\n\nprocess out\n  :: sink\n\nconnect from source.number\n        to   out.sink\n",
	"a.yml":      "metadata:\n  rows: int\ndata:\n  field: {type: array, subtype: doubel, size: $rows}\n",
	"a.pinsight": "[OpenMP.default]\n    omp_work = maybe\n\n[Lexgion(solve)]\n    tracing_rate = 2\n",
}

func folder(t *testing.T) string {
	t.Helper()
	dir, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	for name, text := range files {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	return dir
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
	sessionIsWhole(t, run(t, plugin, env, nvim, "--headless", "-u", "test/session.lua"))
}

// sessionIsWhole checks that an editor got every answer for every file.
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
	sessionIsWhole(t, run(t, ".", env, emacs, "--batch", "-l", "emacs/test/session.el"))
}

// TestVSCode checks the types of the extension, runs a whole session of the
// protocol's own client, tokenizes with the grammars, and loads the packaged
// extension with a stand-in for the editor.
func TestVSCode(t *testing.T) {
	need.Slow(t)
	npm := need.Program(t, "npm", "--version")
	need.Program(t, "node", "--eval", "require('node:util').styleText('bold', '')") // which vsce calls, from Node 20.12 on
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
