package declhdf5

import (
	"errors"

	"github.com/pentode-dev/pentode/core/seal"
	"github.com/pentode-dev/pentode/run/data/hdf5"
)

// stamp writes a seal to a file that is open for writing: an attribute of its root that says what made it. If
// another run had written the file, that run becomes a parent. A missing seal is not an error.
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

// sealOf returns the seal of an open file.
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
		return nil, &seal.Bad{Why: "the attribute `" + seal.Name + "` is not a text"}
	}
	return seal.Parse([]byte(texts[0]))
}

// Sealed returns the seal of an HDF5 or netCDF file.
func Sealed(path string) (*seal.Seal, error) {
	h, err := hdf5.Open(path)
	if err != nil {
		return nil, err
	}
	defer h.Close()
	return sealOf(h)
}
