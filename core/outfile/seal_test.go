package outfile_test

import (
	"errors"
	"image"
	"image/png"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/pentode-dev/pentode/core/outfile"
	"github.com/pentode-dev/pentode/core/seal"
)

func runOf(t *testing.T, path string) string {
	t.Helper()
	s, err := seal.Read(path)
	if err != nil {
		return err.Error()
	}
	if err := s.Fits(path); err != nil {
		return err.Error()
	}
	return s.Run + " " + s.Process
}

// TestSeal: every complete result has its seal inside or in a separate file, and nothing else changes.
func TestSeal(t *testing.T) {
	dir := t.TempDir()
	m := seal.New(seal.Seal{Run: "run"})
	folder := outfile.Folder{Dir: dir, Fenced: true, Seal: m.By("writer")}
	create := func(name string) *outfile.File {
		f, err := folder.Create(name)
		if err != nil {
			t.Fatal(err)
		}
		return f
	}
	end := func(errs ...error) {
		t.Helper()
		if err := errors.Join(errs...); err != nil {
			t.Fatal(err)
		}
	}
	f := create("a.png")
	end(png.Encode(f, image.NewGray(image.Rect(0, 0, 9, 9))), f.Close())
	f = create("a.csv")
	_, err := f.Write([]byte("1,2\n"))
	end(err, f.Close())
	f = create("empty.txt")
	f.Keep()
	end(f.Close())
	f = create("patched.txt")
	_, err = f.Write([]byte("abc"))
	_, e := f.WriteAt([]byte("x"), 0)
	end(err, e, f.Close())
	f = create("half.csv")
	_, err = f.Write([]byte("1,"))
	end(err, f.Leave())
	f = create("nothing.csv")
	end(f.Close())
	for name, want := range map[string]string{
		"a.png": "run writer", "a.csv": "run writer", "empty.txt": "run writer", "patched.txt": "run writer", "half.csv.partial": seal.ErrNone.Error(),
	} {
		if got := runOf(t, filepath.Join(dir, name)); got != want {
			t.Errorf("%s: %s, want %s", name, got, want)
		}
	}
	if got := text(t, filepath.Join(dir, "a.csv")); got != "1,2\n" {
		t.Errorf("the text is %q, want %q", got, "1,2\n")
	}
	entries, err := os.ReadDir(dir)
	end(err)
	var names []string
	for _, e := range entries {
		names = append(names, e.Name())
	}
	if got, want := strings.Join(names, " "), "a.csv a.csv.seal.json a.png empty.txt empty.txt.seal.json half.csv.partial patched.txt patched.txt.seal.json"; got != want {
		t.Errorf("there are %s, want %s", got, want)
	}
	if m.Lost() != nil {
		t.Errorf("%v; want none", m.Lost())
	}
}

// TestSealFile checks that the complete file of another program gets a seal, and that an existing file
// with the seal's name is not overwritten.
func TestSealFile(t *testing.T) {
	dir := t.TempDir()
	m := seal.New(seal.Seal{Run: "run"})
	path, own := filepath.Join(dir, "log.txt"), filepath.Join(dir, "table.csv")
	for name, text := range map[string]string{path: "line\n", own: "1\n", own + seal.Ending: `{"mine":true}`} {
		if err := os.WriteFile(name, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	outfile.SealFile(path, m)
	outfile.SealFile(path, nil)
	if got := runOf(t, path); got != "run " {
		t.Errorf("%v; want %q", got, "run ")
	}
	if m.Lost() != nil {
		t.Errorf("%v; want none", m.Lost())
	}
	outfile.SealFile(own, m)
	if got := text(t, own+seal.Ending); got != `{"mine":true}` || m.Lost() == nil {
		t.Errorf("%q, %v; want got = %q and m.Lost() not nil", got, m.Lost(), `{"mine":true}`)
	}
	outfile.SealFile(filepath.Join(dir, "missing"), m)
}
