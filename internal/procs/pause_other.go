//go:build !amd64 && !arm64

package procs

// Pause does nothing here. Elsewhere it tells the processor that this thread only waits.
func Pause() {}
