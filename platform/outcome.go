package platform

import "github.com/anycl/anycl/cl"

// outcome is the error of a command that failed.
func outcome(st cl.EventStatus) error {
	if st < cl.EventComplete {
		return cl.Status(st)
	}
	return nil
}

// ended reports whether the command of e is done, and how it ended. Where the driver does not
// say, it is waited for: its memory would else be given to another command too early.
func (o *Opened) ended(e *cl.Event) (bool, error) {
	st, err := e.Status()
	if err == nil {
		return st <= cl.EventComplete, outcome(st)
	}
	if err = o.queue.Flush(); err == nil { // a wait for what nobody hands over would not end
		err = e.Wait()
	}
	return true, err
}
