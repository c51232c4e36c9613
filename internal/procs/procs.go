// Package procs counts the processors that goroutines may compute on.
package procs

import (
	"runtime"
	"sync"
)

var (
	mu     sync.Mutex
	raised int // GOMAXPROCS as Spare has set it; 0: it has not
)

// Count is GOMAXPROCS without the one that Spare has added.
func Count() int {
	mu.Lock()
	defer mu.Unlock()
	n := runtime.GOMAXPROCS(0)
	if n == raised {
		n--
	}
	return n
}

// Spare raises GOMAXPROCS by one, once in a process.
func Spare() {
	mu.Lock()
	defer mu.Unlock()
	if raised == 0 {
		raised = runtime.GOMAXPROCS(0) + 1
		runtime.GOMAXPROCS(raised)
	}
}
