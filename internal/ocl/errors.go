package ocl

import (
	"context"
	"errors"
	"fmt"

	"github.com/anycl/anycl/cl"
	"github.com/anycl/anycl/engine"
	"github.com/anycl/anycl/platform"
)

// TaskError is a task that a device could not compile or run. Its cause, as a
// *cl.BuildError or a cl.Status, is found with errors.As and errors.Is.
type TaskError struct {
	Device string
	Task   string // its description, as engine.Task.String
	Caller string // file:line of the op that gave the task its kind; may be empty
	Op     string // "plan", "build", "bind", "launch"
	Err    error
}

func (e *TaskError) Error() string {
	at := ""
	if e.Caller != "" {
		at = " (" + e.Caller + ")"
	}
	return fmt.Sprintf("ocl: %s: %s %s%s: %v", e.Device, e.Op, e.Task, at, e.Err)
}

func (e *TaskError) Unwrap() error { return e.Err }

// DeviceError is a device that failed while nothing was being submitted: it is
// noticed at the next wait. After names the task that was submitted last; the
// fault is in it or before it.
type DeviceError struct {
	Device string
	After  string
	Err    error
}

func (e *DeviceError) Error() string {
	if e.After == "" {
		return fmt.Sprintf("ocl: %s failed: %v", e.Device, e.Err)
	}
	return fmt.Sprintf("ocl: %s failed in %s or earlier: %v", e.Device, e.After, e.Err)
}

func (e *DeviceError) Unwrap() error { return e.Err }

// taskError is a *TaskError, or an *engine.KernelError for a caller's own kernel.
func taskError(device string, t *engine.Task, op string, err error) error {
	if t.Kind == engine.Custom && t.Custom != nil {
		return kernelError(device, t, op, err)
	}
	return &TaskError{Device: device, Task: t.String(), Caller: t.Caller, Op: op, Err: err}
}

// finish waits for all that was submitted to q.
func (e *Engine) finish(q *cl.Queue) error { return e.waited(e.dev.Finish(q)) }

// waited turns the error of a wait, a read or a write into one that callers of an engine expect.
func (e *Engine) waited(err error) error {
	switch {
	case err == nil, errors.Is(err, context.Canceled), errors.Is(err, context.DeadlineExceeded):
		return err
	case errors.Is(err, platform.ErrClosed):
		return engine.ErrClosed
	}
	if _, ok := errors.AsType[cl.Status](err); !ok {
		return err
	}
	d := &DeviceError{Device: e.facts.Name, Err: err}
	if t := e.last.Load(); t != nil {
		d.After = t.String()
	}
	return d
}
