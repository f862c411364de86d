// Package sprokit is the language of pipelines: processes, the ports that
// connect them, and the configuration that is put together for each of them
// from sections, blocks, included files, macros and overrides.
//
// A document is read from top to bottom with its includes in their place; the
// state of the reading (section, blocks, macros) runs through all files. The
// model keeps every assignment, the ones that were replaced too, so that the
// origin of each value can be shown. What depends on where the reading is, as a
// block that is not closed or a macro without a value, resolve reports at once;
// check judges the whole. What a pipeline may connect is decided by
// run/flow, which checks the same graph that it runs.
//
//	text ──syntax──▶ Tree ──resolve──▶ Model ──graph──▶ flow.Graph ──flow.Check──▶ findings
//	                  ▲  includes        ▲ clusters, once for each instance   └──▶ flow.Pipeline
//
// The documented dialect follows the language's document; the upstream dialect reads
// every line as the original program does, so that the settings are the same.
//
// The files stand in layers, and each uses only those before it. To read the package, read
//
//	schema  codes  macro  sysenv  options      the tables, macros in texts, options
//	model  clusters                            the Model, and the cluster files beside it
//	resolver  resolve_macro  resolve_entry     the state of the reading; macros, entries, and heads of clusters
//	resolve_cluster  resolve_include           before includes and whole documents, each of which can lead to
//	resolve_instance  resolve                  another one
//	symbols  run  values                       the value for the engine, and the origin of each setting
//	checker  check_mistakes  check_files       parts of findings, mistakes that explain several of them, then the
//	check_fragment  check_flow  check_cluster  findings of the engine in a pipeline and inside its clusters;
//	check  failure                             check lists the rules, failure those of a run
//	edit  convert  flatten  graph  …           other uses of a Model, side by side
//	language                                   all of it in one value
package sprokit
