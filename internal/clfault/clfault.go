// Package clfault makes OpenCL calls fail on demand, for tests: a layer between
// package cl and the library that returns a failing status at call number N.
//
//	faults := new(clfault.Injector)
//	lib, err := cl.Open(&cl.Options{Wrap: faults.Wrap})
//	faults.FailAt(3, cl.OutOfResources, "NewBuffer")
package clfault

import (
	"slices"
	"strings"
	"sync"

	"github.com/anycl/anycl/cl"
	"github.com/anycl/anycl/internal/cldriver"
)

// Injector counts a driver's calls and makes one of them fail. It is safe for
// concurrent use; its zero value lets everything pass.
type Injector struct {
	mu     sync.Mutex
	calls  []string
	match  string
	seen   int
	failAt int
	always bool
	status cldriver.Status
	fired  int
}

// Wrap is for cl.Options.Wrap.
func (i *Injector) Wrap(d cldriver.Driver) cldriver.Driver { return cldriver.Intercept(d, i.hook) }

// FailAt makes the n-th call from now on, counted from 1, fail with the status
// without being done. Only calls whose name contains match count; an empty match
// counts all of them. Names are those of [cldriver.Driver]'s methods, "Info
// device" and the like, "Release memory" and the like, and the operations of
// commands, as "launch" or "read".
//
// A release that fails is done nevertheless: the object must not leak.
func (i *Injector) FailAt(n int, status cl.Status, match string) {
	i.set(n, status, match, false)
}

// FailFrom is FailAt for the n-th and all later calls that match.
func (i *Injector) FailFrom(n int, status cl.Status, match string) {
	i.set(n, status, match, true)
}

// Off lets everything pass again.
func (i *Injector) Off() { i.set(0, 0, "", false) }

func (i *Injector) set(n int, status cl.Status, match string, always bool) {
	i.mu.Lock()
	defer i.mu.Unlock()
	i.seen, i.failAt, i.status, i.match, i.always = 0, n, cldriver.Status(status), match, always
	i.calls, i.fired = nil, 0
}

// Fired returns how many calls failed since the last FailAt, FailFrom or Off.
func (i *Injector) Fired() int {
	i.mu.Lock()
	defer i.mu.Unlock()
	return i.fired
}

// Calls returns the names of the calls since then, in order.
func (i *Injector) Calls() []string {
	i.mu.Lock()
	defer i.mu.Unlock()
	return slices.Clone(i.calls)
}

func (i *Injector) hook(call string, do func() cldriver.Status) cldriver.Status {
	fail, status := i.count(call)
	if fail && !strings.HasPrefix(call, "Release") && call != "SVMFree" {
		return status
	}
	st := do()
	if fail {
		return status
	}
	return st
}

func (i *Injector) count(call string) (bool, cldriver.Status) {
	i.mu.Lock()
	defer i.mu.Unlock()
	i.calls = append(i.calls, call)
	if i.failAt == 0 || !strings.Contains(call, i.match) {
		return false, 0
	}
	i.seen++
	if i.seen == i.failAt || i.always && i.seen > i.failAt {
		i.fired++
		return true, i.status
	}
	return false, 0
}
