package pdi

import (
	"iter"

	"github.com/pentode-dev/pentode/core/source"
	"github.com/pentode-dev/pentode/run/data"
)

// WrittenFile is an HDF5 or netCDF file that the tree writes.
type WrittenFile struct {
	Name     string // as it is written, perhaps an expression
	Span     source.Span
	Together bool // a communicator says who writes it
}

// WrittenFiles are the files that `decl_hdf5` and `decl_netcdf` write.
func (m *Model) WrittenFiles() []WrittenFile {
	var list []WrittenFile
	for _, name := range []string{"decl_hdf5", "decl_netcdf"} {
		p := m.plugins[name]
		if p == nil {
			continue
		}
		for f := range p.config.each() {
			if name := f.get("file"); name.is(data.ScalarNode) && !f.get("write").absent() {
				list = append(list, WrittenFile{name.Text, name.span(), !f.get("communicator").absent()})
			}
		}
	}
	return list
}

// each is the items of a list, or the value alone.
func (v value) each() iter.Seq[value] {
	return func(yield func(value) bool) {
		if !v.is(data.SequenceNode) {
			yield(v)
			return
		}
		for _, item := range v.items() {
			if !yield(item) {
				return
			}
		}
	}
}
