//go:build !unix

package control

import "io/fs"

// onlyOurs always returns true: this system has no owners and modes to check.
func onlyOurs(fs.FileInfo) bool { return true }
