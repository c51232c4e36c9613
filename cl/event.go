package cl

import (
	"runtime"
	"time"
	"unsafe"

	"github.com/anycl/anycl/internal/cldriver"
)

// Event is a command in flight, or a user event that the host completes. It is
// safe for concurrent use. Close it when nobody needs it any more; closing does
// not wait, except for an event of a transfer to or from host memory.
type Event struct {
	obj    *object
	ctx    *Context
	user   bool
	signal bool // stands for one command after another
}

func (e *Event) core() *object {
	if e == nil {
		return nil
	}
	return e.obj
}

// EventStatus is how far a command has come. Negative values are the Status with
// which it failed.
type EventStatus int32

// States of a command.
const (
	EventComplete  EventStatus = 0
	EventRunning   EventStatus = 1
	EventSubmitted EventStatus = 2
	EventQueued    EventStatus = 3
)

// newEvent wraps an event handle. Host memory that the command uses is pinned
// until the command is done, whatever happens to the caller's slice.
func (c *Context) newEvent(h cldriver.Handle, host []byte) *Event {
	o := c.obj.lib.newObject(kindEvent, h, c.obj, nil)
	if len(host) > 0 {
		held := pin(host)
		o.free = func(o *object) cldriver.Status {
			waited := o.await()
			held.pinner.Unpin()
			released := o.lib.drv.Release(cldriver.KindEvent, o.h)
			// Wait reports a failure of the command itself.
			if waited < 0 && Status(waited) != ExecStatusErrorForEventsInWaitList {
				return waited
			}
			return released
		}
	}
	return guard(&Event{obj: o, ctx: c}, o)
}

// pinned is host memory in the hands of a command in flight.
type pinned struct {
	pinner runtime.Pinner
	host   []byte
}

// pin also pins the holder: if it were lost with the whole library before the
// command is done, the runtime would panic about a leaked pin, and rightly so.
func pin(host []byte) *pinned {
	p := &pinned{host: host}
	p.pinner.Pin(p)
	p.pinner.Pin(unsafe.SliceData(host))
	return p
}

// await blocks until the event of o is done, failed or not.
func (o *object) await() cldriver.Status {
	c := o.lib.command(cldriver.OpWait)
	c.Wait = append(c.Wait, o.h)
	st := o.lib.drv.Submit(c)
	o.lib.recycle(c)
	return st
}

// NewUserEvent makes an event that completes when SetStatus says so.
func (c *Context) NewUserEvent() (*Event, error) {
	o, err := c.create(kindEvent, "user", func(drv cldriver.Driver, ctx cldriver.Handle) (cldriver.Handle, cldriver.Status) {
		return drv.NewUserEvent(ctx)
	})
	if err != nil {
		return nil, err
	}
	return guard(&Event{obj: o, ctx: c, user: true}, o), nil
}

// SetStatus completes a user event: nil for success, or a Status, or an error
// that wraps one, with which everything that waits for it fails. It can be done
// once.
func (e *Event) SetStatus(failure error) error {
	const op = "set user event status"
	if err := hold(e.core(), cldriver.OpNone); err != nil {
		return err
	}
	defer e.obj.done()
	if !e.user {
		return invalid(op, InvalidEvent, "not a user event")
	}
	return check(e.obj.lib.drv.SetUserEventStatus(e.obj.h, int32(statusOf(failure))), op, "")
}

// Wait blocks until the command is done. A command that failed returns its Status
// as an error.
func (e *Event) Wait() error { return WaitAll(e) }

// WaitAll blocks until all the events, which must be of one context, are done.
func WaitAll(events ...*Event) error {
	if len(events) == 0 {
		return nil
	}
	for i, e := range events {
		if err := hold(e.core(), cldriver.OpWait); err != nil {
			letGoEvents(events[:i])
			return err
		}
	}
	defer letGoEvents(events)
	lib := events[0].obj.lib
	c := lib.command(cldriver.OpWait)
	for _, e := range events {
		if e.obj.h != 0 {
			c.Wait = append(c.Wait, e.obj.h)
		}
	}
	st := cldriver.Success
	if len(c.Wait) > 0 {
		st = lib.drv.Submit(c)
	}
	lib.recycle(c)
	if st >= 0 {
		return nil
	}
	if Status(st) == ExecStatusErrorForEventsInWaitList {
		// The waiters' code hides the command's own, which says more.
		for _, e := range events {
			if s, err := e.Status(); err == nil && s < 0 {
				return &Error{Op: "wait", Detail: "the command failed", Status: Status(s)}
			}
		}
	}
	return check(st, "wait", "")
}

// Status returns how far the command has come.
func (e *Event) Status() (EventStatus, error) {
	const op = "event status"
	if err := hold(e.core(), cldriver.OpNone); err != nil {
		return 0, err
	}
	defer e.obj.done()
	if e.obj.h == 0 {
		return EventComplete, nil
	}
	c := e.obj.lib.command(cldriver.OpStatus)
	defer e.obj.lib.recycle(c)
	c.Event = e.obj.h
	st := e.obj.lib.drv.Submit(c)
	return EventStatus(c.State), check(st, op, "")
}

// Profile holds a command's times on the device's own clock, in nanoseconds.
type Profile struct {
	Queued, Submitted, Started, Ended uint64
}

// Elapsed is the time that the command ran.
func (p Profile) Elapsed() time.Duration { return time.Duration(p.Ended - p.Started) }

// Profile returns the command's times once it is done. The queue must have been
// made with Profiling, else ProfilingInfoNotAvailable. All zero is normal: some
// drivers take the option and do not measure.
func (e *Event) Profile() (Profile, error) {
	var p Profile
	if err := hold(e.core(), cldriver.OpNone); err != nil {
		return p, err
	}
	defer e.obj.done()
	q := query{e.obj.lib, cldriver.QueryEventProfiling, e.obj.h, 0}
	for i, t := range []*uint64{&p.Queued, &p.Submitted, &p.Started, &p.Ended} {
		v, st := q.uint(0x1280 + uint32(i))
		if err := check(st, "event profile", ""); err != nil {
			return Profile{}, err
		}
		*t = v
	}
	return p, nil
}

// Close releases the event.
func (e *Event) Close() error {
	if e == nil {
		return nil
	}
	return e.obj.close()
}
