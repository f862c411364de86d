package hdf5

import "testing"

// BenchmarkWrite writes a field of 8 MB, a typical step of a simulation.
func BenchmarkWrite(b *testing.B) {
	const rows, columns = 1000, 1000
	buf := make([]byte, 8*rows*columns)
	for i := range rows * columns {
		buf[8*i] = byte(i)
		buf[8*i+1] = byte(i >> 10)
	}
	for _, c := range []struct {
		name string
		typ  Type
		o    Options
	}{
		{"contiguous", IEEE(8), Options{}},
		{"turned", IEEE(8).Big(), Options{}},
		{"chunked", IEEE(8), Options{Chunk: []uint64{100, 100}}},
		{"deflate", IEEE(8), Options{Chunk: []uint64{100, 100}, Deflate: 1, Shuffle: true}},
	} {
		b.Run(c.name, func(b *testing.B) {
			path := inTemp(b, "b.h5")
			b.SetBytes(int64(len(buf)))
			for b.Loop() {
				f := create(b, path)
				d, err := f.Root().CreateDataset("d", c.typ, dims(rows, columns), c.o)
				must(b, err)
				must(b, d.Write(buf, Memory{Type: IEEE(8)}, Slab{}))
				must(b, f.Close())
			}
		})
		b.Run(c.name+"/read", func(b *testing.B) {
			path := inTemp(b, "b.h5")
			f := create(b, path)
			d, err := f.Root().CreateDataset("d", c.typ, dims(rows, columns), c.o)
			must(b, err)
			must(b, d.Write(buf, Memory{Type: IEEE(8)}, Slab{}))
			must(b, f.Close())
			b.SetBytes(int64(len(buf)))
			for b.Loop() {
				d, err := reopen(b, path).Root().Dataset("d")
				must(b, err)
				must(b, d.Read(buf, Memory{Type: IEEE(8)}, Slab{}))
			}
		})
	}
}

// BenchmarkGhost writes the inner part of a field with ghost cells, the most common selection.
func BenchmarkGhost(b *testing.B) {
	const n = 512
	buf := make([]byte, 8*(n+2)*(n+2))
	f := create(b, inTemp(b, "b.h5"))
	defer f.Close()
	d, err := f.Root().CreateDataset("d", IEEE(8), dims(n, n), Options{})
	must(b, err)
	b.SetBytes(8 * n * n)
	for b.Loop() {
		must(b, d.Write(buf, Memory{IEEE(8), []uint64{n + 2, n + 2}, Slab{[]uint64{1, 1}, []uint64{n, n}}}, Slab{}))
	}
}

// BenchmarkConvert converts compounds member by member.
func BenchmarkConvert(b *testing.B) {
	from, to := particle(), relaid(particle().Big())
	c, err := compile(from, to)
	must(b, err)
	src, dst := make([]byte, 1000*from.Size), make([]byte, 1000*to.Size)
	b.SetBytes(int64(len(src)))
	b.ReportAllocs()
	for b.Loop() {
		c.run(dst, src, 1000)
	}
}
