package declhdf5

import (
	"errors"

	"github.com/pentode-dev/pentode/core/seal"
	"github.com/pentode-dev/pentode/run/data/hdf5"
)

// stamp lets a file that is open for writing say what made it: an attribute of its root. A file that another run
// has written has that one as a parent. Nothing fails for want of a seal.
func (f *file) stamp(h *hdf5.File) {
	m := f.Host().Seal
	if m == nil {
		return
	}
	root := h.Root()
	if old, err := sealOf(h); err == nil {
		m.Follows(old, h.Path())
	}
	text := string(m.Text())
	if a, err := root.Attribute(seal.Name); err == nil {
		if have, err := a.Strings(); err == nil && len(have) == 1 && have[0] == text {
			return
		}
	}
	if err := root.SetAttribute(seal.Name, hdf5.Text(len(text), hdf5.NullPad), hdf5.Space{}, []byte(text)); err != nil {
		m.Lose(err)
	}
}

// sealOf is the seal of an open file.
func sealOf(h *hdf5.File) (*seal.Seal, error) {
	a, err := h.Root().Attribute(seal.Name)
	if errors.Is(err, hdf5.ErrNotFound) {
		return nil, seal.ErrNone
	}
	if err != nil {
		return nil, &seal.Bad{Why: "the attributes of the file are damaged"}
	}
	texts, err := a.Strings()
	if err != nil || len(texts) != 1 {
		return nil, &seal.Bad{Why: "the attribute `" + seal.Name + "` is no text"}
	}
	return seal.Parse([]byte(texts[0]))
}

// Sealed reads the seal of a file of HDF5 or netCDF.
func Sealed(path string) (*seal.Seal, error) {
	h, err := hdf5.Open(path)
	if err != nil {
		return nil, err
	}
	defer h.Close()
	return sealOf(h)
}
