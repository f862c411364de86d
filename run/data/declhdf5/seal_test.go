package declhdf5_test

import (
	"errors"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/pentode-dev/pentode/core/seal"
	"github.com/pentode-dev/pentode/internal/datatest"
	"github.com/pentode-dev/pentode/internal/need"
	"github.com/pentode-dev/pentode/run/data"
	"github.com/pentode-dev/pentode/run/data/declhdf5"
)

const sealedTree = `
metadata: {step: int}
data: {field: {type: array, subtype: int, size: 3}, back: {type: array, subtype: int, size: 3}}
plugins:
  decl_hdf5:
    - {file: 'a.h5', on_event: step, write: {field: {dataset: 'f${step}'}}}
    - {file: 'a.h5', on_event: read, read: {back: {dataset: f0}}}
    - {file: 'b.h5', on_event: copy, write: [back]}
`

func sealedStore(t *testing.T, dir string, m *seal.Maker) *data.Store {
	t.Helper()
	s, err := data.New(data.Tree(datatest.Tree(t, sealedTree)), data.Options{
		Plugins: []data.Plugin{declhdf5.Plugin(nil)}, Host: data.Host{Dir: dir, Console: new(strings.Builder), Seal: m},
	})
	must(t, err)
	return s
}

// TestSealed checks that a file names the run that wrote it, in an attribute of its root. A run that continues the file of
// another run, or writes data that it has read from it, has that run as a parent.
func TestSealed(t *testing.T) {
	dir := t.TempDir()
	write := func(m *seal.Maker, steps ...int32) {
		s := sealedStore(t, dir, m)
		for _, step := range steps {
			must(t, s.Expose("step", &step, data.Out), s.MultiExpose("step", data.Item{Name: "field", Value: &[3]int32{1, 2, step}, Access: data.Out}))
		}
		must(t, s.Close())
	}
	path := filepath.Join(dir, "a.h5")
	write(seal.New(seal.Seal{Run: "first"}), 0, 1)
	if s, err := declhdf5.Sealed(path); err != nil || s.Run != "first" || len(s.Parents) != 0 {
		t.Fatal(s, err)
	}
	write(seal.New(seal.Seal{Run: "second"}), 2)
	if s, err := declhdf5.Sealed(path); err != nil || s.Run != "second" || len(s.Parents) != 1 || s.Parents[0].Run != "first" {
		t.Fatal(s, err)
	}
	write(nil, 3) // a run without a seal leaves the existing seal
	if s, err := declhdf5.Sealed(path); err != nil || s.Run != "second" {
		t.Fatal(s, err)
	}
	third := sealedStore(t, dir, seal.New(seal.Seal{Run: "third"}))
	var back [3]int32
	must(t, third.MultiExpose("read", data.Item{Name: "back", Value: &back, Access: data.In}),
		third.MultiExpose("copy", data.Item{Name: "back", Value: &back, Access: data.Out}), third.Close())
	if s, err := declhdf5.Sealed(filepath.Join(dir, "b.h5")); err != nil || back != [3]int32{1, 2, 0} || s.Run != "third" || len(s.Parents) != 1 || s.Parents[0].Run != "second" {
		t.Fatal(s, err, back)
	}
	text := dump(t, path)
	contains(t, text, `ATTRIBUTE "pentode_seal" { DATATYPE H5T_STRING {`, `"run":"second"`, `DATASET "f3" {`, "(0): 1, 2, 3")
	python := need.Python(t, "h5py")
	if out, err := exec.Command(python, "-c", `
import h5py, json, sys
with h5py.File(sys.argv[1]) as f:
    s = f.attrs["pentode_seal"]
    s = s.decode() if isinstance(s, bytes) else s
    assert json.loads(s)["run"] == "second", s
    assert f["f2"][:].tolist() == [1, 2, 2] and sorted(f) == ["f0", "f1", "f2", "f3"]
`, path).CombinedOutput(); err != nil {
		t.Errorf("%v\n%s", err, out)
	}
}

// TestNotSealed checks that no seal is written by default, and that a file without a seal has none.
func TestNotSealed(t *testing.T) {
	dir := t.TempDir()
	s := sealedStore(t, dir, nil)
	step := int32(0)
	must(t, s.Expose("step", &step, data.Out), s.MultiExpose("step", data.Item{Name: "field", Value: &[3]int32{1, 2, 3}, Access: data.Out}), s.Close())
	if s, err := declhdf5.Sealed(filepath.Join(dir, "a.h5")); !errors.Is(err, seal.ErrNone) {
		t.Error(s, err)
	}
	if _, err := declhdf5.Sealed(filepath.Join(dir, "none.h5")); err == nil {
		t.Error("a file that is not there has a seal")
	}
}
