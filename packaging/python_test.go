package main

import (
	"archive/tar"
	"archive/zip"
	"bytes"
	"compress/gzip"
	"errors"
	"io"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/pentode-dev/pentode/cli"
	"github.com/pentode-dev/pentode/internal/golden"
	"github.com/pentode-dev/pentode/internal/need"
)

// TestPythonPackage builds the source archive and the wheel of the Python package, checks their files, and installs each into a
// folder, with pip and without a network.
func TestPythonPackage(t *testing.T) {
	need.Slow(t)
	python := need.Python(t, "pip")
	source, dir := filepath.Join(t.TempDir(), "python"), t.TempDir()
	if err := os.CopyFS(source, os.DirFS(filepath.Join(golden.Root(t), "python"))); err != nil {
		t.Fatal(err)
	}
	run := func(in string, args ...string) string {
		t.Helper()
		cmd := exec.Command(python, args...)
		cmd.Dir, cmd.Env = in, append(os.Environ(), "PIP_NO_INDEX=1", "PIP_NO_CACHE_DIR=1", "PIP_DISABLE_PIP_VERSION_CHECK=1", "PYTHONDONTWRITEBYTECODE=1")
		out, err := cmd.CombinedOutput()
		if err != nil {
			t.Fatalf("%s: %v\n%s", strings.Join(args, " "), err, out)
		}
		return strings.TrimSpace(string(out))
	}
	whole := "pentode-" + cli.Version
	sdist, wheel := filepath.Join(dir, whole+".tar.gz"), filepath.Join(dir, whole+"-py3-none-any.whl")
	run(source, "-c", "import sys, build_backend; build_backend.build_sdist(sys.argv[1])", dir)
	run(dir, "-m", "pip", "wheel", "--no-deps", "-w", dir, source)

	info := whole + ".dist-info/"
	expect := func(name string, files map[string]string, want ...string) {
		t.Helper()
		for _, file := range want {
			if _, ok := files[file]; !ok {
				t.Errorf("%s has no %s; it has %q", name, file, keysOf(files))
			}
		}
	}
	wheels, sources := wheelFiles(t, wheel), sdistFiles(t, sdist)
	expect("the wheel", wheels, "pentode/py.typed", "pentode/__init__.py", "pentode/kwiver/sprokit/pipeline/process.py", info+"LICENSE", info+"METADATA", info+"RECORD", info+"WHEEL")
	expect("the archive", sources, whole+"/pentode/py.typed", whole+"/pentode/__init__.py", whole+"/LICENSE", whole+"/PKG-INFO", whole+"/README.md", whole+"/pyproject.toml", whole+"/build_backend.py", whole+"/tests/test_package.py")
	license, err := os.ReadFile(filepath.Join(golden.Root(t), "LICENSE"))
	if err != nil {
		t.Fatal(err)
	}
	for name, metadata := range map[string][2]string{"the wheel": {wheels[info+"METADATA"], wheels[info+"LICENSE"]}, "the archive": {sources[whole+"/PKG-INFO"], sources[whole+"/LICENSE"]}} {
		for _, want := range []string{"\nVersion: " + cli.Version + "\n", "\nLicense: Apache-2.0\n", "\nRequires-Python: >=3.9\n", "\nClassifier: Typing :: Typed\n"} {
			if !strings.Contains(metadata[0], want) {
				t.Errorf("the metadata of %s do not have %q:\n%s", name, want, metadata[0])
			}
		}
		if metadata[1] != string(license) {
			t.Errorf("the licence of %s differs from the licence of the repository", name)
		}
	}
	for _, from := range []string{wheel, sdist, source} {
		target := filepath.Join(dir, "installed", filepath.Base(from))
		run(dir, "-m", "pip", "install", "--no-deps", "--target", target, from)
		const look = `import importlib.metadata, pkgutil, sys
sys.path.insert(0, sys.argv[1])
import pentode
assert pentode.__file__.startswith(sys.argv[1]), pentode.__file__
for m in pkgutil.walk_packages(pentode.__path__, "pentode."):
    if m.name != "pentode.__main__":
        __import__(m.name)
print(pentode.__version__, importlib.metadata.version("pentode"))`
		if have, want := run(dir, "-c", look, target), cli.Version+" "+cli.Version; have != want {
			t.Errorf("installed from %s, the package and its metadata say version %q, want %q", filepath.Base(from), have, want)
		}
		if _, err := os.Stat(filepath.Join(target, "pentode", "py.typed")); err != nil {
			t.Errorf("installed from %s: %v", filepath.Base(from), err)
		}
	}
}

func keysOf(files map[string]string) []string { return slices.Sorted(maps.Keys(files)) }

// typed is a program that uses the package with types.
const typed = `from pentode import EMPTY, Process, key, port, trace


class Scale(Process):
    number = port.input("integer")
    product = port.output("integer")
    factor = key(int, 2, "The number to multiply by.", tunable=True)
    unit = key(str, "m", choices=["m", "km"])

    def step(self, number: int) -> int:
        with trace.region("step"):
            reveal_type(self.unit)
            return self.factor * number + trace.knob("depth", 4)


wrong: str = Scale().factor
`

// TestPythonTypes runs a type checker on the package and on a program that uses it, whose settings must have their types.
func TestPythonTypes(t *testing.T) {
	need.Slow(t)
	mypy := need.Program(t, "mypy", "--version")
	python, dir := filepath.Join(golden.Root(t), "python"), t.TempDir()
	cmd := exec.Command(mypy, "--cache-dir", dir)
	cmd.Dir = python
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Errorf("the package: %v\n%s", err, out)
	}
	if err := os.WriteFile(filepath.Join(dir, "scale.py"), []byte(typed), 0o600); err != nil {
		t.Fatal(err)
	}
	cmd = exec.Command(mypy, "--strict", "--follow-imports=silent", "--cache-dir", dir, "scale.py")
	cmd.Dir, cmd.Env = dir, append(os.Environ(), "MYPYPATH="+python)
	out, err := cmd.CombinedOutput()
	if text := string(out); err == nil || !strings.Contains(text, `has type "int", variable has type "str"`) || !strings.Contains(text, `Revealed type is "builtins.str"`) || strings.Count(text, " error: ") != 1 {
		t.Errorf("a program that assigns a number to a string: %v\n%s\nwant this error and no other", err, out)
	}
}

// wheelFiles reads the files of a wheel.
func wheelFiles(t *testing.T, path string) map[string]string {
	t.Helper()
	archive, err := zip.OpenReader(path)
	if err != nil {
		t.Fatal(err)
	}
	defer archive.Close()
	files := map[string]string{}
	for _, f := range archive.File {
		in, err := f.Open()
		if err != nil {
			t.Fatal(err)
		}
		text, err := io.ReadAll(in)
		if err != nil {
			t.Fatal(err)
		}
		files[f.Name] = string(text)
	}
	return files
}

// sdistFiles reads the files of a source archive.
func sdistFiles(t *testing.T, path string) map[string]string {
	t.Helper()
	packed, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	z, err := gzip.NewReader(bytes.NewReader(packed))
	if err != nil {
		t.Fatal(err)
	}
	files := map[string]string{}
	for r := tar.NewReader(z); ; {
		h, err := r.Next()
		if errors.Is(err, io.EOF) {
			return files
		}
		if err != nil {
			t.Fatal(err)
		}
		text, err := io.ReadAll(r)
		if err != nil {
			t.Fatal(err)
		}
		files[h.Name] = string(text)
	}
}
