// Package hdf5 reads and writes HDF5 files using only the standard library.
//
// A simulation's data outlives the program that wrote it, so its format must be one that all common tools read. The
// package writes the plain subset that all HDF5 releases since 1.8 understand: superblock 2, object headers 2, links
// in the group's header, and contiguous or chunked storage with a version 1 B-tree. It reads everything that those
// releases write: superblocks 0 to 3, old and new groups, every chunk index, shared messages and types. For formats
// based on HDF5, it also supports creation order, references between objects, datasets that grow, and named types.
//
//	File ── superblock ──▶ root Group
//	Group ── links ──▶ Group | Dataset        symbol table, link messages, fractal heap
//	Dataset ── layout ──▶ compact | contiguous | chunk index ──▶ chunks ── filters ──▶ elements
//	elements ── converter ──▶ the caller's bytes, laid out as the caller's Type
//
// There are three packages below this one: field decodes numbers and texts, disk handles the file as bytes at
// addresses (superblock, free space, length, locks), and index reads heaps, trees and arrays. Reading order of this
// package, from the bottom:
//
//	type.go, datatype.go, space.go   types and shapes, and how they are stored
//	convert.go, filter.go            converting elements, compressing chunks
//	object.go, shared.go             headers and their messages, which all objects have
//	link.go, attribute.go            the contents of an object: links, attributes,
//	layout.go, chunk.go              and the elements of a dataset
//	file.go, group.go, dataset.go    the API; when changes are written to the file
//	transfer.go, place.go, grow.go   reading and writing elements, alone or with other processes
//	reference.go                     objects that refer to each other, named types
//
// Data is written to the file at once. Headers and indexes are kept in memory and written by Flush and Close, in an
// order that leaves a readable file if the program is killed or a write fails at any point: each object is either
// the old or the new one. Elements of an existing dataset are overwritten in place, so some of them may be old and
// some new. Nothing is synced, so this does not hold if the machine loses power.
//
// Other programs can read a file while it is written, with HDF5's own library or with this package, at any moment
// and without coordination with the writer. For them:
//
//   - A writer holds no lock that a reader requests; see lock.go of disk.
//   - Only two things are overwritten: the superblock, and the stubs of object headers,
//     which lead to everything else. Each is written with one write within a cache line.
//     So a reader finds either the old or the new version, with a correct checksum.
//   - Everything else is written to space that nothing refers to. A reader goes from a
//     stub to the data that it leads to, then to indexes and elements, and HDF5's own library
//     keeps what it has read until it closes the file. So released space is reused only
//     once no program has the file open any more, or after a minute; see room.go of disk. A
//     reader that keeps a file open longer may find other bytes in place of a dataset that
//     has been replaced.
//   - The length of the file and its end are ahead of what is used; see reserve.go of disk.
//     A reader with HDF5's own library that takes more than a second still finds everything if
//     the file grows by less than 2 MB, or by less than a sixteenth. If it grows by more, the
//     reader may fail to open names, even of old groups: it has to open the file again.
//
// The flag for writers that readers must know about (SWMR) is not set.
//
// Every size in a file is checked against the file's real size before memory is allocated for it, and no structure
// is followed twice on one path: a damaged file leads to an error.
//
// Only one goroutine at a time may use a File and everything opened through it.
package hdf5
