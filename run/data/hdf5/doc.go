// Package hdf5 reads and writes HDF5 files, with nothing but the standard library.
//
// A simulation's data outlives the program that wrote it, so it has to be in
// a format that every other tool of the trade reads. The package writes the
// plain subset that all HDF5 releases since 1.8 understand (superblock 2,
// object headers 2, links in the group's header, contiguous or chunked storage
// with a version 1 B-tree) and reads what those releases write: superblocks 0
// to 3, old and new groups, every chunk index, shared messages and types.
//
//	File ── superblock ──▶ root Group
//	Group ── links ──▶ Group | Dataset        symbol table, link messages, fractal heap
//	Dataset ── layout ──▶ compact | contiguous | chunk index ──▶ chunks ── filters ──▶ elements
//	elements ── converter ──▶ the caller's bytes, laid out as the caller's Type
//
// Data goes to the file when it is written; headers and indexes are kept in
// memory and written by Flush and Close, in an order that leaves a readable file
// wherever the program is killed or a write fails: each object is the old or the
// new one. Elements of a dataset that is there are overwritten in place, so some
// of them may be old and some new. Nothing is synced, so this does not hold for a
// machine that loses its power.
//
// Whatever a file says is checked against its real size before memory is
// taken for it, and no structure is followed twice on one path: a damaged
// file ends in an error.
//
// A File and everything opened through it belong to one goroutine at a time.
package hdf5
