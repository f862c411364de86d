package web

import (
	"fmt"
	"net/http"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/pentode-dev/pentode/run/data"
)

const particles = `types:
  particle:
    type: struct
    members:
      - id: int32
      - pos: { type: array, subtype: double, size: 3 }
      - kind: char
data:
  n: int
  field: { type: array, subtype: double, size: $n }
`

// TestLayoutView: the view shows a type on two machines side by side, the data that its layout depends on, and an error for an
// unknown type.
func TestLayoutView(t *testing.T) {
	armCoil, err := os.ReadFile("../../lang/coil/preset/arm32.coilcfg")
	if err != nil {
		t.Fatal(err)
	}
	s, dir := newPage(t, map[string]string{"a.yml": particles, "b.pipe": adjustable, "t.coilcfg": string(armCoil)}, nil)
	path := filepath.Join(dir, "a.yml")
	layout := func(want int, query ...string) (a layoutAnswer) {
		t.Helper()
		return answered(t, &a, ask(s, "GET", address("layout", append([]string{"path", path}, query...)...), "", nil), want)
	}
	two := url.Values{"path": {path}, "target": {"x86-64", "i386"}}
	var a layoutAnswer
	answered(t, &a, ask(s, "GET", "/api/layout?"+two.Encode(), "", nil), 200)
	var got strings.Builder
	for _, m := range a.Machines {
		fmt.Fprintf(&got, "%s (%s) %d@%d %s %d\n", m.Name, m.Words, m.Size, m.Align, m.Advice, m.Saves)
	}
	for _, l := range a.Lines {
		fmt.Fprintf(&got, "%d%s %s", l.Depth, l.Name, l.Type)
		for _, c := range l.Cells {
			if c == nil {
				fmt.Fprint(&got, " -")
			} else {
				fmt.Fprintf(&got, " %d+%d", c[0], c[1])
			}
		}
		fmt.Fprintln(&got)
	}
	want := "x86-64 (64 bit, little-endian) 40@8 `kind` after `id` 8\ni386 (32 bit, little-endian) 32@4  0\n" +
		"0id int32 0+4 0+4\n0 hole 4+4 -\n0pos array double [3] 8+24 4+24\n0kind char 32+1 28+1\n0 padding 33+7 29+3\n"
	if got.String() != want || a.Name != "particle" || a.Type != "struct" || strings.Join(a.Names, " ") != "particle n field" {
		t.Errorf("%+v\n got %s\nwant %s", a, got.String(), want)
	}
	if a := layout(200, "name", "field"); !strings.Contains(a.Why, "`field` has no layout") || len(a.Needs) != 1 || a.Needs[0] != "n" {
		t.Errorf("without its value: %+v", a)
	}
	if a := layout(200, "name", "field", "set", "n=5", "target", filepath.Join(dir, "t.coilcfg")); a.Why != "" || a.Machines[0].Size != 40 || a.Machines[0].Words != "32 bit, little-endian" {
		t.Errorf("with its value: %+v, want no reason against it, and on the first machine 40 bytes and %q", a, "32 bit, little-endian")
	}
	if a := layout(200, "name", "partical"); !strings.Contains(a.Why, "declares no `partical`") {
		t.Errorf("of no name: %+v, want the reason to say %q", a, "declares no `partical`")
	}
	for _, hostile := range [][]string{
		{"target", "vax"}, {"target", "../../../etc/passwd"}, {"target", path}, {"target", strings.Repeat("x", 5000)}, {"set", "n"}, {"set", "=1"}, {"set", "particle.id=1"}, {"name", "field", "set", "n=x"},
	} {
		w := ask(s, "GET", address("layout", append([]string{"path", path}, hostile...)...), "", nil)
		if w.Code < 400 && !strings.Contains(w.Body.String(), `"why":"`+"`field` has") || w.Body.Len() > 6000 {
			t.Errorf("%.60q: %d %.300s, want at most 6000 bytes, and an error or a reason that begins with %q", hostile, w.Code, w.Body, "`field` has")
		}
	}
	if w := ask(s, "GET", "/api/layout?"+url.Values{"path": {path}, "target": make([]string, maxTargets+1)}.Encode(), "", nil); w.Code != http.StatusBadRequest {
		t.Errorf("many targets: %d, want %v", w.Code, http.StatusBadRequest)
	}
	if w := ask(s, "GET", address("layout", "path", filepath.Join(dir, "b.pipe")), "", nil); w.Code != 422 {
		t.Errorf("of a pipeline: %d %s; want 422", w.Code, w.Body)
	}
	for _, value := range []string{"9223372036854775807", "-1", "1e300", "99999999999999999999999"} {
		if w := ask(s, "GET", address("layout", "path", path, "name", "field", "set", "n="+value), "", nil); w.Code != 200 && w.Code != 422 {
			t.Errorf("n=%s: %d %s; want 422", value, w.Code, w.Body)
		}
	}
}

// TestDecodeView: the view shows the bytes of a file and their values, from any offset, and reads no file outside of the folder.
func TestDecodeView(t *testing.T) {
	s, dir := newPage(t, map[string]string{"a.yml": particles}, nil)
	path, file := filepath.Join(dir, "a.yml"), filepath.Join(dir, "out.bin")
	const values = 100
	memory := make([]byte, 40*values+3)
	for i := range values {
		m := data.X86_64()
		m.PutInteger(data.ScalarOf(m, "int32", data.Signed, 4), memory[40*i:], uint64(i))
		memory[40*i+32] = byte(i)
	}
	if err := os.WriteFile(file, memory, 0o644); err != nil {
		t.Fatal(err)
	}
	decode := func(want int, query ...string) (a decodeAnswer) {
		t.Helper()
		return answered(t, &a, ask(s, "GET", address("decode", append([]string{"path", path, "name", "particle"}, query...)...), "", nil), want)
	}
	a := decode(200, "file", file, "from", "0")
	if a.Size != int64(len(memory)) || a.Count != values || a.Value != 40 || len(a.Bytes) != 2*decodedBytes || a.Bytes[80:88] != "01000000" {
		t.Errorf("%+v, want %d bytes, %d values of 40, the first %d bytes, and %q for member 10", a, len(memory), values, decodedBytes, "01000000")
	}
	if f := a.Fields[5]; f != (fieldBytes{"[1].id", "int32", 40, 4, "1"}) {
		t.Errorf("%+v, want %v", f, (fieldBytes{"[1].id", "int32", 40, 4, "1"}))
	}
	// If a page of bytes begins in the middle of a number, the whole number is shown.
	if a := decode(200, "file", file, "from", "82"); a.Fields[0] != (fieldBytes{"[2].id", "int32", 80, 4, "2"}) || !strings.HasPrefix(a.Bytes, "0000") {
		t.Errorf("%+v, want %v first, and bytes that begin with %q", a.Fields[0], (fieldBytes{"[2].id", "int32", 80, 4, "2"}), "0000")
	}
	if a := decode(200, "file", file, "from", "4002"); a.Bytes != "00" || len(a.Fields) != 0 {
		t.Errorf("after the last value: %+v, want the bytes %q and no fields", a, "00")
	}
	outside := filepath.Join(t.TempDir(), "secret.bin")
	if err := os.WriteFile(outside, memory, 0o644); err != nil {
		t.Fatal(err)
	}
	link := filepath.Join(dir, "link.bin")
	if err := os.Symlink(outside, link); err != nil {
		t.Fatal(err)
	}
	for _, f := range []string{outside, link, dir, filepath.Join(dir, "none"), "", "/dev/zero", dir + "/../" + filepath.Base(filepath.Dir(outside)) + "/secret.bin", "a\x00b"} {
		decode(404, "file", f, "from", "0")
	}
	decode(404, "run", "none", "file", "out.bin", "from", "0")
	for _, from := range []string{"", "-1", "4003", "9223372036854775807", "1e3", "x"} {
		decode(400, "file", file, "from", from)
	}
	decode(422, "file", path, "from", "0", "set", "n=3", "name", "none")
	if a := decode(422, "file", file, "from", "0", "name", "field", "set", "n=100000"); a.Size != 0 {
		t.Errorf("a value that is larger than the file: %+v", a)
	}
}
