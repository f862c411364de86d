//go:build !linux

package declhdf5

func systemOf(string) string { return "" }
