package hdf5_test

import (
	"encoding/binary"
	"fmt"
	"log"
	"os"
	"path/filepath"

	"github.com/pentode-dev/pentode/run/data/hdf5"
)

// This example writes a field with one ghost cell on each side, without its ghosts, then
// reads one column of it as wider integers.
func Example() {
	dir, err := os.MkdirTemp("", "")
	if err != nil {
		log.Fatal(err)
	}
	defer os.RemoveAll(dir)
	path := filepath.Join(dir, "field.h5")

	field := make([]byte, 0, 4*5*5)
	for i := range 25 {
		field = binary.LittleEndian.AppendUint32(field, uint32(i))
	}

	f, err := hdf5.Create(path)
	if err != nil {
		log.Fatal(err)
	}
	d, err := f.Root().CreateDataset("step/0/field", hdf5.Int(4).Big(), hdf5.Space{Dims: []uint64{3, 3}},
		hdf5.Options{Chunk: []uint64{2, 2}, Deflate: 6})
	if err != nil {
		log.Fatal(err)
	}
	inner := hdf5.Slab{Start: []uint64{1, 1}, Count: []uint64{3, 3}}
	if err := d.Write(field, hdf5.Memory{Type: hdf5.Int(4), Dims: []uint64{5, 5}, Slab: inner}, hdf5.Slab{}); err != nil {
		log.Fatal(err)
	}
	if err := d.SetAttribute("unit", hdf5.Text(6, hdf5.NullPad), hdf5.Space{}, []byte("kelvin")); err != nil {
		log.Fatal(err)
	}
	if err := f.Close(); err != nil {
		log.Fatal(err)
	}

	f, err = hdf5.Open(path)
	if err != nil {
		log.Fatal(err)
	}
	defer f.Close()
	d, err = f.Root().Dataset("step/0/field")
	if err != nil {
		log.Fatal(err)
	}
	column := make([]byte, 3*8)
	err = d.Read(column, hdf5.Memory{Type: hdf5.Int(8)}, hdf5.Slab{Start: []uint64{0, 1}, Count: []uint64{3, 1}})
	if err != nil {
		log.Fatal(err)
	}
	unit, err := d.Attribute("unit")
	if err != nil {
		log.Fatal(err)
	}
	text, err := unit.Strings()
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(d.Space().Dims)
	for i := range 3 {
		fmt.Print(binary.LittleEndian.Uint64(column[8*i:]), " ")
	}
	fmt.Println(text[0])
	// Output:
	// [3 3]
	// 7 12 17 kelvin
}
