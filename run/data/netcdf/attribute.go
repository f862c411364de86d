package netcdf

import (
	"github.com/pentode-dev/pentode/run/data/hdf5"
)

// SetText sets an attribute of an object to a text.
func SetText(o hdf5.Object, name, text string) error {
	b := []byte(text)
	if len(b) == 0 {
		b = []byte{0}
	}
	return o.SetAttribute(name, hdf5.Text(len(b), hdf5.NullTerm), hdf5.Space{}, b)
}

// setTerminated sets an attribute that belongs to HDF5 itself, where texts end with a NUL.
func setTerminated(o hdf5.Object, name, text string) error { return SetText(o, name, text+"\x00") }

// SetNumbers sets an attribute of an object to numbers.
func SetNumbers(o hdf5.Object, name string, t hdf5.Type, values []byte) error {
	return o.SetAttribute(name, t, hdf5.Space{Dims: []uint64{uint64(len(values) / t.Size)}}, values)
}

// Char returns the type of characters, of which texts consist.
func Char() hdf5.Type { return hdf5.Text(1, hdf5.NullTerm) }
