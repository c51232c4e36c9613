//go:build !linux

package main

import "errors"

var errNoPeak = errors.New("-memory is for Linux")

// forgetPeak resets the peak of a process's memory to its present size.
func forgetPeak(int) error { return errNoPeak }

// peak is the most memory, in bytes, that a process has had since then.
func peak(int) (int64, error) { return 0, errNoPeak }
