package trace

import (
	"bytes"
	"encoding/binary"
	"hash/crc32"
	"slices"
	"testing"

	"pgregory.net/rapid"
)

func marshal(t interface{ Fatal(...any) }, p *Policy) []byte {
	b, err := p.MarshalBinary()
	if err != nil {
		t.Fatal(err)
	}
	return b
}

func TestMarshalRoundTrip(t *testing.T) {
	c := fixture(t)
	rapid.Check(t, func(t *rapid.T) {
		p, err := Compile(c, genLayers(t, c))
		if err != nil {
			t.Fatal(err)
		}
		data := marshal(t, p)
		var read Policy
		if err := read.UnmarshalBinary(data); err != nil {
			t.Fatal(err)
		}
		if !bytes.Equal(marshal(t, &read), data) {
			t.Fatal("the second bytes differ from the first")
		}
		q := genQuery(t, c)
		want := slices.Collect(p.Executions(q.Region, q.Event, q.IDs, 12))
		if got := slices.Collect(read.Executions(q.Region, q.Event, q.IDs, 12)); !slices.Equal(got, want) {
			t.Fatalf("the policy that was read traces %v, the one that was written %v", got, want)
		}
		if err := NewEngine(p).Swap(&read); err != nil {
			t.Fatal(err)
		}
	})
}

// rich is a policy with something in every table.
func rich() *Installed {
	return &Installed{
		Default: Entry{Rate: Rate{1, 2, 3}, Events: inOpenMP(task(on("")))},
		Regions: []InstalledRegion{
			{Match: Match{Address: 0x10}, Entry: Entry{Units: units("MPI", "rank", Span{0, 3}, Span{9, 9})}},
			{Match: Match{Name: "f", File: "main", Domain: "MPI"}, Entry: Entry{End: &WindowEnd{Modes: map[string]Mode{"MPI": Off}, All: true}}},
		},
	}
}

func TestUnmarshalDamaged(t *testing.T) {
	data := marshal(t, compile(t, fixture(t), rich()))
	for n := range data {
		kept := Policy{}
		if err := kept.UnmarshalBinary(data[:n]); err == nil {
			t.Errorf("the first %d of %d bytes were accepted", n, len(data))
		}
		if n < len(magic) {
			continue
		}
		// The same with a checksum that fits: the content itself is checked too.
		if err := kept.UnmarshalBinary(sealed(data[len(magic):n])); err == nil && n != len(data)-4 {
			t.Errorf("the first %d of %d bytes were accepted with a new checksum", n, len(data))
		}
		broken := bytes.Clone(data)
		broken[n] ^= 0x20
		if err := kept.UnmarshalBinary(broken); err == nil {
			t.Errorf("a change at byte %d was accepted", n)
		}
	}
	if err := new(Policy).UnmarshalBinary(sealed(append(data[len(magic):len(data)-4:len(data)-4], 0))); err == nil {
		t.Error("a byte after the end was accepted")
	}
}

func TestMarshalEmpty(t *testing.T) {
	if data, err := new(Policy).MarshalBinary(); err == nil {
		t.Errorf("an empty policy became %d bytes", len(data))
	}
}

// sealed puts magic and checksum around a body.
func sealed(body []byte) []byte {
	data := append([]byte(magic), body...)
	return binary.LittleEndian.AppendUint32(data, crc32.ChecksumIEEE(data))
}

// FuzzUnmarshal gives the reader bodies with a checksum that fits. What it
// accepts must decide without trouble and read back as the same.
func FuzzUnmarshal(f *testing.F) {
	c := fixture(f)
	for _, layers := range []Layers{rich(), &Config{}, oneInTen(3, units("OpenMP", "team", Span{1, 4})...), ranked("units", "region", "snapshot")} {
		data := marshal(f, compile(f, c, layers))
		f.Add(data[len(magic) : len(data)-4])
	}
	f.Fuzz(func(t *testing.T, body []byte) {
		var p Policy
		if err := p.UnmarshalBinary(sealed(body)); err != nil {
			return
		}
		for d := range p.catalog.domains {
			for _, m := range []Region{{Domain: DomainID(d), Address: 0x10}, {Domain: DomainID(d), Name: "f"}} {
				for range p.Executions(m, 5, nil, 8) {
					continue
				}
			}
		}
		var again Policy
		data := marshal(t, &p)
		if err := again.UnmarshalBinary(data); err != nil {
			t.Fatalf("what was accepted once is refused: %v", err)
		}
		if !bytes.Equal(marshal(t, &again), data) {
			t.Fatal("the second bytes differ from the first")
		}
	})
}
