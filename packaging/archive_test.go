package main

import (
	"bytes"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/pentode-dev/pentode/cli"
	"github.com/pentode-dev/pentode/internal/golden"
)

// TestPythonModules checks that an archive and a system package contain the Python package: all
// its modules, and none of the files that Python writes beside them.
func TestPythonModules(t *testing.T) {
	source := filepath.Join(golden.Root(t), "python", "pentode")
	t.Chdir(t.TempDir())
	if err := os.CopyFS(filepath.Join("python", "pentode"), os.DirFS(source)); err != nil {
		t.Fatal(err)
	}
	cache := filepath.Join("python", "pentode", "__pycache__")
	if err := os.MkdirAll(cache, 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(cache, "wire.cpython-311.pyc"), nil, 0o644); err != nil {
		t.Fatal(err)
	}
	modules, err := pythonModules("/usr/lib/pentode/python")
	if err != nil {
		t.Fatal(err)
	}
	var names []string
	for _, m := range modules {
		names = append(names, m.Name)
	}
	for _, want := range []string{"__main__.py", "py.typed", "wire.py", "kwiver/sprokit/pipeline/process.py"} {
		if !slices.Contains(names, "/usr/lib/pentode/python/pentode/"+want) {
			t.Errorf("%s is missing in %q", want, names)
		}
	}
	if slices.ContainsFunc(names, func(name string) bool { return !strings.HasSuffix(name, ".py") && path.Base(name) != "py.typed" }) {
		t.Errorf("files other than modules and py.typed: %q", names)
	}
	var text bytes.Buffer
	if err := description.Execute(&text, map[string]any{"Python": modules}); err != nil {
		t.Fatal(err)
	}
	line := `  - {src: "` + filepath.Join("python", "pentode", "wire.py") + `", dst: "/usr/lib/pentode/python/pentode/wire.py", file_info: {mode: 0644}}`
	if !strings.Contains(text.String(), line+"\n") {
		t.Errorf("missing line\n%s\nin\n%s", line, text.String())
	}
}

// TestVersions: the version in each file that names one is the version of `pentode version`.
func TestVersions(t *testing.T) {
	for file, want := range map[string]string{
		"capi/share/pentode_trace.pc":   "\nVersion: " + cli.Version + "\n",
		"packaging/homebrew/pentode.rb": `tag: "v` + cli.Version + `"`,
		"packaging/spack/package.py":    `version("` + cli.Version + `", tag="v` + cli.Version + `")`,
		"editors/vscode/package.json":   `"version": "` + cli.Version + `"`,
		"python/pentode/__init__.py":    "\n__version__ = \"" + cli.Version + "\"\n",
	} {
		if text, err := os.ReadFile(filepath.Join(golden.Root(t), file)); err != nil || !strings.Contains(string(text), want) {
			t.Errorf("%s: %v, the text %q is missing", file, err, want)
		}
	}
}
