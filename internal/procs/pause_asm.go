//go:build amd64 || arm64

package procs

// Pause tells the processor that this thread only waits, in a loop that reads memory: a thread on the
// other half of its core then gets the whole. 40 to 140 cycles on x86, less elsewhere.
func Pause()
