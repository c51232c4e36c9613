//go:build !linux

package linker

// Folder is "": PoCL links kernels in this way on Linux alone.
func Folder(string) string { return "" }
