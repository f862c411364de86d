// Package pinsight is the language of trace configurations: which events of
// a parallel program are traced, on which units, in which regions, how often.
//
// A file is applied section by section, as it is written: SET adds, RESET and
// REMOVE take away, inheritance copies what a default is at that line. The
// model keeps the lines behind every setting; run/trace decides by it.
//
//	text ──syntax──▶ Tree ──resolve──▶ Model ──Policy──▶ trace.Policy
//	                                     └───check──▶ findings
//
// Headers and lines are read in the read files, without a word while resolving
// and with its findings for check. The documented dialect follows the
// language's document. What an installed PInsight makes of the same text is read
// by the package installed, and compared in check_upstream.
//
// The files stand in layers, and each uses only those before it. To read the package, read
//
//	catalog  program  options           the known events, the code of a program, options
//	schema  codes  model                the tables and the Model
//	read  read_entry  resolve           headers, then lines, then sections in their order
//	run  values  mention                the value for the engine, the origin of each setting, the names in it
//	check_upstream  check               differences to an installed PInsight, then the list of the rules
//	edit  convert  graph  describe  …   other uses of a Model, side by side
//	language                            all of it in one value
package pinsight
