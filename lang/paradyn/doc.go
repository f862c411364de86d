// Package paradyn is the language of launch files: which daemons, processes
// and visualisations belong to a run, and the tunable constants they get.
//
// A configuration has up to three layers: of the system, of the user, of the
// application. Definitions add up over them; of a tunable constant the last
// setting decides, and the model keeps every place that set it. A definition
// with an error is reported and dropped; the others stay.
//
//	sample.psdl ─┐
//	sample.psdl ─┼─syntax──▶ Trees ──resolve──▶ Model ──Decls──▶ launch.Plan
//	sample.psdl ─┘
//
// The same words had another grammar from August 1994 on: PCL, with named
// blocks. Its files are recognised; with Options.Dialect they are read and
// kept, but not launched.
//
// A Go program reads a file with Read, and finds its tunables in the Model.
//
// The files stand in layers, and each uses only those before it. To read the package, read
//
//	options  schema  codes  model  key    options, tables, the Model and the names of its settings
//	run  values                           the value for the engine, and the origin of each setting
//	override  pcl  resolve                from trees to a Model
//	check                                 the rules
//	edit  convert  graph  describe  …     other uses of a Model, side by side
//	language                              all of it in one value
package paradyn
