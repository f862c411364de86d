// Package suite connects the five languages of one run.
//
// Each language and each engine knows only itself. This package has the rules between two of
// them: a trace policy filters the events of a pipeline, a port of a pipeline feeds a data
// store, a layout follows a target, the ranks of a plan are the units of a policy. So this is
// the one place that finds the mistakes between files.
//
//	folder ──Open──▶ Run ──Diagnostics──▶ findings of all files, and with both places between them
//	                  ├─────Summary──────▶ one screen
//	                  └─────Graph────────▶ one picture
//
// During a run, it connects engines:
//
//	plan ──rank──▶ Filter ◀── trace policy        pipeline ──ExposeType──▶ data store
//	traces of all ranks ──JoinTraces──▶ one trace
//
// Read it from the bottom up: folder, pipeline, program and own find the files of a run and what it starts; graph and summary show them; checker is
// shared by all checks, each check_* file has one subject, and check calls them in order; findings merges the result with the findings of single
// files. expose, filter and trace connect engines during a run.
package suite
