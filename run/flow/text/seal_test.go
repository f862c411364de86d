package text

import (
	"errors"
	"os"
	"path/filepath"
	"testing"

	"github.com/pentode-dev/pentode/core/seal"
	"github.com/pentode-dev/pentode/run/flow"
	"github.com/pentode-dev/pentode/run/flow/flowtest"
	"github.com/pentode-dev/pentode/run/flow/pipe"
)

// TestSealed: a text file has its seal beside it. If a run appends to the text of another run, that run is a
// parent.
func TestSealed(t *testing.T) {
	dir := t.TempDir()
	write := func(m *seal.Maker, config ...string) {
		t.Helper()
		in := flowtest.Data{"text": {flow.OfText("line")}}
		if _, err := flowtest.Feed(writeType(), pipe.Set(append(config, "file_name", "out.txt")...), in, nil, 10, flow.Options{Dir: dir, Seal: m}); err != nil {
			t.Fatal(err)
		}
	}
	path := filepath.Join(dir, "out.txt")
	write(seal.New(seal.Seal{Run: "first"}))
	if s, err := seal.Read(path); err != nil || s.Run != "first" || s.Fits(path) != nil {
		t.Fatal(s, err)
	}
	write(seal.New(seal.Seal{Run: "second"}), "append", "true")
	s, err := seal.Read(path)
	if err != nil || s.Run != "second" || len(s.Parents) != 1 || s.Parents[0].Run != "first" {
		t.Fatal(s, err)
	}
	write(nil, "append", "true")
	if bad := (*seal.Bad)(nil); !isBad(path, &bad) {
		t.Error("a text that was changed since has its old seal")
	}
	if text, err := os.ReadFile(path); err != nil || string(text) != "line\nline\nline\n" {
		t.Errorf("%q, %v", text, err)
	}
}

func isBad(path string, bad **seal.Bad) bool {
	_, err := seal.Read(path)
	return errors.As(err, bad)
}

// TestReads: the run that wrote a text is a parent of the run that reads it.
func TestReads(t *testing.T) {
	dir := t.TempDir()
	in := flowtest.Data{"text": {flow.OfText("line")}}
	if _, err := flowtest.Feed(writeType(), pipe.Set("file_name", "in.txt"), in, nil, 10, flow.Options{Dir: dir, Seal: seal.New(seal.Seal{Run: "first"})}); err != nil {
		t.Fatal(err)
	}
	m := seal.New(seal.Seal{Run: "second"})
	if _, err := flowtest.Feed(readType(), pipe.Set("file_name", "in.txt"), nil, []string{"text"}, 10, flow.Options{Dir: dir, Seal: m}); err != nil {
		t.Fatal(err)
	}
	if p := m.Seal().Parents; len(p) != 1 || p[0].Run != "first" {
		t.Errorf("%+v, want len(p) = 1 and p[0].Run = %q", p, "first")
	}
}
