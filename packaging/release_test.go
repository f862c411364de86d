package main

import (
	"archive/tar"
	"bytes"
	"debug/buildinfo"
	"encoding/json"
	"io"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"

	"github.com/pentode-dev/pentode/internal/golden"
	"github.com/pentode-dev/pentode/internal/need"
)

// TestRelease makes the release for this machine's platform from two clones in two
// folders, installs the package, runs the example with it, and removes it.
func TestRelease(t *testing.T) {
	need.Slow(t)
	if runtime.GOOS != "linux" {
		t.Skip("packages are made on linux")
	}
	need.Program(t, "git", "--version")
	need.Program(t, "dpkg", "--version")
	need.Program(t, "dpkg-deb", "--version")
	dir := t.TempDir()
	own := "linux/" + runtime.GOARCH
	first, second := makeRelease(t, filepath.Join(dir, "here"), own), makeRelease(t, filepath.Join(dir, "a longer path"), own)
	if first, second := read(t, first, "SHA256SUMS"), read(t, second, "SHA256SUMS"); !bytes.Equal(first, second) {
		t.Errorf("releases from two folders differ:\n%s\n%s\nwant the same sums", first, second)
	}
	cmd := exec.Command("sha256sum", "-c", "SHA256SUMS")
	cmd.Dir = first
	output(t, cmd)

	t.Run("image", func(t *testing.T) { checkImage(t, find(t, first, "*.oci.tar")) })
	t.Run("bill of materials", func(t *testing.T) { checkSBOM(t, read(t, first, "sbom.json")) })
	t.Run("deb", func(t *testing.T) { checkDeb(t, find(t, first, "*.deb")) })
	t.Run("rpm", func(t *testing.T) {
		rpm := need.Program(t, "rpm", "--version")
		if said := output(t, exec.Command(rpm, "-qp", "--scripts", find(t, first, "*.rpm"))); !strings.Contains(said, "preuninstall") || !strings.Contains(said, "-name __pycache__") {
			t.Errorf("compiled Python modules are left: %s", said)
		}
		list := output(t, exec.Command(rpm, "-qlp", find(t, first, "*.rpm")))
		for _, file := range []string{"/usr/bin/pentode\n", "/usr/share/man/man1/pentode-check.1", "/usr/share/doc/pentode/NOTICES\n", "/usr/lib/pentode/lib/libpdi.so.1\n", "/usr/lib/pentode/share/pentode_trace/pentode_trace.f90\n", "/usr/lib/pentode/lib/pkgconfig/pentode_trace.pc\n", "/usr/lib/pentode/python/pentode/__main__.py\n"} {
			if !strings.Contains(list, file) {
				t.Errorf("%q is missing in\n%s", file, list)
			}
		}
	})
}

// makeRelease runs packaging in a clone; the release must be complete.
func makeRelease(t *testing.T, clone string, platforms ...string) (dist string) {
	t.Helper()
	dist = t.TempDir()
	output(t, exec.Command("git", "-c", "safe.directory=*", "clone", "-q", golden.Root(t), clone))
	cmd := exec.Command("go", "run", "./packaging", "--for", strings.Join(platforms, ","), dist)
	cmd.Dir = clone
	// Without the race detector and folder names, the next clone can reuse the compiled
	// packages of this one.
	cmd.Env = append(os.Environ(), "GOFLAGS=-trimpath")
	if said := output(t, cmd); strings.Contains(said, "left out") {
		t.Errorf("the release is not complete: %s", said)
	}
	return dist
}

// checkDeb installs the package with dpkg under a separate root.
func checkDeb(t *testing.T, deb string) {
	need.Root(t)
	root := t.TempDir()
	for _, dir := range []string{"var/lib/dpkg/info", "var/lib/dpkg/updates", "var/log", "tmp", "bin"} {
		if err := os.MkdirAll(filepath.Join(root, dir), 0o755); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.WriteFile(filepath.Join(root, "var/lib/dpkg/status"), nil, 0o644); err != nil {
		t.Fatal(err)
	}
	before := files(t, root)
	dpkg := func(args ...string) {
		t.Helper()
		output(t, exec.Command("dpkg", append([]string{"--root=" + root, "--log=/dev/null", "--force-script-chrootless"}, args...)...))
	}
	dpkg("--install", deb)
	pentode := filepath.Join(root, "usr/bin/pentode")
	if said := output(t, exec.Command(pentode, "version")); !strings.Contains(said, " commit ") {
		t.Errorf("the program does not print its commit: %s", said)
	}
	out := filepath.Join(t.TempDir(), "out")
	output(t, exec.Command(pentode, "run", "-o", out, filepath.Join(root, "usr/share/doc/pentode/examples/heat")))
	if _, err := os.Stat(filepath.Join(out, "west", "heat.h5")); err != nil {
		t.Error(err)
	}
	checkPython(t, pentode)
	checkNotices(t, string(read(t, root, "usr/share/doc/pentode/NOTICES")), pentode)
	checkLibraries(t, filepath.Join(root, "usr/lib/pentode"))
	dpkg("--purge", "pentode")
	if after := files(t, root); !slices.Equal(before, after) {
		t.Errorf("the root had\n%s\nand now has\n%s\nwant %v", strings.Join(before, "\n"), strings.Join(after, "\n"), after)
	}
}

// checkPython runs a Python process with the package installed with the program.
func checkPython(t *testing.T, pentode string) {
	need.Program(t, "python3", "--version")
	dir := t.TempDir()
	for name, text := range map[string]string{
		"twice.py": "from pentode import Process, port\n\n\nclass Twice(Process):\n    number = port.input(\"integer\")\n    double = port.output(\"integer\")\n\n" +
			"    def step(self, number):\n        return 2 * number\n",
		"twice.pipe": "process n :: numbers\n  end = 4\nprocess t :: python\n  class = twice.Twice\nprocess p :: print_number\n  output = out.txt\n" +
			"connect from n.number to t.number\nconnect from t.double to p.number\n",
	} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	cmd := exec.Command(pentode, "run", "twice.pipe")
	// Python would write compiled modules beside the installed ones.
	cmd.Dir, cmd.Env = dir, append(os.Environ(), "PYTHONPATH=", "PYTHONDONTWRITEBYTECODE=")
	output(t, cmd)
	if got := string(read(t, dir, "out.txt")); !strings.HasPrefix(got, "0\n2\n4\n") {
		t.Errorf("the pipeline wrote\n%s\nwant %q at the start", got, "0\n2\n4\n")
	}
}

// checkNotices checks that text has the licence of every module in the program and the libraries.
func checkNotices(t *testing.T, text, program string) {
	info, err := buildinfo.ReadFile(program)
	if err != nil {
		t.Fatal(err)
	}
	names := []string{info.GoVersion}
	for _, m := range info.Deps {
		names = append(names, m.Path+" "+m.Version)
	}
	cmd := exec.Command("go", "list", "-deps", "-f", "{{with .Module}}{{if not .Main}}{{.Path}} {{.Version}}{{end}}{{end}}", "./capi")
	cmd.Dir = golden.Root(t)
	names = append(names, strings.Split(strings.TrimSpace(output(t, cmd)), "\n")...)
	for _, name := range names {
		if !strings.Contains(text, name+": LICENSE") {
			t.Errorf("the notices lack the licence of %s", name)
		}
	}
	if len(names) < 10 || !strings.Contains(text, "Permission is hereby granted") {
		t.Errorf("notices of %d modules: %.200s, want len(names) at least 10 and %q in text", len(names), text, "Permission is hereby granted")
	}
}

// checkLibraries compiles a program with the installed libraries and runs it.
func checkLibraries(t *testing.T, prefix string) {
	cc := need.Compiler(t, "cc")
	dir := t.TempDir()
	source := filepath.Join(dir, "a.c")
	const text = `#include <paraconf.h>
#include <pdi.h>
int main(void) {
	PC_tree_t tree = PC_parse_string("metadata: {n: int}");
	if (PDI_init(tree)) return 1;
	int n = 3;
	if (PDI_expose("n", &n, PDI_OUT)) return 2;
	return PDI_finalize();
}
`
	if err := os.WriteFile(source, []byte(text), 0o644); err != nil {
		t.Fatal(err)
	}
	program := filepath.Join(dir, "a")
	output(t, exec.Command(cc, source, "-o", program, "-I", filepath.Join(prefix, "include"), "-L", filepath.Join(prefix, "lib"), "-lpdi", "-lparaconf"))
	cmd := exec.Command(program)
	cmd.Env = append(os.Environ(), "LD_LIBRARY_PATH="+filepath.Join(prefix, "lib"))
	output(t, cmd)
}

// checkImage follows the digests from the index to the program.
func checkImage(t *testing.T, path string) {
	f, err := os.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	held := map[string][]byte{}
	for r := tar.NewReader(f); ; {
		h, err := r.Next()
		if err == io.EOF {
			break
		}
		if err != nil {
			t.Fatal(err)
		}
		if held[h.Name], err = io.ReadAll(r); err != nil {
			t.Fatal(err)
		}
	}
	named := func(digest string) []byte {
		content, ok := held["blobs/sha256/"+strings.TrimPrefix(digest, "sha256:")]
		if !ok || newBlob("", content).Digest != digest {
			t.Fatalf("%s names %d bytes with another sum, want a blob of that sum", digest, len(content))
		}
		return content
	}
	var index struct{ Manifests []struct{ Digest string } }
	decode(t, held["index.json"], &index)
	var manifest struct {
		Config struct{ Digest string }
		Layers []struct{ Digest string }
	}
	decode(t, named(index.Manifests[0].Digest), &manifest)
	var config struct {
		RootFS struct {
			DiffIDs []string `json:"diff_ids"`
		}
		Config struct{ Entrypoint []string }
	}
	decode(t, named(manifest.Config.Digest), &config)
	var layer bytes.Buffer
	if err := unzip(&layer, named(manifest.Layers[0].Digest)); err != nil {
		t.Fatal(err)
	}
	if id := newBlob("", layer.Bytes()).Digest; id != config.RootFS.DiffIDs[0] {
		t.Errorf("the layer is %s, the configuration says %s; want %v", id, config.RootFS.DiffIDs[0], config.RootFS.DiffIDs[0])
	}
	h, err := tar.NewReader(&layer).Next()
	if err != nil || "/"+h.Name != config.Config.Entrypoint[0] || h.Mode != 0o755 {
		t.Errorf("the image starts %v and has %+v, %v", config.Config.Entrypoint, h, err)
	}
	if !bytes.Contains(layer.Bytes(), []byte("usr/share/doc/pentode/NOTICES")) {
		t.Error("the image has no notices")
	}
}

func checkSBOM(t *testing.T, text []byte) {
	var bom struct {
		BomFormat  string
		Components []component
	}
	decode(t, text, &bom)
	if bom.BomFormat != "CycloneDX" || !slices.ContainsFunc(bom.Components, func(c component) bool { return c.Name == "github.com/spf13/cobra" && c.Version != "" }) {
		t.Errorf("the bill of materials is %s, want CycloneDX, with cobra and its version", text)
	}
}

func decode(t *testing.T, text []byte, into any) {
	t.Helper()
	if err := json.Unmarshal(text, into); err != nil {
		t.Fatalf("%v: %.200s", err, text)
	}
}

// output runs a command that must succeed.
func output(t *testing.T, cmd *exec.Cmd) string {
	t.Helper()
	out, err := cmd.CombinedOutput()
	if err != nil {
		t.Fatalf("%q: %v\n%s", cmd.Args, err, out)
	}
	return string(out)
}

func read(t *testing.T, dir, name string) []byte {
	t.Helper()
	text, err := os.ReadFile(filepath.Join(dir, name))
	if err != nil {
		t.Fatal(err)
	}
	return text
}

func find(t *testing.T, dir, pattern string) string {
	t.Helper()
	list, err := filepath.Glob(filepath.Join(dir, pattern))
	if err != nil || len(list) != 1 {
		t.Fatalf("%s has %v for %s: %v", dir, list, pattern, err)
	}
	return list[0]
}

// files returns all paths below a root, except dpkg's own files.
func files(t *testing.T, root string) (list []string) {
	t.Helper()
	err := filepath.WalkDir(root, func(path string, _ fs.DirEntry, err error) error {
		if rel, e := filepath.Rel(root, path); e == nil && !strings.HasPrefix(rel, "var/lib/dpkg") {
			list = append(list, rel)
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return list
}

func TestPlatforms(t *testing.T) {
	for _, name := range allPlatforms {
		if p, err := parsePlatform(name); err != nil || p.String() != name {
			t.Errorf("%s is %v, %v", name, p, err)
		}
	}
	if _, err := parsePlatform("plan9/386"); err == nil {
		t.Error("there are packages for plan9/386")
	}
}
