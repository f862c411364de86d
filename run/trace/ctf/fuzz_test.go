package ctf

import (
	"os"
	"path/filepath"
	"testing"
)

// FuzzReader reads any two files as a trace: either its events come to an end, or there is
// an error. Work and memory do not depend on what the files declare.
func FuzzReader(f *testing.F) {
	const head = "trace { byte_order = le; };\n"
	f.Add([]byte(head+"event { fields := struct { string x; }; };"), []byte("abc\x00def\x00"))
	f.Add([]byte(head+"typealias integer { size = 5; align = 1; } := u;\nstream { event.header := struct { enum : u { a = 0 ... 3, b } id; variant <id> { struct { u x[3]; } a; struct { u n; u list[n]; } b; } v; }; };\nevent { fields := struct { struct { u k; u l[k]; } s[2]; }; };"), []byte("1234567890"))
	f.Add([]byte(head+"stream { packet.context := struct { integer { size = 32; } content_size; integer { size = 32; } packet_size; }; };\nevent { fields := struct { struct { } e[1000000]; }; };"), []byte("\x50\x00\x00\x00\x50\x00\x00\x00ab"))
	dir := f.TempDir()
	f.Fuzz(func(t *testing.T, metadata, stream []byte) {
		for name, b := range map[string][]byte{"metadata": metadata, "stream": stream} {
			if err := os.WriteFile(filepath.Join(dir, name), b, 0o644); err != nil {
				t.Fatal(err)
			}
		}
		r, err := Open(dir)
		if err != nil {
			return
		}
		n := 0
		for _, err := range r.Events("stream") {
			if n++; err == nil && n > 8*len(stream)+1 {
				t.Fatalf("%d events in %d bytes, want at most %v", n, len(stream), 8*len(stream)+1)
			}
		}
	})
}
