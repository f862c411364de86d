package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// The generated files are up to date.
func TestGenerate(t *testing.T) {
	out := t.TempDir()
	if err := generate("..", out); err != nil {
		t.Fatal(err)
	}
	made, err := os.ReadDir(out)
	if err != nil {
		t.Fatal(err)
	}
	there, err := filepath.Glob("../zz_*_gen.go")
	if err != nil || len(there) != len(made) {
		t.Errorf("%d files are made, %d are there, %v", len(made), len(there), err)
	}
	for _, file := range made {
		got, err := os.ReadFile(filepath.Join(out, file.Name()))
		if err != nil {
			t.Fatal(err)
		}
		want, err := os.ReadFile(filepath.Join("..", file.Name()))
		if err != nil || string(got) != string(want) {
			t.Errorf("%s is not what is generated: run go generate (%v)", file.Name(), err)
		}
	}
}

// An error in the data is reported with its file, and nothing is written.
func TestGenerateFails(t *testing.T) {
	in, out := t.TempDir(), t.TempDir()
	if err := generate(in, out); err == nil || !strings.Contains(err.Error(), "no data/*.json") {
		t.Errorf("no data: %v", err)
	}
	if err := os.Mkdir(filepath.Join(in, "data"), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(in, "data", "bad.json"), []byte(`{"abis":[{}]}`), 0o644); err != nil {
		t.Fatal(err)
	}
	if err := generate(in, out); err == nil || !strings.Contains(err.Error(), "bad.json: ABI ``: it needs a `name`") {
		t.Errorf("bad data: %v", err)
	}
	if files, err := os.ReadDir(out); len(files) > 0 || err != nil {
		t.Errorf("written are %v, %v", files, err)
	}
}
