package cl

import (
	"fmt"

	"github.com/anycl/anycl/internal/cldriver"
)

// QueueOptions configure a queue. The zero value is an in-order queue without
// profiling.
type QueueOptions struct {
	OutOfOrder bool // commands start when their wait lists allow
	Profiling  bool // Event.Profile works
}

// Queue takes commands for one device. It is safe for concurrent use.
//
// Methods without "Event" in their name return no event and do not allocate. Of
// these the transfers between host and device block until they are done; all
// others return at once. The methods that return an Event do not block.
//
// A wait list names events of the same context that must be complete first; nil
// is an empty list. Commands of size zero succeed and do nothing but wait.
type Queue struct {
	obj      *object
	ctx      *Context
	dev      *Device
	opts     QueueOptions
	progress *progress
}

func (q *Queue) core() *object {
	if q == nil {
		return nil
	}
	return q.obj
}

// NewQueue makes a command queue on one of the context's devices. Errors:
// InvalidQueueProperties where the device has no out-of-order queues.
func (c *Context) NewQueue(d *Device, opts QueueOptions) (*Queue, error) {
	if c != nil && !c.has(d) {
		return nil, invalid("create queue", InvalidDevice, "the device is not in the context")
	}
	var props QueueProperties
	if opts.OutOfOrder {
		props |= QueueOutOfOrder
	}
	if opts.Profiling {
		props |= QueueProfiling
	}
	o, err := c.create(kindQueue, fmt.Sprintf("%+v", opts), func(drv cldriver.Driver, ctx cldriver.Handle) (cldriver.Handle, cldriver.Status) {
		return drv.NewQueue(ctx, d.h, uint64(props))
	})
	if err != nil {
		return nil, err
	}
	if c.late != nil {
		o.free = c.late.freeQueue
	}
	return guard(&Queue{obj: o, ctx: c, dev: d, opts: opts, progress: new(progress)}, o), nil
}

// Context returns the queue's context.
func (q *Queue) Context() *Context { return q.ctx }

// Device returns the queue's device.
func (q *Queue) Device() *Device { return q.dev }

// Options returns the options that the queue was made with.
func (q *Queue) Options() QueueOptions { return q.opts }

// Close releases the queue. Commands already enqueued still run.
func (q *Queue) Close() error {
	if q == nil {
		return nil
	}
	return q.obj.close()
}

func (q *Queue) command(op cldriver.Op) *cldriver.Command {
	c := q.obj.lib.command(op)
	c.Queue = q.obj.h
	return c
}

// run submits a command that returns no event.
func (q *Queue) run(c *cldriver.Command, wait []*Event, objects ...*object) error {
	err := q.submit(c, wait, nil, objects...)
	q.obj.lib.recycle(c)
	return err
}

// runEvent submits a command and returns its event, which keeps the host memory
// that the command uses. The queue is held until the event holds the context.
func (q *Queue) runEvent(c *cldriver.Command, wait []*Event, host []byte, args []holder, objects ...*object) (*Event, error) {
	defer q.obj.lib.recycle(c)
	if err := hold(q.obj, c.Op); err != nil {
		return nil, err
	}
	defer q.obj.done()
	c.WantEvent = true
	if err := q.submit(c, wait, args, objects...); err != nil {
		return nil, err
	}
	return q.ctx.newEvent(c.Event, host), nil
}

// submit holds everything that the command names for the length of the call, so that a concurrent
// Close cannot pull a handle from under the driver. After that OpenCL itself keeps the objects of
// enqueued commands.
func (q *Queue) submit(c *cldriver.Command, wait []*Event, args []holder, objects ...*object) error {
	if !q.obj.use() {
		return closed(c.Op.String(), "queue")
	}
	defer q.obj.done()
	for i, o := range objects {
		if err := hold(o, c.Op); err != nil {
			letGo(objects[:i])
			return err
		}
	}
	defer letGo(objects)
	for i, a := range args {
		if a == nil {
			continue
		}
		if err := hold(a.core(), c.Op); err != nil {
			letGoArgs(args[:i])
			return fmt.Errorf("%w (argument %d)", err, i)
		}
	}
	defer letGoArgs(args)
	for i, e := range wait {
		if err := hold(e.core(), c.Op); err != nil {
			letGoEvents(wait[:i])
			return fmt.Errorf("%w (wait list entry %d)", err, i)
		}
		if e.obj.h != 0 {
			c.Wait = append(c.Wait, e.obj.h)
		}
	}
	defer letGoEvents(wait)
	if st := q.progress.follow(q.obj.lib.drv, c, !q.opts.OutOfOrder); st < 0 {
		return check(st, c.Op.String(), "")
	}
	return nil
}

func hold(o *object, op cldriver.Op) error {
	if o == nil {
		return invalid(op.String(), InvalidValue, "nil object")
	}
	if !o.use() {
		return closed(op.String(), o.kind.String())
	}
	return nil
}

func letGo(objects []*object) {
	for _, o := range objects {
		o.done()
	}
}

func letGoArgs(args []holder) {
	for _, a := range args {
		if a != nil {
			a.core().done()
		}
	}
}

func letGoEvents(events []*Event) {
	for _, e := range events {
		e.obj.done()
	}
}

// detail adds the description of the command to a failure.
func detail(err error, format string, args ...any) error {
	if e, ok := err.(*Error); ok && e.Detail == "" {
		e.Detail = fmt.Sprintf(format, args...)
	}
	return err
}
