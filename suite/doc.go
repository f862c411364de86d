// Package suite is where the five languages of one run meet.
//
// Each language and each engine knows only itself. What holds between two of them
// is here: a trace policy filters the events of a pipeline, a port of a pipeline feeds a
// data store, a layout follows a target, the ranks of a plan are the units of a
// policy. So this is the one place that finds the mistakes between files.
//
//	folder ──Open──▶ Run ──Check──▶ findings with both places
//	                  └────Start──▶ the launch plan, whose processes run the pipeline
package suite
