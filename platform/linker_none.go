//go:build !linux

package platform

const envCompilerPath = ""

// linkerFolder is "": PoCL links kernels in this way on Linux alone.
func linkerFolder() string { return "" }
