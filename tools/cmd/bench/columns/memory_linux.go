package main

import (
	"bytes"
	"fmt"
	"os"
	"strconv"
)

// forgetPeak resets the peak of a process's memory to its present size.
func forgetPeak(pid int) error {
	return os.WriteFile(fmt.Sprintf("/proc/%d/clear_refs", pid), []byte("5"), 0)
}

// peak is the most memory, in bytes, that a process has had since then.
func peak(pid int) (int64, error) {
	status, err := os.ReadFile(fmt.Sprintf("/proc/%d/status", pid))
	if err != nil {
		return 0, err
	}
	_, after, ok := bytes.Cut(status, []byte("VmHWM:"))
	if !ok {
		return 0, fmt.Errorf("the memory of process %d is not known", pid)
	}
	kilobytes, err := strconv.ParseInt(string(bytes.Fields(after)[0]), 10, 64)
	return kilobytes << 10, err
}
