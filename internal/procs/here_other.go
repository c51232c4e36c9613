//go:build !linux

package procs

// Here is the processor that the calling thread is on, -1 where that is not known.
func Here() int { return -1 }
