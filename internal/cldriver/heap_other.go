//go:build !(linux && (amd64 || arm64)) || noopencl

package cldriver

// WithLargePages calls f.
func WithLargePages(f func()) { f() }
