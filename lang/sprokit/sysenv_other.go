//go:build !linux

package sprokit

// askSystem adds nothing: memory stays 0 on systems for which the Go library does not report it.
func askSystem(*Machine) {}
