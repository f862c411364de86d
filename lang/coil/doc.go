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
//	options  schema  text  codes           what a caller gives, the table of keys, the forms of words
//	model  vendor  resolve_value  resolve  from files to a Model
//	run  values                            what the engine gets of a Model, and where each value comes from
//	checker  check_form  check_target      what a value may be by itself, then what the machine can do, then
//	check_abi  check_memory  …  check      what depends on both; check lists the rules
//	edit  convert  graph  describe  …      what else is done with a Model, side by side
//	language                               all of it in one value
package coil
