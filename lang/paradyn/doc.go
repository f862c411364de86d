// Package paradyn is the language of launch files: it describes which daemons,
// processes and visualisations belong to a run, and the tunable constants they
// get.
//
// A configuration has up to three layers: one each of the system, the user and
// the application. The definitions of all layers count. The last setting of a
// tunable constant decides, and the model keeps every place that set it. A
// definition with an error is reported and dropped; the others stay.
//
//	sample.psdl ─┐
//	sample.psdl ─┼─syntax──▶ Trees ──resolve──▶ Model ──Decls──▶ launch.Plan
//	sample.psdl ─┘
//
// From August 1994 on, the same words had another grammar, PCL, with named
// blocks. Files in PCL are recognised. With Options.Dialect they are read and
// kept, but not launched.
//
// A Go program reads a file with Read, and finds its tunables in the Model.
//
// The files form layers, and each file uses only the layers above it in this
// list, which is also the order to read them:
//
//	options  schema  codes  model  key    options, tables, the Model and the names of its settings
//	run  values                           the value for the engine, and the origin of each setting
//	override  pcl  resolve                from trees to a Model
//	check                                 the rules
//	edit  convert  graph  describe  …     other uses of a Model, independent of each other
//	language                              all of it in one value
package paradyn
