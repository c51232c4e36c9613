//go:build unix

package drills

import "syscall"

// preempted is how often the system took a processor away from a thread of the process that had more to do.
func preempted() int64 {
	var r syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &r); err != nil {
		return 0
	}
	return int64(r.Nivcsw)
}
