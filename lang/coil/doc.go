// Package coil is the language of targets: what a COIL program is compiled
// for, one small file per machine.
//
// A file may inherit from others. What it includes is merged first, in order,
// then what it sets itself; the result is held against one table of keys and
// against the tables of run/target, which know processors, features, registers and
// ABIs. No program reads this format but ours, so both dialects are the language's document.
//
//	text ──syntax──▶ Tree ──resolve──▶ Model ──check──▶ findings
//	base.coilcfg ──@include──┘           └──Target──▶ target.Target ──▶ flags, compat, detect
//
// The files stand in layers, and each uses only those before it. To read the package, read
//
//	options  schema  text  codes           options, the table of keys, the forms of words
//	model  vendor  resolve_value  resolve  from files to a Model
//	run  values                            the value for the engine, and the origin of each setting
//	checker  check_form  check_target      rules for single values, then for the machine, then those that need
//	check_abi  check_memory  …  check      both; check lists them
//	edit  convert  graph  describe  …      other uses of a Model, side by side
//	language                               all of it in one value
package coil
