package hdf5

import (
	"encoding/binary"
	"fmt"
	"math"
	"strings"
	"testing"

	"github.com/pentode-dev/pentode/run/data/hdf5/internal/field"
)

func dims(d ...uint64) Space { return Space{Dims: d} }

func ints(size int, v ...int64) []byte {
	var b field.Builder
	for _, x := range v {
		b.Uint(uint64(x), size)
	}
	return b
}

func doubles(v ...float64) []byte {
	var b []byte
	for _, x := range v {
		b = binary.LittleEndian.AppendUint64(b, math.Float64bits(x))
	}
	return b
}

func iota64(n int) []byte {
	v := make([]int64, n)
	for i := range v {
		v[i] = int64(i)
	}
	return ints(8, v...)
}

func particle() Type {
	return Struct(48,
		Member{"id", 0, Int(4)},
		Member{"pos", 8, ArrayOf(IEEE(8), 3)},
		Member{"kind", 32, EnumOf(Int(1), EnumValue{"gas", []byte{0}}, EnumValue{"star", []byte{5}})},
		Member{"tag", 33, Text(5, SpacePad)},
		Member{"spin", 40, Struct(8, Member{"up", 0, Uint(2)}, Member{"down", 4, IEEE(4)})},
	)
}

func particleBytes(id int) []byte {
	var b field.Builder
	b.U32(uint32(id))
	b.Zeros(4)
	b = append(b, doubles(float64(id)+.5, float64(-id), 1e10)...)
	b.U8(uint8(5 * (id % 2)))
	b.Str("ab" + fmt.Sprint(id%10) + "  ")
	b.Zeros(2)
	b.U16(uint16(id * 1000))
	b.Zeros(2)
	b.U32(math.Float32bits(float32(id) / 4))
	return b
}

// writeSample writes one of everything to a file.
func writeSample(t testing.TB, f *File) {
	t.Helper()
	root := f.Root()
	put := func(path string, typ Type, s Space, o Options, data []byte) *Dataset {
		t.Helper()
		d, err := root.CreateDataset(path, typ, s, o)
		must(t, err)
		must(t, d.Write(data, Memory{}, Slab{}))
		return d
	}
	for _, size := range []int{1, 2, 4, 8} {
		name := fmt.Sprintf("/int/%d", 8*size)
		put(name+"/s", Int(size), dims(3), Options{}, ints(size, -1, 0, 100))
		put(name+"/u", Uint(size), dims(3), Options{}, ints(size, -1, 0, 100))
	}
	big, err := root.CreateDataset("/int/big", Int(4).Big(), dims(2, 2), Options{})
	must(t, err)
	must(t, big.Write(ints(4, 1, 2, -3, 1<<20), Memory{Type: Int(4)}, Slab{}))
	put("/int/scalar", Int(4), Space{}, Options{}, ints(4, 42))
	put("/int/null", Int(4), Space{Null: true}, Options{}, nil)
	put("/int/empty", Int(4), Space{Dims: []uint64{0, 3}, MaxDims: []uint64{Unlimited, 3}}, Options{Chunk: []uint64{4, 3}}, nil)
	d := put("/float/double", IEEE(8), dims(2, 3), Options{}, doubles(1, -2.5, math.Inf(1), 1e-300, 0, 3))
	must(t, d.SetAttribute("range", IEEE(8), dims(2), doubles(-1, 1)))
	must(t, d.SetAttribute("unit", Text(4, NullPad), Space{}, []byte("kg/s")))
	must(t, d.SetAttribute("steps", Int(4), Space{}, ints(4, 7)))
	must(t, d.SetStrings("words", VarText(), dims(3), []string{"one", "", "three three"}))
	fl, err := root.CreateDataset("/float/single", IEEE(4).Big(), dims(3), Options{})
	must(t, err)
	must(t, fl.Write(doubles(1.5, -0.25, 1e9), Memory{Type: IEEE(8)}, Slab{}))
	half, err := root.CreateDataset("/float/half", IEEE(2), dims(3), Options{})
	must(t, err)
	must(t, half.Write(doubles(1.5, -0.25, 65504), Memory{Type: IEEE(8)}, Slab{}))
	put("/text/null", Text(6, NullTerm), dims(2), Options{}, []byte("hello\x00a\x00\x00\x00\x00\x00"))
	put("/text/pad", Text(5, NullPad), dims(2), Options{}, []byte("helloa\x00\x00\x00\x00"))
	put("/text/space", Text(5, SpacePad), dims(2), Options{}, []byte("helloa    "))
	v, err := root.CreateDataset("/text/var", VarText(), dims(2, 2), Options{})
	must(t, err)
	must(t, v.WriteStrings([]string{"a", "much longer than that", "", "d"}, Slab{}))
	var rows []byte
	for i := range 5 {
		rows = append(rows, particleBytes(i)...)
	}
	put("/record/plain", particle(), dims(5), Options{}, rows)
	put("/record/packed", particle(), dims(5), Options{Chunk: []uint64{2}, Deflate: 9, Shuffle: true}, rows)
	put("/other/enum", EnumOf(Uint(2), EnumValue{"RED", ints(2, 1)}, EnumValue{"BLUE", ints(2, 300)}), dims(3), Options{}, ints(2, 1, 300, 1))
	put("/other/array", ArrayOf(Int(2), 2, 3), dims(2), Options{}, ints(2, 0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11))
	put("/other/opaque", Bytes(3, "three bytes"), dims(2), Options{}, []byte{1, 2, 3, 4, 5, 6})
	put("/other/bits", Type{Class: Bitfield, Size: 1}, dims(2), Options{}, []byte{0xf0, 0x55})
	put("/chunk/plain", Int(8), dims(7, 5), Options{Chunk: []uint64{3, 2}}, iota64(35))
	put("/chunk/deflate", Int(8), dims(7, 5), Options{Chunk: []uint64{3, 2}, Deflate: 6}, iota64(35))
	put("/chunk/checked", Int(8), dims(7, 5), Options{Chunk: []uint64{7, 5}, Shuffle: true, Deflate: 1, Fletcher32: true}, iota64(35))
	put("/chunk/many", Int(8), Space{Dims: []uint64{20, 30}, MaxDims: []uint64{Unlimited, 30}}, Options{Chunk: []uint64{2, 2}}, iota64(600))
	put("/chunk/cube", Int(8), Space{Dims: []uint64{4, 6, 5}, MaxDims: []uint64{Unlimited, 6, Unlimited}}, Options{Chunk: []uint64{2, 3, 2}, Deflate: 4}, iota64(120))
	part, err := root.CreateDataset("/chunk/holes", Int(4), dims(10), Options{Chunk: []uint64{3}, Fill: ints(4, -7)})
	must(t, err)
	must(t, part.Write(ints(4, 1, 2), Memory{}, Slab{[]uint64{4}, []uint64{2}}))
	part, err = root.CreateDataset("/hole", Int(4), dims(6), Options{Fill: ints(4, 9)})
	must(t, err)
	must(t, part.Write(ints(4, 1, 2), Memory{}, Slab{[]uint64{3}, []uint64{2}}))
	_, err = root.CreateDataset("/never", Int(4), dims(3), Options{})
	must(t, err)
	must(t, root.CreateSoftLink("/soft", "/float/double"))
	must(t, root.CreateHardLink("/hard", d.Object))
	must(t, root.SetStrings("title", Text(20, NullTerm), Space{}, []string{"a sample"}))
	many, err := root.CreateGroup("/many")
	must(t, err)
	for i := range 30 {
		sub, err := many.CreateGroup(fmt.Sprintf("group %02d", i))
		must(t, err)
		must(t, sub.SetAttribute("i", Int(4), Space{}, ints(4, int64(i))))
		must(t, many.SetAttribute(fmt.Sprintf("attribute %02d", i), Int(8), dims(2), ints(8, int64(i), int64(-i))))
	}
}

// content describes a file as our reader sees it, so that two files can be compared.
func content(t testing.TB, f *File) []string {
	t.Helper()
	var out strings.Builder
	attributes := func(o Object) {
		list, err := o.Attributes()
		must(t, err)
		for _, a := range list {
			fmt.Fprintf(&out, "  @%s %s %v %s\n", a.Name, a.Type, a.Space.Dims, values(t, a.Type, a.Data, a.Strings))
		}
	}
	attributes(f.Root().Object)
	must(t, f.Root().Walk(func(path string, g *Group, d *Dataset) error {
		fmt.Fprintln(&out, path)
		if g != nil {
			links, err := g.Links()
			must(t, err)
			for _, l := range links {
				fmt.Fprintf(&out, "  %s %d %s\n", l.Name, l.Kind, l.Target)
			}
			attributes(g.Object)
			return nil
		}
		var data []byte
		if d.Type().Class != VarLen {
			var err error
			data, err = d.ReadAll(Type{})
			must(t, err)
		}
		fmt.Fprintf(&out, "  %s %v %s\n", d.Type(), d.Space().Dims, values(t, d.Type(), data, func() ([]string, error) { return d.Strings(Slab{}) }))
		attributes(d.Object)
		return nil
	}))
	return strings.Split(out.String(), "\n")
}

// values prints elements without the holes of a compound.
func values(t testing.TB, typ Type, data []byte, text func() ([]string, error)) string {
	t.Helper()
	switch typ.Class {
	case VarLen, String:
		s, err := text()
		must(t, err)
		return fmt.Sprintf("%q", s)
	case Compound:
		var out []string
		for ; len(data) > 0; data = data[typ.Size:] {
			for _, m := range typ.Members {
				out = append(out, values(t, m.Type, data[m.Offset:m.Offset+m.Type.Size], func() ([]string, error) {
					return []string{string(data[m.Offset : m.Offset+m.Type.Size])}, nil
				}))
			}
		}
		return strings.Join(out, " ")
	}
	if len(data) > 64 {
		return fmt.Sprintf("%x… %08x", data[:16], field.Checksum(data))
	}
	return fmt.Sprintf("%x", data)
}

// X87 returns the type of the 80-bit number of x86 processors in size bytes (a C long
// double has 16).
func X87(size int) Type {
	f := x87
	return Type{Class: Float, Size: size, Precision: 80, Format: &f}
}

// EnumOf returns a type with named values of an integer type.
func EnumOf(base Type, values ...EnumValue) Type {
	return Type{Class: Enum, Size: base.Size, Base: &base, Values: values}
}
