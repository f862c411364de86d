// Package data knows the memory layout of a simulation's data and keeps a store
// of it that plugins can read.
//
// A specification tree names data and gives each a type whose sizes may depend
// on other data. The package turns such a tree into type templates, evaluates
// them against the store whenever a buffer is shared, and lets plugins see the
// buffer in place: data is never copied, metadata always is, so an expression
// can read it at any later time.
//
//	Node ──Env.Read──▶ Template ──Evaluate──▶ Type ──▶ Layout, Decode, convert
//	           └──▶ problems, with places, kinds and suggestions
//	Spec ──New──▶ Store ◀──Share, Access, Release, Reclaim, Expose, Event── program
//	                │
//	                └──callbacks──▶ plugins (plugin, declhdf5)
//
// Nothing here reads YAML: lang/pdi passes Nodes with their places, and maps the kinds of problems to its codes.
// The store and the checker read a declaration with the same code: the store stops at the first error, the checker
// collects all problems. Where the documentation of the language and the original program differ, Env and Options
// select which to follow.
//
// The files form four layers. Read each from its first file on:
//
//	node.go, error.go                            the tree that is read, and the errors found in it
//	machine.go, scalar.go, type.go, dense.go,    types of memory on a machine
//	mirror.go, memory.go, layout.go, decode.go
//	value.go, template.go, env.go, problem.go,   declarations become templates, and templates become types:
//	parse_*.go                                   these need each other, as types have sizes and parts that are read
//	store.go, datum.go, share.go, expose.go,     what a program shares, and who reads it
//	callbacks.go, plugin.go, follow.go, log.go
//
// expr compiles $-expressions, logging writes the log, replay makes the calls of
// a script, hdf5 reads and writes files that declhdf5 fills from the store.
package data
