// Package pdi is the language of specification trees: what data a simulation
// exposes, of which types, and what plugins do with it.
//
// A tree is YAML, so its syntax says little. Its meaning lies in names that are declared in one place and read in another, in sizes that are
// expressions over data, and in the keys of plugins. The original program finds a wrong name when it first needs the value, hours into a run. This
// package reads the whole tree, with the files it includes, and checks it against one table of allowed keys and values.
//
//	text ──syntax──▶ Tree ──resolve──▶ Model ──check──▶ findings
//	                                     │
//	                                     ├──Spec──▶ data.Spec ──▶ data.Store
//	                                     └──Type──▶ data.Type ──▶ layout, C, Go, numpy
//
// A Model keeps two views of every value, of the same shape: the engine's node, and the syntax node it came from, so that every message can point at
// its place.
//
// The files form layers, and each uses only the layers before it. Read them in this order:
//
//	plugins  schema  codes  options       tables and options
//	model  lower  key                     the Model, its values with both views, and their names
//	run  override  resolve                the value for the engine; from trees to a Model
//	values  uses                          the origin of each setting, and the names that plugins use
//	checker  check_damage  check_program  parts of findings, losses with a broken file, the sources of the
//	check_expr  check_netcdf  …           program; then expressions, values and plugins, whose types can hold
//	check_plugin  check_type  check       keys of a plugin again; check lists the rules
//	edit  convert  flatten  graph  …      other uses of a Model, side by side
//	language                              all of it in one value
package pdi
