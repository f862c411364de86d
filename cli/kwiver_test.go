package cli

import (
	"bytes"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/pentode-dev/pentode/runs"
)

// TestKwiverPrograms: command lines of KWIVER's programs have the same effect here.
func TestKwiverPrograms(t *testing.T) {
	dir := t.TempDir()
	t.Chdir(dir)
	for name, text := range map[string]string{
		"p.pipe":       "include sub.pipe\nprocess out :: print_number\n  output = out.txt\nconnect from n.number to out.number\n",
		"in/sub.pipe":  "process n :: numbers\n  start = 1\n  end = 3\n",
		"more.config":  "config n\n  end = 5\n",
		"plain.pipe":   "process n :: numbers\n  end = 2\nprocess out :: print_number\n  output = out.txt\nconnect from n.number to out.number\n",
		"broken.pipe":  "process n :: nmbers\n",
		"other.config": "config n\n  start = 4\n",
	} {
		if err := os.MkdirAll(filepath.Dir(name), 0o777); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(name, []byte(text), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	for _, c := range []struct {
		line string
		code int
		want string // the expected result, or a part of the output
	}{
		{"pipeline_runner -p plain.pipe", 0, "0\n1\n"},
		{"pipeline_runner -I in p.pipe", 0, "1\n2\n"},
		{"pipeline_runner -I in -c more.config -p p.pipe", 0, "1\n2\n3\n4\n"},
		{"kwiver runner p.pipe -I in -c more.config -c other.config", 0, "4\n"},
		{"kwiver runner --include in -c more.config -s n:end=2 --scheduler sync p.pipe", 0, "1\n"},
		{"kwiver runner broken.pipe", 1, "unknown type `nmbers`"},
		{"pipeline_runner", 2, "0 pipelines are given: expected one"},
		{"pipeline_runner --what plain.pipe", 2, "unknown flag: --what"},
		{"kwiver", 0, "usage: pipeline_runner"},
		{"kwiver dump_klv", 2, "there is no `dump_klv` here: expected runner or explorer"},
		{"plugin_explorer --proc all -b", 0, "numbers"},
		{"plugin_explorer --proc", 0, "numbers"},
		{"plugin_explorer --proc numbers -d", 0, "keys"},
		{"kwiver explorer --proc=numbers", 0, "keys"},
		{"plugin_explorer numbers", 2, "`numbers` belongs to no flag"},
	} {
		os.Remove("out.txt")
		var out, errs bytes.Buffer
		words := strings.Fields(c.line)
		code := AsKwiver(words[0], Options{}, words[1:], strings.NewReader(""), &out, &errs)
		result, err := os.ReadFile("out.txt")
		have := string(result)
		if err != nil {
			have = out.String() + errs.String()
		}
		if code != c.code || err == nil && have != c.want || !strings.Contains(have, c.want) {
			t.Errorf("%s: code %d, want %d; have\n%s%s\nwant\n%s", c.line, code, c.code, have, errs.String(), c.want)
		}
	}
}

// TestShippedTypes: --types accepts the name of a built-in catalogue, even beside a folder of that
// name. A file of that name has priority, and a path never means a built-in catalogue.
func TestShippedTypes(t *testing.T) {
	dir := t.TempDir()
	t.Chdir(dir)
	if err := os.Mkdir("viame", 0o777); err != nil {
		t.Fatal(err)
	}
	types := runs.Types()
	for _, path := range []string{"viame", filepath.Join(dir, "kwiver")} {
		if err := useTypes(types, path, dir); err != nil {
			t.Errorf("%s: %v", path, err)
		}
	}
	if err := os.WriteFile("kwiver", []byte("no JSON"), 0o666); err != nil {
		t.Fatal(err)
	}
	for _, path := range []string{"kwiver", filepath.Join(dir, "sub", "viame")} {
		if err := useTypes(types, path, dir); err == nil {
			t.Errorf("%s was taken for a catalogue of this program, want one", path)
		}
	}
}
