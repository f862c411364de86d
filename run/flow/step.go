package flow

// A Step is what a process sees of the engine while it works.
type Step struct{}

// A Setup is what a process sees while it is set up.
type Setup struct{}
