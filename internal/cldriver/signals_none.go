//go:build !(linux && (amd64 || arm64)) || noopencl

package cldriver

// keepSignals has nothing to do here: the drivers that take the process's
// handlers are Linux ones.
func keepSignals() func() { return func() {} }
