// Package coil is the language of targets: it describes what a COIL program is compiled for,
// in one small file for each machine.
//
// A file may inherit from others. The files that it includes are merged first, in order,
// then its own settings. The result is checked against one table of keys, and against the
// tables of run/target, which know processors, features, registers and ABIs. Only Pentode
// reads this format, so both dialects follow the language's document.
//
//	text ──syntax──▶ Tree ──resolve──▶ Model ──check──▶ findings
//	base.coilcfg ──@include──┘           └──Target──▶ target.Target ──▶ flags, compat, detect
//
// The files form layers, and each file uses only the layers above it in this list, which is
// also the order to read them:
//
//	options  schema  text  codes           options, the table of keys, the forms of words
//	model  vendor  resolve_value  resolve  from files to a Model
//	run  values                            the value for the engine, and the origin of each setting
//	checker  check_form  check_target      rules for single values, then for the machine, then those that need
//	check_abi  check_memory  …  check      both; check lists them
//	edit  convert  graph  describe  …      other uses of a Model, independent of each other
//	language                               all of it in one value
package coil
