// Package flowtest helps to test process types. Verify checks that a type follows the rules for
// all types, and Feed runs one process on given data.
package flowtest
