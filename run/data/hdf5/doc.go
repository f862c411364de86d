// Package hdf5 reads and writes HDF5 files, with nothing but the standard library.
//
// A simulation's data outlives the program that wrote it, so it has to be in
// a format that every other tool of the trade reads. The package writes the
// plain subset that all HDF5 releases since 1.8 understand (superblock 2,
// object headers 2, links in the group's header, contiguous or chunked storage
// with a version 1 B-tree) and reads what those releases write: superblocks 0
// to 3, old and new groups, every chunk index, shared messages and types. Formats
// that are built on HDF5 get the order in which things were made, references between
// objects, datasets that grow, and named types.
//
//	File ── superblock ──▶ root Group
//	Group ── links ──▶ Group | Dataset        symbol table, link messages, fractal heap
//	Dataset ── layout ──▶ compact | contiguous | chunk index ──▶ chunks ── filters ──▶ elements
//	elements ── converter ──▶ the caller's bytes, laid out as the caller's Type
//
// Three packages are below this one: field (numbers and texts from bytes), disk (the file as bytes at addresses: its
// superblock, room, length, locks) and index (heaps, trees and arrays). Here, read from the bottom:
//
//	type.go, datatype.go, space.go   types and shapes, and how they are stored
//	convert.go, filter.go            elements become others, chunks become smaller
//	object.go, shared.go             headers and their messages, which all objects have
//	link.go, attribute.go            what an object holds: links, attributes,
//	layout.go, chunk.go              and the elements of a dataset
//	file.go, group.go, dataset.go    what callers see; when changes go to the file
//	transfer.go, place.go, grow.go   reading and writing elements, alone or with other processes
//	reference.go                     objects that refer to each other, named types
//
// Data goes to the file when it is written; headers and indexes are kept in
// memory and written by Flush and Close, in an order that leaves a readable file
// wherever the program is killed or a write fails: each object is the old or the
// new one. Elements of a dataset that is there are overwritten in place, so some
// of them may be old and some new. Nothing is synced, so this does not hold for a
// machine that loses its power.
//
// Other programs read a file while it is written, with HDF5's own library or with
// this package, at any moment and without a word to the writer. For them:
//
//   - A writer has no lock that a reader asks for; see lock.go of disk.
//   - Two things are overwritten: the superblock, and the stubs of object headers that
//     lead to all the rest. Each is one write within a line of memory, so that a reader
//     finds the old or the new one, and the checksum of either is right.
//   - Everything else is written to room that nothing refers to. A reader goes from a
//     stub to what it leads to, then to indexes and elements, and HDF5's own library
//     keeps what it read until it closes the file. So room that was given back is used
//     again when no program had the file open since, or a minute later; see room.go of disk. A
//     reader that holds a file longer may find other bytes where a dataset was that has
//     been replaced.
//   - The length of the file and its end run ahead of what is used; see reserve.go of disk. A reader
//     of HDF5's own library that needs more than a second finds what is there as long as the
//     file grows by less than 2 MB, or a sixteenth. Behind that it may find names, also of
//     groups that are old, that it cannot open: it opens the file again.
//
// The flag of a writer that readers have to know of (SWMR) is not set.
//
// Whatever a file says is checked against its real size before memory is
// taken for it, and no structure is followed twice on one path: a damaged
// file ends in an error.
//
// A File and everything opened through it belong to one goroutine at a time.
package hdf5
