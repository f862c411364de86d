package origin_test

import (
	"image"
	"image/png"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/pentode-dev/pentode/core/load"
	"github.com/pentode-dev/pentode/core/outfile"
	"github.com/pentode-dev/pentode/core/seal"
	"github.com/pentode-dev/pentode/lang/all"
	"github.com/pentode-dev/pentode/run/trace/ctf"
	"github.com/pentode-dev/pentode/runs/origin"
	"github.com/pentode-dev/pentode/runs/record"
	"github.com/pentode-dev/pentode/workspace"
)

const (
	run  = "20260301-090000-abcdef"
	pipe = "process src :: numbers\n  end = 4\nprocess other :: numbers\n  end = 7\n"
)

// bed is a run with a record and one picture.
type bed struct {
	*testing.T
	dir   string
	store record.Store
	work  *workspace.Workspace
}

func newBed(t *testing.T) *bed {
	dir := t.TempDir()
	b := &bed{t, dir, record.Store{Dir: filepath.Join(dir, "state")}, workspace.New(all.Languages(all.Options{}), load.NewEnv())}
	b.write("a.pipe", pipe)
	b.write("in.csv", "1\n")
	b.picture("a.png", run, 3)
	sum, err := record.Sum(filepath.Join(dir, "a.png"))
	if err != nil {
		t.Fatal(err)
	}
	r := &record.Record{
		ID: run, Started: time.Now(), Out: dir,
		Files:  []record.File{{Path: filepath.Join(dir, "a.pipe"), Hash: record.Hash(pipe), Size: int64(len(pipe))}},
		Inputs: []record.File{{Path: filepath.Join(dir, "in.csv"), Hash: record.Hash("1\n"), Size: 2}, {Path: filepath.Join(dir, "gone.csv"), Size: 9}},
		Settings: []record.Setting{
			{File: "a.pipe", Key: "src:end", Value: "4", At: "a.pipe:2:9", Of: []string{"a.pipe/src"}},
			{File: "a.pipe", Key: "other:end", Value: "7", At: "a.pipe:4:9", Of: []string{"a.pipe/other"}},
			{File: "a.pipe", Key: "paint:high", Value: "(not recorded: TOKEN)", Of: []string{"a.pipe/paint"}},
			{File: "plan.psdl", Key: "process.west.host", Value: "here"},
		},
		Edges:   []record.Edge{{From: "a.pipe/src.number", To: "a.pipe/paint.field"}, {From: "a.pipe/paint.image", To: "a.pipe/write.image"}, {From: "a.pipe/paint.image", To: "a.pipe/src.back"}},
		Results: []record.Result{{Path: "west/b.png", Hash: "00", Process: "a.pipe/write"}, {Path: "west/a.png", Hash: sum, Process: "a.pipe/write", Edge: "paint.image"}},
	}
	if err := b.store.Write(r, nil); err != nil {
		t.Fatal(err)
	}
	return b
}

func (b *bed) write(name, text string) {
	b.Helper()
	if err := os.WriteFile(filepath.Join(b.dir, name), []byte(text), 0o600); err != nil {
		b.Fatal(err)
	}
}

// picture writes a picture of a size with the seal of a run.
func (b *bed) picture(name, run string, size int) {
	b.Helper()
	m := seal.New(seal.Seal{Run: run, Host: "far", Record: "/records/" + run})
	f, err := outfile.Folder{Dir: b.dir, Seal: m.By("write")}.Create(name)
	if err != nil {
		b.Fatal(err)
	}
	if err := png.Encode(f, image.NewGray(image.Rect(0, 0, size, size))); err != nil {
		b.Fatal(err)
	}
	if err := f.Close(); err != nil {
		b.Fatal(err)
	}
}

func (b *bed) read(name string) *origin.Origin {
	b.Helper()
	o, err := origin.Read(b.work, b.store, filepath.Join(b.dir, name))
	if err != nil {
		b.Fatal(err)
	}
	return o
}

// setting returns the state of a setting, and its current value.
func setting(o *origin.Origin, key string) string {
	for _, s := range o.Settings {
		if s.Key == key {
			text := string(s.State) + " " + s.Now
			if s.Whole {
				text += " whole"
			}
			return strings.TrimSpace(text)
		}
	}
	return "none"
}

// A result is found in the record by content, and has the settings along the path of its data, then and now.
func TestRecorded(t *testing.T) {
	b := newBed(t)
	if err := os.Rename(filepath.Join(b.dir, "a.png"), filepath.Join(b.dir, "b.png")); err != nil {
		t.Fatal(err)
	}
	o := b.read("b.png")
	if !o.Recorded || o.Changed || o.Process != "a.pipe/write" || o.Edge != "paint.image" || !slices.Equal(o.Way, []string{"a.pipe/paint", "a.pipe/src"}) || len(o.Missing) != 0 {
		t.Errorf("%+v, want it recorded and unchanged, from paint.image to a.pipe/write, over paint and src, nothing missing", o)
	}
	for key, want := range map[string]string{"src:end": "same", "other:end": "none", "paint:high": "unknown", "process.west.host": "unknown  whole"} {
		if got := setting(o, key); got != want {
			t.Errorf("%s is %q, want %q", key, got, want)
		}
	}
	if len(o.Inputs) != 2 || o.Inputs[0].State != record.Same || o.Inputs[1].State != record.Gone {
		t.Errorf("%+v, want 2 inputs, the first %v and the second %v", o.Inputs, record.Same, record.Gone)
	}
	b.write("a.pipe", strings.Replace(pipe, "4", "5", 1))
	b.write("in.csv", "2\n")
	if o = b.read("b.png"); setting(o, "src:end") != "changed 5" || o.Inputs[0].State != record.Changed {
		t.Errorf("%v %v; want setting(o, \"src:end\") = %q and o.Inputs[0].State = %v", setting(o, "src:end"), o.Inputs, "changed 5", record.Changed)
	}
	b.write("a.pipe", "process other :: numbers\n")
	if o = b.read("b.png"); setting(o, "src:end") != "gone" {
		t.Errorf("%v; want %q", setting(o, "src:end"), "gone")
	}
	b.picture("a.png", run, 4) // of the same name and seal, with other pixels
	if o = b.read("a.png"); !o.Changed || o.Edge != "paint.image" {
		t.Errorf("%+v, want it changed, from paint.image", o)
	}
}

// Without the record, only the content of the seal is known; the record of another run is not used.
func TestNotRecorded(t *testing.T) {
	b := newBed(t)
	for _, name := range []string{"20260301-090000-000000", "abcdef", "../state/" + run, ""} {
		b.picture("c.png", name, 3)
		o := b.read("c.png")
		if o.Recorded || len(o.Settings) != 0 || len(o.Missing) != 1 || !strings.Contains(o.Missing[0], "on `far`") || o.Seal.Run != name {
			t.Errorf("%q: %+v, want the run %q in the seal, not recorded, no settings, and the record missing on `far`", name, o, name)
		}
	}
}

// The environment of a trace contains its origin.
func TestTrace(t *testing.T) {
	b := newBed(t)
	for name, env := range map[string]map[string]string{
		"sealed": {seal.Name: ctf.Quote(string(seal.Seal{Run: run}.Text()))}, "bare": nil, "bad": {seal.Name: ctf.Quote("{")},
	} {
		trace := &ctf.Trace{Env: env}
		if err := ctf.Create(filepath.Join(b.dir, name, "ctf"), trace); err != nil {
			t.Fatal(err)
		}
		if err := trace.Describe(ctf.Clock{Frequency: 1e9}); err != nil {
			t.Fatal(err)
		}
	}
	for _, name := range []string{"sealed", "sealed/ctf"} {
		if o := b.read(name); o.Seal.Run != run || !o.Recorded {
			t.Errorf("%+v, want it recorded, of %s", o, run)
		}
	}
	for name, want := range map[string]string{
		"bare": "it has no seal", "bad": "it is not the JSON of a seal", "state": "it is a folder without a trace", "none": "there is no file `", "in.csv:x": "is not an HDF5",
	} {
		if name == "in.csv:x" {
			b.write("in.csv"+seal.Ending, string(seal.Seal{Run: run, Of: &seal.Data{Size: 2}}.Text()))
		}
		if o, err := origin.Read(b.work, b.store, filepath.Join(b.dir, name)); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %+v, %v", name, o, err)
		}
	}
}
