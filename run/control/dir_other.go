//go:build !unix

package control

import "io/fs"

// onlyOurs trusts the permissions of the user's folders.
func onlyOurs(fs.FileInfo) bool { return true }
