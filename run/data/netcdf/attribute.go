package netcdf

import (
	"github.com/pentode-dev/pentode/run/data/hdf5"
)

// SetText gives an object an attribute that is a text.
func SetText(o hdf5.Object, name, text string) error {
	b := []byte(text)
	if len(b) == 0 {
		b = []byte{0}
	}
	return o.SetAttribute(name, hdf5.Text(len(b), hdf5.NullTerm), hdf5.Space{}, b)
}

// setTerminated gives an object an attribute of HDF5 itself, whose texts end with a NUL.
func setTerminated(o hdf5.Object, name, text string) error { return SetText(o, name, text+"\x00") }

// SetNumbers gives an object an attribute of numbers.
func SetNumbers(o hdf5.Object, name string, t hdf5.Type, values []byte) error {
	return o.SetAttribute(name, t, hdf5.Space{Dims: []uint64{uint64(len(values) / t.Size)}}, values)
}

// Char is the type of a character, of which texts consist.
func Char() hdf5.Type { return hdf5.Text(1, hdf5.NullTerm) }
