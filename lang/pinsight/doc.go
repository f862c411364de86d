// Package pinsight is the language of trace configurations: which events of
// a parallel program are traced, on which units, in which regions, how often.
//
// A file is applied section by section, in order: SET adds settings, RESET and REMOVE delete them, inheritance copies the state of a default at that line. The
// model keeps the lines that made every setting; run/trace decides by the model.
//
//	text ──syntax──▶ Tree ──resolve──▶ Model ──Policy──▶ trace.Policy
//	                                     └───check──▶ findings
//
// The files read*.go parse headers and lines: without findings while resolving, and with findings for check. The documented dialect follows the language's
// document. The package installed reads the same text as an installed PInsight does, and check_upstream compares the results.
//
// The files form layers, and each uses only the layers before it. Read them in this order:
//
//	catalog  program  options           the known events, the code of a program, options
//	schema  codes  model                the tables and the Model
//	read  read_entry  resolve           headers, then lines, then sections in their order
//	run  values  mention                the value for the engine, the origin of each setting, the names in it
//	check_upstream  check               differences to an installed PInsight, then the list of the rules
//	edit  convert  graph  describe  …   other uses of a Model, side by side
//	language                            all of it in one value
package pinsight
