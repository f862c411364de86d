package seal_test

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"image"
	"image/color"
	"image/color/palette"
	"image/gif"
	"image/jpeg"
	"image/png"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"golang.org/x/image/tiff"

	"github.com/pentode-dev/pentode/core/seal"
	"github.com/pentode-dev/pentode/internal/need"
)

// memory is a file in memory. It can grow by room bytes, or without limit if room
// is negative.
type memory struct {
	text []byte
	room int
}

func (m *memory) ReadAt(p []byte, at int64) (int, error) {
	return bytes.NewReader(m.text).ReadAt(p, at)
}

func (m *memory) WriteAt(p []byte, at int64) (int, error) {
	end := int(at) + len(p)
	if m.room >= 0 && end > m.room {
		n := max(0, m.room-int(at))
		m.put(p[:n], int(at))
		return n, errors.New("the disk is full")
	}
	m.put(p, int(at))
	return len(p), nil
}

func (m *memory) put(p []byte, at int) {
	if more := at + len(p) - len(m.text); more > 0 {
		m.text = append(m.text, make([]byte, more)...)
	}
	copy(m.text[at:], p)
}

func (m *memory) Truncate(size int64) error {
	m.text = m.text[:size]
	return nil
}

func picture() image.Image {
	m := image.NewPaletted(image.Rect(0, 0, 301, 77), palette.Plan9)
	for i := range m.Pix {
		m.Pix[i] = uint8(i * i / 7)
	}
	return m
}

// files returns files of every format that has a place for a seal.
func files(t testing.TB) map[string][]byte {
	made := map[string][]byte{"trace": []byte("{\"displayTimeUnit\":\"ns\",\"traceEvents\":[\n{\"name\":\"x\"}\n]}\n")}
	for name, encode := range map[string]func(io.Writer, image.Image) error{
		"png":  png.Encode,
		"jpeg": func(w io.Writer, m image.Image) error { return jpeg.Encode(w, m, nil) },
		"gif":  func(w io.Writer, m image.Image) error { return gif.Encode(w, m, nil) },
		"tiff": func(w io.Writer, m image.Image) error { return tiff.Encode(w, m, nil) },
		"tiff of an odd size": func(w io.Writer, m image.Image) error {
			return tiff.Encode(w, m.(*image.Paletted).SubImage(image.Rect(0, 0, 7, 3)), &tiff.Options{Compression: tiff.Deflate})
		},
	} {
		var b bytes.Buffer
		if err := encode(&b, picture()); err != nil {
			t.Fatal(err)
		}
		made[name] = b.Bytes()
	}
	return made
}

func decoded(t *testing.T, text []byte) any {
	t.Helper()
	if text[0] == '{' {
		var v map[string]any
		if err := json.Unmarshal(text, &v); err != nil {
			t.Fatal(err)
		}
		delete(v, seal.Name)
		return fmt.Sprint(v)
	}
	m, _, err := image.Decode(bytes.NewReader(text))
	if err != nil {
		t.Fatal(err)
	}
	var all []color.Color
	for y := range m.Bounds().Dy() {
		for x := range m.Bounds().Dx() {
			all = append(all, m.At(x, y))
		}
	}
	return fmt.Sprint(all)
}

func maker(run string) *seal.Maker {
	return seal.New(seal.Seal{Run: run, Time: time.Date(2026, 3, 1, 9, 0, 0, 0, time.UTC), Host: "höst 𝄞", Fingerprints: map[string]string{seal.Whole: "ab"}})
}

// TestImageMagick: another program reads the same picture with and without a seal.
func TestImageMagick(t *testing.T) {
	identify := need.Program(t, "identify", "-version")
	convert := filepath.Join(filepath.Dir(identify), "convert")
	dir := t.TempDir()
	for name, text := range files(t) {
		if name == "trace" {
			continue
		}
		path := filepath.Join(dir, "a."+name)
		seen := func() string {
			t.Helper()
			var all []byte
			for _, cmd := range []*exec.Cmd{exec.Command(identify, "-format", "%m %w %h %#", path), exec.Command(convert, path, "rgba:-")} {
				out, err := cmd.CombinedOutput()
				if err != nil || len(out) == 0 {
					t.Fatalf("%v: %v\n%.500s", cmd.Args, err, out)
				}
				all = append(all, out...)
			}
			return string(all)
		}
		if err := os.WriteFile(path, text, 0o600); err != nil {
			t.Fatal(err)
		}
		before := seen()
		f, err := os.OpenFile(path, os.O_RDWR, 0)
		if err != nil {
			t.Fatal(err)
		}
		done, err := maker("run").Add(f, int64(len(text)))
		if err := errors.Join(err, f.Close()); err != nil || !done {
			t.Fatal(name, done, err)
		}
		if seen() != before {
			t.Errorf("%s: ImageMagick reads another picture with the seal", name)
		}
	}
}

// TestContainers: a file with a seal has the same data, and the seal is found.
func TestContainers(t *testing.T) {
	for name, text := range files(t) {
		t.Run(name, func(t *testing.T) {
			var without []string
			for _, run := range []string{"a", "another"} {
				m := maker(run).By("writer")
				f := &memory{bytes.Clone(text), -1}
				if done, err := m.Add(f, int64(len(f.text))); !done || err != nil {
					t.Fatal(done, err)
				}
				if decoded(t, f.text) != decoded(t, text) {
					t.Error("the data have changed")
				}
				got, err := seal.Inside(f, int64(len(f.text)))
				if err != nil || got.Run != run || got.Process != "writer" || got.Host != "höst 𝄞" {
					t.Fatal(got, err)
				}
				rest, err := io.ReadAll(seal.Without(f, int64(len(f.text))))
				if err != nil {
					t.Fatal(err)
				}
				without = append(without, string(rest))
			}
			if without[0] != without[1] {
				t.Error("without their seals two files differ")
			}
			if without[0] != string(text) {
				t.Error("without its seal, a file differs from the original")
			}
			if _, err := seal.Inside(bytes.NewReader(text), int64(len(text))); !errors.Is(err, seal.ErrNone) {
				t.Error("a file without a seal:", err)
			}
			all, err := io.ReadAll(seal.Without(bytes.NewReader(text), int64(len(text))))
			if err != nil || !bytes.Equal(all, text) {
				t.Error("a file without a seal is not all that is read of it", err)
			}
		})
	}
}

// TestFullDisk: if the disk is full, the file stays as it was, without a seal.
func TestFullDisk(t *testing.T) {
	for name, text := range files(t) {
		for _, room := range []int{0, 1, 100} {
			f := &memory{bytes.Clone(text), len(text) + room}
			done, err := maker("a").Add(f, int64(len(text)))
			if done || err != nil || !bytes.Equal(f.text, text) {
				t.Errorf("%s with room for %d bytes: %v, %v; the file is as it was: %v", name, room, done, err, bytes.Equal(f.text, text))
			}
		}
	}
}

// TestNoContainer: truncated files, and files of no known format, stay as they are.
func TestNoContainer(t *testing.T) {
	list := map[string][]byte{"empty": nil, "text": []byte("a,b\n1,2\n"), "bmp": []byte("BM12345678"), "list": []byte("[1]")}
	for name, text := range files(t) {
		if name != "jpeg" && !strings.HasPrefix(name, "tiff") { // the end of these formats is not checked
			list["half a "+name] = text[:len(text)-2]
		}
	}
	for name, text := range list {
		f := &memory{bytes.Clone(text), -1}
		if done, err := maker("a").Add(f, int64(len(text))); done || err != nil || !bytes.Equal(f.text, text) {
			t.Errorf("%s: %v, %v", name, done, err)
		}
	}
}

// TestText: a seal has at most Max bytes, in ASCII, whatever its contents are.
func TestText(t *testing.T) {
	s := seal.Seal{Run: "r", Time: time.Now(), Record: "/records/r", Fingerprints: map[string]string{seal.Whole: "0123"}}
	for i := range 100 {
		s.Fingerprints[fmt.Sprintf("part%d.pipe", i)] = strings.Repeat("f", 64)
		s.Parents = append(s.Parents, seal.Parent{Run: fmt.Sprint("p", i), File: strings.Repeat("ü", 30)})
	}
	text := s.Text()
	got, err := seal.Parse(text)
	if err != nil || len(text) > seal.Max || got.Run != "r" || got.Record != "/records/r" || got.Fingerprints[seal.Whole] != "0123" || got.More != 100-len(got.Parents) {
		t.Fatal(len(text), got, err)
	}
	for i, b := range text {
		if b < ' ' || b > '~' {
			t.Fatalf("byte %d is %#x, want b at least %v and b at most %v", i, b, ' ', '~')
		}
	}
	s = seal.Seal{Run: strings.Repeat("x", 1e6), Host: strings.Repeat("\u0001", 1e5), Time: time.Now()}
	if text := s.Text(); len(text) > seal.Max {
		t.Errorf("%v; want at most %v", len(text), seal.Max)
	}
}

// TestParents: other runs whose results were read are parents, each once.
func TestParents(t *testing.T) {
	dir := t.TempDir()
	write := func(name, run string) string {
		f := &memory{bytes.Clone(files(t)["png"]), -1}
		if run != "" {
			if _, err := maker(run).Add(f, int64(len(f.text))); err != nil {
				t.Fatal(err)
			}
		}
		path := filepath.Join(dir, name)
		if err := os.WriteFile(path, f.text, 0o600); err != nil {
			t.Fatal(err)
		}
		return path
	}
	m := maker("mine")
	one := m.By("one")
	_ = one.Text()
	for _, path := range []string{write("a1.png", "a"), write("a2.png", "a"), write("own.png", "mine"), write("bare.png", ""), filepath.Join(dir, "none.png"), dir, write("b.png", "b")} {
		m.Reads(path)
	}
	got, err := seal.Parse(one.Text())
	want := []seal.Parent{{Run: "a", File: filepath.Join(dir, "a1.png"), Files: 2}, {Run: "b", File: filepath.Join(dir, "b.png")}}
	if err != nil || fmt.Sprint(got.Parents) != fmt.Sprint(want) {
		t.Error(got.Parents, err)
	}
	for i := range 50 {
		m.Follows(&seal.Seal{Run: fmt.Sprint("run", i)}, "x")
	}
	if got := m.Seal(); len(got.Parents) != 16 || got.More != 52-16 {
		t.Errorf("%v %v; want len(got.Parents) = 16 and got.More = %v", len(got.Parents), got.More, 52-16)
	}
	var none *seal.Maker
	none.Reads("x")
	if none.By("x") != nil || none.Lost() != nil {
		t.Error("nothing makes seals")
	}
}

// TestBad checks that an invalid seal gives an error, and quickly.
func TestBad(t *testing.T) {
	long := append([]byte(`{"pentode_seal":1,"run":"`), bytes.Repeat([]byte("x"), 10<<20)...)
	long = append(long, `"}`...)
	for name, text := range files(t) {
		for what, bad := range map[string][]byte{
			"no JSON": []byte(`{"pentode_seal":}`), "another version": []byte(`{"pentode_seal":2}`), "a list": []byte(`{"pentode_seal":1,"run":[1]}`), "10 MB": long,
		} {
			f := &memory{bytes.Clone(text), -1}
			if !addBad(f, name, bad) {
				continue
			}
			_, err := seal.Inside(f, int64(len(f.text)))
			var no *seal.Bad
			if name == "trace" && what == "10 MB" { // only the end of a trace is read
				if !errors.Is(err, seal.ErrNone) {
					t.Error(err)
				}
				continue
			}
			if !errors.As(err, &no) || strings.Contains(no.Why, "xxx") {
				t.Errorf("%s, %s: %v", name, what, err)
			}
		}
	}
}

// addBad puts a text where a good seal was. It returns false if the format cannot
// contain it.
func addBad(f *memory, format string, text []byte) bool {
	if format == "jpeg" && len(text) > 60000 {
		return false
	}
	done, err := seal.AddText(f, int64(len(f.text)), text)
	return done && err == nil
}

func TestBeside(t *testing.T) {
	dir := t.TempDir()
	path := filepath.Join(dir, "a.csv")
	put := func(name, text string) {
		if err := os.WriteFile(name, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	put(path, "1,2\n")
	if _, err := seal.Read(path); !errors.Is(err, seal.ErrNone) {
		t.Error(err)
	}
	sum := seal.NewSum()
	sum.Write([]byte("1,2\n"))
	s := seal.Seal{Run: "a", Of: &seal.Data{Size: 4, Sum: seal.SumText(sum)}}
	put(path+seal.Ending, string(s.Text())+"\n")
	got, err := seal.Read(path)
	if err != nil || got.Run != "a" || got.Fits(path) != nil {
		t.Fatal(got, err)
	}
	put(path, "1,3\n") // another program overwrites the file
	if got, err = seal.Read(path); err != nil || got.Fits(path) == nil {
		t.Error("got the seal of a changed file of the same size", err)
	}
	put(path, "1,2\n3,4\n")
	var bad *seal.Bad
	if _, err = seal.Read(path); !errors.As(err, &bad) {
		t.Error("a file that has grown has its seal:", err)
	}
	put(path+seal.Ending, strings.Repeat(" ", 10<<20))
	if _, err = seal.Read(path); !errors.As(err, &bad) {
		t.Error(err)
	}
}

func FuzzInside(f *testing.F) {
	for _, text := range files(f) {
		m := &memory{bytes.Clone(text), -1}
		if _, err := maker("a").Add(m, int64(len(text))); err != nil {
			f.Fatal(err)
		}
		f.Add(m.text)
		f.Add(text)
	}
	f.Add([]byte("\x00\x00\x00\x18ftypisom" + `{"pentode_seal":1,"run":"x"}`))
	f.Fuzz(func(t *testing.T, text []byte) {
		s, err := seal.Inside(bytes.NewReader(text), int64(len(text)))
		if (s == nil) == (err == nil) {
			t.Error(s, err)
		}
		if s != nil && len(s.Text()) > seal.Max {
			t.Errorf("%v; want at most %v", len(s.Text()), seal.Max)
		}
		rest, err := io.ReadAll(seal.Without(bytes.NewReader(text), int64(len(text))))
		if err != nil || len(rest) > len(text) {
			t.Error(len(rest), len(text), err)
		}
		m := &memory{bytes.Clone(text), -1}
		if done, err := maker("a").Add(m, int64(len(text))); err != nil || !done && !bytes.Equal(m.text, text) {
			t.Error(done, err)
		}
	})
}

// BenchmarkAdd: adding a seal costs little compared with the picture.
func BenchmarkAdd(b *testing.B) {
	m := maker("a").By("writer")
	for name, text := range files(b) {
		path := filepath.Join(b.TempDir(), "file")
		if err := os.WriteFile(path, text, 0o600); err != nil {
			b.Fatal(err)
		}
		f, err := os.OpenFile(path, os.O_RDWR, 0)
		if err != nil {
			b.Fatal(err)
		}
		defer f.Close()
		b.Run(name, func(b *testing.B) { // including the time to restore the file
			for b.Loop() {
				if done, err := m.Add(f, int64(len(text))); !done || err != nil {
					b.Fatal(done, err)
				}
				if _, err := f.WriteAt(text, 0); err != nil {
					b.Fatal(err)
				}
				if err := f.Truncate(int64(len(text))); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}
