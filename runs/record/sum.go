package record

import (
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"hash"
	"io"
	"os"
	"slices"

	"github.com/pentode-dev/pentode/core/seal"
	"github.com/pentode-dev/pentode/run/data/hdf5"
)

// MaxHashed is the largest size of a result that gets a hash. For a larger one, only size and time are kept.
const MaxHashed = 64 << 20

// Sum returns the SHA-256 of a result without its seal, in hexadecimal digits: for an HDF5 file the sum of its groups, datasets and attributes, for
// any other file the sum of its bytes. The sum is empty if the file is larger than MaxHashed.
func Sum(path string) (string, error) {
	f, err := os.Open(path)
	if err != nil {
		return "", err
	}
	defer f.Close()
	info, err := f.Stat()
	if err != nil || info.Size() > MaxHashed {
		return "", err
	}
	h := sha256.New()
	if hdf5.Is(f) {
		if data, err := hdf5.NewReader(f, info.Size()); err == nil && sumGroup(h, data.Root(), 0) == nil {
			return hex.EncodeToString(h.Sum(nil)), nil
		}
		h.Reset() // the HDF5 file is damaged: hash only its bytes
	}
	if _, err := io.Copy(h, seal.Without(f, info.Size())); err != nil {
		return "", err
	}
	return hex.EncodeToString(h.Sum(nil)), nil
}

// Limits for untrusted HDF5 files: the depth of nested groups, and how much of a dataset is read.
const (
	maxDepth = 64
	maxRead  = 4 * MaxHashed
)

// sumGroup hashes the content of a group.
func sumGroup(h hash.Hash, g *hdf5.Group, depth int) error {
	if depth > maxDepth {
		return errors.New("groups are nested too deeply")
	}
	if err := sumAttributes(h, g.Object); err != nil {
		return err
	}
	return g.Each(func(name string, g *hdf5.Group, d *hdf5.Dataset) error {
		fmt.Fprintf(h, "%q", name)
		if d != nil {
			return sumDataset(h, d)
		}
		fmt.Fprint(h, "{")
		err := sumGroup(h, g, depth+1)
		fmt.Fprint(h, "}")
		return err
	})
}

func sumDataset(h hash.Hash, d *hdf5.Dataset) error {
	t, space := d.Type(), d.Space()
	fmt.Fprint(h, t, space.Dims, space.MaxDims, space.Null)
	if err := sumAttributes(h, d.Object); err != nil || space.Null {
		return err
	}
	n := space.Len()
	if hasPointers(t) || t.Size <= 0 || n > maxRead/uint64(t.Size) {
		return errors.New("elements that are too large to be read at once")
	}
	elements := make([]byte, n*uint64(t.Size))
	if err := d.Read(elements, hdf5.Memory{}, hdf5.Slab{}); err != nil {
		return err
	}
	h.Write(elements)
	return nil
}

// sumAttributes hashes the attributes of an object without its seal. For an attribute that refers to positions in the file it hashes only the name,
// because adding a seal changes positions.
func sumAttributes(h hash.Hash, o hdf5.Object) error {
	list, err := o.Attributes()
	for _, a := range list {
		if a.Name == seal.Name {
			continue
		}
		fmt.Fprintf(h, "%q", a.Name)
		fmt.Fprint(h, a.Type, a.Space.Dims)
		switch {
		case a.Type.VarText():
			texts, err := a.Strings()
			if err != nil {
				return err
			}
			fmt.Fprintf(h, "%q", texts)
		case !hasPointers(a.Type):
			h.Write(a.Data)
		}
	}
	return err
}

// hasPointers reports whether values of a type are positions in their file.
func hasPointers(t hdf5.Type) bool {
	return t.Class == hdf5.VarLen || t.Class == hdf5.Reference || t.Base != nil && hasPointers(*t.Base) ||
		slices.ContainsFunc(t.Members, func(m hdf5.Member) bool { return hasPointers(m.Type) })
}
