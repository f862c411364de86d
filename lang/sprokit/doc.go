// Package sprokit is the language of pipelines: processes, the ports that connect them, and their configuration, which is assembled from sections,
// blocks, included files, macros and overrides.
//
// A document is read from top to bottom, with included files in their place; the state of the reader (section, blocks, macros) carries over between
// files. The model keeps every assignment, replaced ones included, so that the origin of each value can be shown. Resolve reports findings that
// depend on the state of the reader, such as an unclosed block or a macro without a value; check reports the others. Whether ports may be connected
// is decided by run/flow, which checks the same graph that it runs.
//
//	text ──syntax──▶ Tree ──resolve──▶ Model ──graph──▶ flow.Graph ──flow.Check──▶ findings
//	                  ▲  includes        ▲ clusters, once for each instance   └──▶ flow.Pipeline
//
// The documented dialect follows the language's document; the upstream dialect reads every line as the original program does, so that both give the
// same settings.
//
// The files form layers, and each uses only the layers before it. Read them in this order:
//
//	schema  codes  macro  sysenv  options      the tables, macros in texts, options
//	model  clusters                            the Model, and the cluster files beside it
//	resolver  resolve_macro  resolve_entry     the state of the reading; macros, entries, and heads of clusters
//	resolve_cluster  resolve_include           before includes and whole documents, each of which can lead to
//	resolve_instance  resolve                  another one
//	symbols  run  values                       the value for the engine, and the origin of each setting
//	checker  check_mistakes  check_files       parts of findings, mistakes that explain several of them, then the
//	check_fragment  check_flow  check_cluster  findings of the engine in a pipeline and inside its clusters;
//	check  failure                             check lists the rules, failure the rules for a run
//	edit  convert  flatten  graph  …           other uses of a Model, side by side
//	language                                   all of it in one value
package sprokit
