package hostrun

import (
	"maps"
	"sync"
	"weak"

	"github.com/anycl/anycl/engine"
)

// The driver that has an inline device, PoCL 3.1, keeps 128 kernels loaded in a process. For one more it unloads the
// one that was used longest ago, but never one that ran on its own threads: there it counts two uses at the start
// of a launch and one at its end. So kernels that ran there delay all that run on the inline device later. Where
// nothing is left, each launch loads its kernel anew. Source: pocl_pthread_prepare_kernel in
// lib/CL/devices/pthread/pthread_scheduler.c, and get_new_dlhandle_cache_item in lib/CL/devices/common.c, of PoCL 3.1.

const (
	LoadedMost = 128 // kernels
	// LoadedFar is how many may run on the driver's threads before the next ones are left to the inline device, if
	// they are about as fast there. The rest is for the inline device's and for probes.
	LoadedFar = 48
)

// loadedKernel is a kernel as the driver tells them apart.
type loadedKernel struct {
	program uint64 // hash of its source and options
	name    string
	local   [3]int
}

// LoadedKernels are those that the driver keeps loaded for its own threads.
type LoadedKernels struct {
	mu      sync.Mutex
	Kernels map[loadedKernel]struct{}
	tasks   map[weak.Pointer[engine.Task]]struct{} // whose they are
	sweep   int                                    // the number of tasks at which those that have gone are forgotten
}

// Loaded is for the process, as the driver's is.
var Loaded LoadedKernels

// Enter notes that a task's kernel runs on the driver's threads.
func (l *LoadedKernels) Enter(t *engine.Task, program uint64, kernel string, local [3]int) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.Kernels == nil {
		l.Kernels, l.tasks = map[loadedKernel]struct{}{}, map[weak.Pointer[engine.Task]]struct{}{}
	}
	l.Kernels[loadedKernel{program, kernel, local}] = struct{}{}
	l.tasks[weak.Make(t)] = struct{}{}
	if len(l.tasks) > l.sweep {
		maps.DeleteFunc(l.tasks, func(t weak.Pointer[engine.Task], _ struct{}) bool { return t.Value() == nil })
		l.sweep = 2*len(l.tasks) + LoadedMost
	}
}

// Holds reports how many kernels there are, and whether t's are among them.
func (l *LoadedKernels) Holds(t *engine.Task) (kernels int, among bool) {
	l.mu.Lock()
	defer l.mu.Unlock()
	_, among = l.tasks[weak.Make(t)]
	return len(l.Kernels), among
}

// Crowded reports whether the given number of tasks on the driver's threads, beside the given number of kernels there, would be in the
// way of the inline device's. More than find room on the inline device are not.
func Crowded(kernels, tasks int) bool {
	return tasks > 0 && tasks < LoadedMost && kernels+tasks > LoadedFar
}
