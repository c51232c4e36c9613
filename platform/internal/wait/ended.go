package wait

import "github.com/anycl/anycl/cl"

// Outcome is the error of a command that failed.
func Outcome(st cl.EventStatus) error {
	if st < cl.EventComplete {
		return cl.Status(st)
	}
	return nil
}

// Ended reports whether the command of e is done, and how it ended. Where the driver does not say, it is waited for:
// its memory would else be given to another command too early. The commands in q are flushed first.
func Ended(q *cl.Queue, e *cl.Event) (bool, error) {
	st, err := e.Status()
	if err == nil {
		return st <= cl.EventComplete, Outcome(st)
	}
	if err = q.Flush(); err == nil { // a wait for commands that are not flushed would not end
		err = e.Wait()
	}
	return true, err
}
