package ctf

import (
	"math/rand/v2"
	"os"
	"path/filepath"
	"testing"
)

// A Footprint has the final size of the file, whenever the stream was flushed. The size computed for an
// event that is read equals the size that was written.
func TestFootprint(t *testing.T) {
	r := rand.New(rand.NewPCG(39, 1))
	declared := &Trace{
		Context: []Field{{"host", Text}, {"pid", U32}},
		Events: []Event{
			{Name: "small", Fields: []Field{{"n", U16}}},
			{Name: "text", Fields: []Field{{"name", Text}, {"n", I32}, {"at", U64}}},
			{Name: "list", Fields: []Field{{"at_length", U32}, {"at", Hexes}}},
		},
	}
	dir := t.TempDir()
	if err := Create(dir, declared); err != nil {
		t.Fatal(err)
	}
	if err := declared.Describe(Clock{Frequency: 1e9}); err != nil {
		t.Fatal(err)
	}
	s, err := declared.Stream("stream", 1, 2)
	if err != nil {
		t.Fatal(err)
	}
	long := make([]byte, 3*pageSize)
	for i := range long {
		long[i] = 'x'
	}
	var flushed []int // the events after which the stream was flushed
	for i := range 5000 {
		kind := r.IntN(3)
		if err := s.Event(kind, uint64(i)); err != nil {
			t.Fatal(err)
		}
		s.Text("node")
		s.Put(U32, 7)
		switch kind {
		case 0:
			s.Put(U16, 1)
		case 1:
			length := r.IntN(40)
			if r.IntN(100) == 0 {
				length = r.IntN(len(long)) // an event may be larger than a page
			}
			s.Text(string(long[:length]))
			s.Put(I32, 1)
			s.Put(U64, 1)
		case 2:
			n := r.IntN(6)
			s.Put(U32, uint64(n))
			for range n {
				s.Put(Hex, 1)
			}
		}
		if r.IntN(200) == 0 {
			if err := s.Flush(); err != nil {
				t.Fatal(err)
			}
			flushed = append(flushed, i)
		}
	}
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
	reader, err := Open(dir)
	if err != nil {
		t.Fatal(err)
	}
	var f Footprint
	i := 0
	for o, err := range reader.Events("stream") {
		if err != nil {
			t.Fatal(err)
		}
		f.Add(reader.Kinds[o.Event].Size(o))
		if len(flushed) > 0 && flushed[0] == i {
			f.Flush()
			flushed = flushed[1:]
		}
		i++
	}
	info, err := os.Stat(filepath.Join(dir, "stream"))
	if err != nil {
		t.Fatal(err)
	}
	if f.Bytes() != info.Size() || i != 5000 {
		t.Errorf("%d events take %d bytes, and the file has %d; want the same, and 5000 events", i, f.Bytes(), info.Size())
	}
	if (&Footprint{}).Bytes() != 0 {
		t.Error("a stream without events has bytes")
	}
}
