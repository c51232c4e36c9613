package drills

import (
	"bytes"
	"os"
	"strconv"
)

// resident is how many bytes of memory the process has, 0 where that is not known.
func resident() int64 {
	b, err := os.ReadFile("/proc/self/statm")
	if err != nil {
		return 0
	}
	pages, _ := strconv.ParseInt(string(bytes.Fields(b)[1]), 10, 64)
	return pages * int64(os.Getpagesize())
}

// descriptors is how many files the process has open, 0 where that is not known.
func descriptors() int {
	all, err := os.ReadDir("/proc/self/fd")
	if err != nil {
		return 0
	}
	return len(all)
}

// threads is how many threads the process has, 0 where that is not known.
func threads() int {
	all, err := os.ReadDir("/proc/self/task")
	if err != nil {
		return 0
	}
	return len(all)
}
