// Package suite is where the five languages of one run meet.
//
// Each language and each engine knows only itself. What holds between two of them
// is here: a trace policy filters the events of a pipeline, a port of a pipeline feeds a
// data store, a layout follows a target, the ranks of a plan are the units of a
// policy. So this is the one place that finds the mistakes between files.
//
//	folder ──Open──▶ Run ──Diagnostics──▶ findings of all files, and with both places between them
//	                  ├─────Summary──────▶ one screen
//	                  └─────Graph────────▶ one picture
//
// While a run goes on, its joins are these:
//
//	plan ──rank──▶ Filter ◀── trace policy        pipeline ──ExposeType──▶ data store
//	traces of all ranks ──JoinTraces──▶ one trace
//
// Read it from below: folder, pipeline, program and own say which files belong to a run and what it starts; graph and
// summary show that; checker is what all checks share, each check_* file is one subject, and check calls them in order;
// findings puts their list together with those of the single files. expose, filter and trace join engines while they run.
package suite
