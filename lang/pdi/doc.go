// Package pdi is the language of specification trees: what data a simulation
// exposes, of which types, and what plugins do with it.
//
// A tree is YAML, so its syntax says little: the meaning is in names that are
// declared in one place and read in another, in sizes that are expressions over
// data, and in the keys of plugins. The original program finds a wrong name
// when it first needs the value, hours into a run. Here the tree is read
// whole, with the files it includes, and held against one table of what may stand where.
//
//	text ──syntax──▶ Tree ──resolve──▶ Model ──check──▶ findings
//	                                     │
//	                                     ├──Spec──▶ data.Spec ──▶ data.Store
//	                                     └──Type──▶ data.Type ──▶ layout, C, Go, numpy
//
// A Model keeps two views of every value that have the same shape: the engine's
// node, and the syntax it came from, so that every message can point at it.
//
// The files stand in layers, and each uses only those before it. To read the package, read
//
//	plugins  schema  codes  options       the tables, and what a caller gives
//	model  lower  ypath  key              the Model, its values with both views, and how they are named
//	run  override  resolve                what the engine gets of a Model; from trees to a Model
//	values  uses                          where each value comes from, and what plugins do with names
//	checker  check_damage  check_program  what findings are made of, what is lost with a broken file, what the
//	check_expr  check_netcdf  …           sources of the program say; then expressions, values and plugins,
//	check_plugin  check_type  check       whose types can hold keys of a plugin again; check lists the rules
//	edit  convert  flatten  graph  …      what else is done with a Model, side by side
//	language                              all of it in one value
package pdi
