package outfile_test

import (
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"image"
	"image/png"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/pentode-dev/pentode/core/outfile"
	"github.com/pentode-dev/pentode/core/seal"
)

// TestLedger checks that a ledger has the hash of every complete file, without the seal. It must have no entry for a
// file that is incomplete, has overwritten bytes, or has changed since.
func TestLedger(t *testing.T) {
	dir := t.TempDir()
	ledger := &outfile.Ledger{Path: filepath.Join(dir, "ledger")}
	folder := outfile.Folder{Dir: filepath.Join(dir, "out"), Seal: seal.New(seal.Seal{Run: "run"}), Ledger: ledger}
	if err := errors.Join(os.WriteFile(ledger.Path, nil, 0o600), os.Mkdir(folder.Dir, 0o700)); err != nil {
		t.Fatal(err)
	}
	create := func(name string, write func(f *outfile.File) error, end func(*outfile.File) error) {
		t.Helper()
		f, err := folder.Create(name)
		if err == nil {
			err = errors.Join(write(f), end(f))
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	text := func(s string) func(*outfile.File) error {
		return func(f *outfile.File) error {
			for i := range len(s) { // write it in many small pieces
				if _, err := f.Write([]byte{s[i]}); err != nil {
					return err
				}
			}
			return nil
		}
	}
	create("a.png", func(f *outfile.File) error { return png.Encode(f, image.NewGray(image.Rect(0, 0, 9, 9))) }, (*outfile.File).Close)
	create("a.csv", text("1,2\n"), (*outfile.File).Close)
	create("again.csv", text("old\n"), (*outfile.File).Close)
	create("again.csv", text("new\n"), (*outfile.File).Close)
	create("empty.txt", func(f *outfile.File) error { f.Keep(); return nil }, (*outfile.File).Close)
	create("half.csv", text("1,"), (*outfile.File).Leave)
	create("gone.csv", text("1,"), (*outfile.File).Discard)
	create("patched.txt", func(f *outfile.File) error {
		_, err := f.WriteAt([]byte("x"), 0)
		return errors.Join(err, text("abc")(f))
	}, (*outfile.File).Close)
	create("other.csv", text("mine\n"), (*outfile.File).Close)
	later := time.Now().Add(time.Second)
	other := filepath.Join(folder.Dir, "other.csv")
	if err := errors.Join(os.WriteFile(other, []byte("hers\n"), 0o600), os.Chtimes(other, later, later)); err != nil {
		t.Fatal(err)
	}
	notes := ledger.Notes()
	for name, want := range map[string]bool{
		"a.png": true, "a.csv": true, "again.csv": true, "empty.txt": true,
		"half.csv": false, "half.csv" + outfile.Suffix: false, "gone.csv": false, "patched.txt": false, "other.csv": false,
	} {
		path := filepath.Join(folder.Dir, name)
		f, err := os.Open(path)
		if err != nil {
			if _, noted := notes[path]; noted {
				t.Errorf("%s is in the ledger, but the file does not exist", name)
			}
			continue
		}
		info, err := f.Stat()
		if err != nil {
			t.Fatal(err)
		}
		sum := sha256.New()
		if _, err := io.Copy(sum, seal.Without(f, info.Size())); err != nil {
			t.Fatal(err)
		}
		f.Close()
		if note := notes[path]; note.Of(info) != want || want && note.Hash != hex.EncodeToString(sum.Sum(nil)) {
			t.Errorf("%s: %+v, and it has %d bytes of %s with %x; want noted as that file %v, and the hash if it is", name, note, info.Size(), info.ModTime(), sum.Sum(nil), want)
		}
	}
}

// TestNoLedger: a ledger that is missing, removed or full does not make a write fail, and is not created again.
func TestNoLedger(t *testing.T) {
	dir := t.TempDir()
	for _, path := range []string{filepath.Join(dir, "none"), filepath.Join(dir, "none", "none"), dir, "/dev/full"} {
		folder := outfile.Folder{Dir: dir, Ledger: &outfile.Ledger{Path: path}}
		f, err := folder.Create("a.txt")
		if err != nil {
			t.Fatal(err)
		}
		if _, err := io.WriteString(f, "a"); err != nil {
			t.Fatal(err)
		}
		if err := f.Close(); err != nil {
			t.Errorf("%s: %v", path, err)
		}
	}
	if _, err := os.Stat(filepath.Join(dir, "none")); err == nil {
		t.Error("a missing ledger was created")
	}
	if notes := (&outfile.Ledger{Path: filepath.Join(dir, "none")}).Notes(); len(notes) > 0 {
		t.Errorf("%v; want at most 0", notes)
	}
}

// TestDamagedLedger: incomplete or overlong lines are ignored, and the others are read.
func TestDamagedLedger(t *testing.T) {
	path := filepath.Join(t.TempDir(), "ledger")
	text := `{"path":"/a","size":1,"hash":"ab"}` + "\n" + `{"path":"/b","si` + "\nnull\n" + strings.Repeat("x", 100_000) + "\n" + `{"path":"/c","size":3,"hash":"cd"}`
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	notes := (&outfile.Ledger{Path: path}).Notes()
	if notes["/a"].Size != 1 || notes["/c"].Hash != "cd" || notes["/b"].Path != "" {
		t.Errorf("%v; want notes[\"/a\"].Size = 1, notes[\"/c\"].Hash = %q and notes[\"/b\"].Path = nothing", notes, "cd")
	}
}

// BenchmarkNoted measures what the ledger costs in addition to computing the hash.
func BenchmarkNoted(b *testing.B) {
	dir := b.TempDir()
	for _, c := range []struct {
		name   string
		ledger *outfile.Ledger
	}{{"without", nil}, {"noted", &outfile.Ledger{Path: filepath.Join(dir, "ledger")}}} {
		b.Run(c.name, func(b *testing.B) {
			if err := os.WriteFile(filepath.Join(dir, "ledger"), nil, 0o600); err != nil {
				b.Fatal(err)
			}
			text := make([]byte, 16<<10)
			for b.Loop() {
				f, err := outfile.Folder{Dir: dir, Ledger: c.ledger}.Create("a.txt")
				if err != nil {
					b.Fatal(err)
				}
				_, err = f.Write(text)
				if err := errors.Join(err, f.Close()); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}
