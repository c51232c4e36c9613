// Package clthread makes every OpenCL call on one thread of the operating system, for
// implementations that keep state by thread: Oclgrind's shadow memory is made on the thread
// that makes the context, and a call from another one ends the process.
//
//	lib, err := cl.Open(&cl.Options{Wrap: clthread.Wrap})
package clthread

import (
	"runtime"

	"github.com/anycl/anycl/internal/cldriver"
)

// Wrap is for cl.Options.Wrap. The thread lasts as long as the process, as libraries do.
func Wrap(d cldriver.Driver) cldriver.Driver {
	calls := make(chan func())
	go func() {
		runtime.LockOSThread()
		for call := range calls {
			call()
		}
	}()
	return cldriver.Intercept(d, func(_ string, do func() cldriver.Status) (st cldriver.Status) {
		over := make(chan struct{})
		calls <- func() {
			defer close(over)
			st = do()
		}
		<-over
		return st
	})
}
