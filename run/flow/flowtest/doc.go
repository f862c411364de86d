// Package flowtest helps authors of process types: Verify runs a type through its whole life, and
// Feed runs one process on given data.
package flowtest
