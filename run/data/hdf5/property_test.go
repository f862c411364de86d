package hdf5

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"math"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/pentode-dev/pentode/run/data/hdf5/internal/field"
)

// model is a dataset as a plain Go value: the expected result of reads.
type model struct {
	dims []uint64
	data []uint32
}

func (m *model) each(s Slab, fn func(at int)) {
	at := slices.Clone(s.Start)
	if n, _ := product(s.Count); n == 0 {
		return
	}
	for {
		index := uint64(0)
		for i, d := range m.dims {
			index = index*d + at[i]
		}
		fn(int(index))
		i := len(at) - 1
		for ; i >= 0; i-- {
			if at[i]++; at[i] < s.Start[i]+s.Count[i] {
				break
			}
			at[i] = s.Start[i]
		}
		if i < 0 {
			return
		}
	}
}

func drawSlab(t *rapid.T, dims []uint64) Slab {
	s := Slab{Start: []uint64{}, Count: []uint64{}}
	for _, d := range dims {
		start := rapid.Uint64Range(0, d).Draw(t, "start")
		s.Start = append(s.Start, start)
		s.Count = append(s.Count, rapid.Uint64Range(0, d-start).Draw(t, "count"))
	}
	return s
}

// TestSelections writes and reads boxes at random and compares with a model.
func TestSelections(t *testing.T) {
	dir := t.TempDir()
	rapid.Check(t, func(t *rapid.T) {
		path := filepath.Join(dir, "p.h5")
		rank := rapid.IntRange(0, 4).Draw(t, "rank")
		m := &model{dims: []uint64{}}
		var most, chunk []uint64
		for range rank {
			d := rapid.Uint64Range(1, 7).Draw(t, "dim")
			m.dims = append(m.dims, d)
			chunk = append(chunk, rapid.Uint64Range(1, d).Draw(t, "chunk"))
			most = append(most, Unlimited)
		}
		n, _ := product(m.dims)
		m.data = make([]uint32, n)
		o := Options{}
		space := Space{Dims: m.dims}
		chunked := rank > 0 && rapid.Bool().Draw(t, "chunked")
		if chunked {
			space.MaxDims = most
			o = Options{Chunk: chunk, Deflate: rapid.IntRange(0, 2).Draw(t, "deflate"), Shuffle: rapid.Bool().Draw(t, "shuffle"), Fletcher32: rapid.Bool().Draw(t, "fletcher")}
		}
		fill := uint32(0)
		if rapid.Bool().Draw(t, "fill") {
			fill = 0xabcdef
			o.Fill = ints(4, 0xabcdef)
			slices.Reverse(o.Fill)
		}
		for i := range m.data {
			m.data[i] = fill
		}
		f, err := Create(path)
		check(t, err)
		d, err := f.Root().CreateDataset("d", Uint(4).Big(), space, o)
		check(t, err)
		for step := range rapid.IntRange(1, 8).Draw(t, "steps") {
			switch rapid.SampledFrom([]string{"write", "write", "read", "reopen", "extend"}).Draw(t, "op") {
			case "write":
				at := drawSlab(t, m.dims)
				count, _ := product(at.Count)
				// In memory, the elements are part of a longer row and begin at the third place.
				buf := make([]byte, 8, 8*(count+3))
				k := uint32(step*1000 + 1)
				m.each(at, func(i int) {
					buf = append(buf, ints(4, int64(k))...)
					m.data[i] = k
					k++
				})
				buf = append(buf, 0, 0, 0, 0)
				check(t, d.Write(buf, Memory{Uint(4), []uint64{count + 3}, Slab{[]uint64{2}, []uint64{count}}}, at))
			case "read":
				m.compare(t, d, drawSlab(t, m.dims))
			case "reopen":
				check(t, f.Close())
				f, err = OpenRW(path)
				check(t, err)
				d, err = f.Root().Dataset("d")
				check(t, err)
			case "extend":
				if !chunked {
					continue
				}
				grown := &model{dims: slices.Clone(m.dims)}
				grown.dims[rapid.IntRange(0, rank-1).Draw(t, "which")] += rapid.Uint64Range(0, 4).Draw(t, "more")
				n, _ := product(grown.dims)
				for range n {
					grown.data = append(grown.data, fill)
				}
				old := 0
				grown.each(Slab{make([]uint64, rank), m.dims}, func(i int) {
					grown.data[i] = m.data[old]
					old++
				})
				check(t, d.Extend(grown.dims))
				m = grown
			}
		}
		m.compare(t, d, Slab{make([]uint64, rank), m.dims})
		check(t, f.Close())
		f, err = Open(path)
		check(t, err)
		d, err = f.Root().Dataset("d")
		check(t, err)
		m.compare(t, d, Slab{make([]uint64, rank), m.dims})
		check(t, f.Close())
	})
}

func check(t *rapid.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

func (m *model) compare(t *rapid.T, d *Dataset, at Slab) {
	t.Helper()
	count, _ := product(at.Count)
	got := make([]byte, 4*count)
	check(t, d.Read(got, Memory{Type: Uint(4)}, at))
	want := []byte{}
	m.each(at, func(i int) { want = append(want, ints(4, int64(m.data[i]))...) })
	if !bytes.Equal(got, want) {
		t.Fatalf("slab %v of %v: got % x, expected % x", at, m.dims, got, want)
	}
}

// drawType makes any type of fixed size.
func drawType(t *rapid.T, depth int) Type {
	kinds := []string{"int", "float", "text", "opaque", "enum"}
	if depth > 0 {
		kinds = append(kinds, "array", "struct", "struct")
	}
	switch rapid.SampledFrom(kinds).Draw(t, "kind") {
	case "int":
		typ := Type{Class: Integer, Size: rapid.SampledFrom([]int{1, 2, 4, 8}).Draw(t, "size"), Signed: rapid.Bool().Draw(t, "signed")}
		typ.Order = Order(rapid.IntRange(0, 1).Draw(t, "order"))
		return typ
	case "float":
		typ := IEEE(rapid.SampledFrom([]int{2, 4, 8}).Draw(t, "size"))
		typ.Order = Order(rapid.IntRange(0, 1).Draw(t, "order"))
		return typ
	case "text":
		return Text(rapid.IntRange(1, 9).Draw(t, "size"), Padding(rapid.IntRange(0, 2).Draw(t, "pad")))
	case "opaque":
		return Bytes(rapid.IntRange(1, 9).Draw(t, "size"), rapid.StringMatching(`[a-z]{0,20}`).Draw(t, "tag"))
	case "enum":
		base := Int(rapid.SampledFrom([]int{1, 2, 4}).Draw(t, "size"))
		typ := EnumOf(base)
		for i := range rapid.IntRange(0, 4).Draw(t, "values") {
			typ.Values = append(typ.Values, EnumValue{fmt.Sprint("v", i), ints(base.Size, int64(i*3))})
		}
		return typ
	case "array":
		return ArrayOf(drawType(t, depth-1), rapid.SliceOfN(rapid.IntRange(1, 3), 1, 3).Draw(t, "dims")...)
	}
	typ := Type{Class: Compound}
	for i := range rapid.IntRange(1, 5).Draw(t, "members") {
		m := Member{Name: fmt.Sprintf("member %d", i), Type: drawType(t, depth-1)}
		m.Offset = typ.Size + rapid.IntRange(0, 3).Draw(t, "hole")
		typ.Size = m.Offset + m.Type.Size
		typ.Members = append(typ.Members, m)
	}
	typ.Size += rapid.IntRange(0, 5).Draw(t, "padding")
	return typ
}

// TestTypeCodec checks that a type is read as it was written.
func TestTypeCodec(t *testing.T) {
	widths := &field.Widths{OffsetSize: 8, LengthSize: 8}
	rapid.Check(t, func(t *rapid.T) {
		typ := drawType(t, 3)
		if err := typ.check(); err != nil {
			t.Fatal(err)
		}
		got, err := decodeType(&field.Cursor{Rest: encodeType(typ), Widths: widths})
		check(t, err)
		if !got.Equal(typ) {
			t.Fatalf("got %+v, expected %+v", got, typ)
		}
	})
}

// TestDeepTypes checks that types of any kind are read down to a certain depth, and
// refused below it.
func TestDeepTypes(t *testing.T) {
	widths := &field.Widths{OffsetSize: 8, LengthSize: 8}
	for name, wrap := range map[string]func(Type) Type{
		"array":  func(base Type) Type { return ArrayOf(base, 1) },
		"struct": func(base Type) Type { return Struct(base.Size, Member{Name: "m", Type: base}) },
	} {
		typ := Int(1)
		for range maxTypeDepth - 1 {
			typ = wrap(typ)
		}
		if got, err := decodeType(&field.Cursor{Rest: encodeType(typ), Widths: widths}); err != nil || !got.Equal(typ) {
			t.Errorf("%s: %v", name, err)
		}
		if _, err := decodeType(&field.Cursor{Rest: encodeType(wrap(typ)), Widths: widths}); err == nil || !strings.Contains(err.Error(), "nested 32 deep") {
			t.Errorf("one %s more: %v", name, err)
		}
	}
}

// TestLongExponent checks floats with exponents of up to 16 bits.
func TestLongExponent(t *testing.T) {
	typ := IEEE(8)
	typ.Format = &FloatFormat{63, 47, 16, 0, 47, true, 1<<15 - 1}
	if load := floatLoader(typ); load == nil || load(binary.LittleEndian.AppendUint64(nil, (1<<15-1)<<47|1<<46)).f != 1.5 {
		t.Error("1.5 is not read")
	}
	typ.Format = &FloatFormat{63, 46, 17, 0, 46, true, 1<<16 - 1}
	if floatLoader(typ) != nil {
		t.Error("an exponent of 17 bits is read")
	}
}

// TestTurned converts elements to the same type with all byte orders swapped and the
// members reordered, and back.
func TestTurned(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		typ := drawType(t, 3)
		other := relaid(typ.Big())
		there, err := compile(typ, other)
		check(t, err)
		back, err := compile(other, typ)
		check(t, err)
		src := rapid.SliceOfN(rapid.Byte(), 3*typ.Size, 3*typ.Size).Draw(t, "bytes")
		mid, got := make([]byte, 3*other.Size), make([]byte, 3*typ.Size)
		there.run(mid, src, 3)
		back.run(got, mid, 3)
		again := make([]byte, 3*other.Size)
		there.run(again, got, 3)
		if !bytes.Equal(mid, again) {
			t.Fatalf("%s: % x went to % x, came back as % x and went to % x, want the same both times", typ, src, mid, got, again)
		}
	})
}

// relaid returns a compound with its members packed in reverse order.
func relaid(t Type) Type {
	switch t.Class {
	case Compound:
		members := slices.Clone(t.Members)
		slices.Reverse(members)
		t.Size = 0
		for i := range members {
			members[i].Type = relaid(members[i].Type)
			members[i].Offset = t.Size
			t.Size += members[i].Type.Size
		}
		t.Members = members
	case Array:
		return ArrayOf(relaid(*t.Base), t.Dims...)
	}
	return t
}

// TestNumbers checks conversions that change a number's kind or width.
func TestNumbers(t *testing.T) {
	convert := func(from, to Type, src []byte) []byte {
		c, err := compile(from, to)
		must(t, err)
		dst := make([]byte, to.Size)
		c.run(dst, src, 1)
		return dst
	}
	for _, c := range []struct {
		name     string
		from, to Type
		in, out  []byte
	}{
		{"widen", Int(2), Int(8), ints(2, -5), ints(8, -5)},
		{"narrow", Int(8), Int(1), ints(8, 300), ints(1, 127)},
		{"narrow negative", Int(8), Int(1), ints(8, -300), ints(1, -128)},
		{"negative to unsigned", Int(4), Uint(4), ints(4, -1), ints(4, 0)},
		{"unsigned to signed", Uint(4), Int(4), ints(4, -1), ints(4, math.MaxInt32)},
		{"float to int", IEEE(8), Int(4), doubles(-2.9), ints(4, -2)},
		{"large float to int", IEEE(8), Int(4), doubles(1e20), ints(4, math.MaxInt32)},
		{"nan to int", IEEE(8), Int(4), doubles(math.NaN()), ints(4, 0)},
		{"signed to wider unsigned", Int(2), Uint(8), ints(2, 9), ints(8, 9)},
		{"unsigned narrow", Uint(8), Uint(1), ints(8, 1000), ints(1, 255)},
		{"float to unsigned", IEEE(8), Uint(1), doubles(200.7), ints(1, 200)},
		{"negative float to unsigned", IEEE(8), Uint(1), doubles(-3), ints(1, 0)},
		{"large float to unsigned", IEEE(8), Uint(8), doubles(1e30), ints(8, -1)},
		{"unsigned to float", Uint(8), IEEE(4).Big(), ints(8, 3), []byte{0x40, 0x40, 0, 0}},
		{"int to float", Int(4), IEEE(8), ints(4, -7), doubles(-7)},
		{"half to double", IEEE(2), IEEE(8), ints(2, 0x3e00), doubles(1.5)},
		{"small half to double", IEEE(2), IEEE(8), ints(2, 0x0001), doubles(math.Ldexp(1, -24))},
		{"infinite half to double", IEEE(2), IEEE(8), ints(2, 0xfc00), doubles(math.Inf(-1))},
		{"double to half", IEEE(8), IEEE(2), doubles(1.0 / 3), ints(2, 0x3555)},
		{"tiny double to half", IEEE(8), IEEE(2), doubles(math.Ldexp(3, -25)), ints(2, 2)},
		{"x87 to double", X87(16), IEEE(8), append(ints(8, -1<<63|1<<62), 0xff, 0x3f, 0, 0, 0, 0, 0, 0), doubles(1.5)},
		{"enum to int", EnumOf(Int(1), EnumValue{"a", []byte{1}}), Int(4), []byte{1}, ints(4, 1)},
		{"bits", Type{Class: Integer, Size: 2, Precision: 5, BitOffset: 3, Signed: true}, Int(4), ints(2, 0x1e<<3|7), ints(4, -2)},
	} {
		if got := convert(c.from, c.to, c.in); !bytes.Equal(got, c.out) {
			t.Errorf("%s: got % x, expected % x", c.name, got, c.out)
		}
	}
}
