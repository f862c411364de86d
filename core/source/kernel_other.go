//go:build !linux

package source

import "os"

// ofKernel reports whether the kernel generates the contents of a file.
func ofKernel(*os.File) bool { return false }
