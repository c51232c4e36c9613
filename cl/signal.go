package cl

import "github.com/anycl/anycl/internal/cldriver"

// NewSignal makes an event that stands for one command after another: the methods with "Signal" in
// their name make it stand for theirs, which allocates nothing. Before the first of them it counts
// as complete, and after one that fails it stands for the same command as before.
//
// Between these methods and others on the same signal the caller keeps order.
func (c *Context) NewSignal() (*Event, error) {
	if c == nil {
		return nil, invalid("create signal", InvalidContext, "nil context")
	}
	if !c.obj.use() {
		return nil, closed("create signal", "context")
	}
	defer c.obj.done()
	o := c.obj.lib.newObject(kindEvent, 0, c.obj, nil)
	o.free = func(o *object) cldriver.Status { return o.lib.releaseEvent(o.h) }
	return guard(&Event{obj: o, ctx: c, signal: true}, o), nil
}

// releaseEvent gives a handle back; 0 is none.
func (l *Library) releaseEvent(h cldriver.Handle) cldriver.Status {
	if h == 0 {
		return cldriver.Success
	}
	c := l.command(cldriver.OpRelease)
	defer l.recycle(c)
	c.Event = h
	return l.drv.Submit(c)
}

// runSignal submits a command that e stands for from then on.
func (q *Queue) runSignal(c *cldriver.Command, wait []*Event, e *Event, objects ...*object) error {
	defer q.obj.lib.recycle(c)
	if err := hold(e.core(), c.Op); err != nil {
		return err
	}
	defer e.obj.done()
	if !e.signal {
		return invalid(c.Op.String(), InvalidEvent, "not a signal")
	}
	c.WantEvent = true
	if err := q.submit(c, wait, nil, objects...); err != nil {
		return err
	}
	before := e.obj.h
	e.obj.h = c.Event
	if st := e.obj.lib.releaseEvent(before); st < 0 {
		q.obj.lib.log.Warn("cl: release failed", "object", kindEvent.String(), "error", Status(st))
	}
	return nil
}

// WriteSignal starts the copy of src, which must lie outside Go's heap, as the
// bytes of a Mapping do, and stay as it is until e is complete.
func (q *Queue) WriteSignal(b *Buffer, offset int64, src []byte, wait []*Event, e *Event) error {
	c, err := q.transfer(cldriver.OpWrite, b, offset, src)
	if err != nil {
		return err
	}
	return q.runSignal(c, wait, e, b.core())
}

// ReadSignal starts the copy to dst, which must lie outside Go's heap, as the
// bytes of a Mapping do, and be left alone until e is complete.
func (q *Queue) ReadSignal(b *Buffer, offset int64, dst []byte, wait []*Event, e *Event) error {
	c, err := q.transfer(cldriver.OpRead, b, offset, dst)
	if err != nil {
		return err
	}
	return q.runSignal(c, wait, e, b.core())
}

// CopySignal is Copy with a signal.
func (q *Queue) CopySignal(src, dst *Buffer, srcOffset, dstOffset, size int64, wait []*Event, e *Event) error {
	c, err := q.copying(src, dst, srcOffset, dstOffset, size)
	if err != nil {
		return err
	}
	return q.runSignal(c, wait, e, src.core(), dst.core())
}

// MarkerSignal is Marker with a signal.
func (q *Queue) MarkerSignal(wait []*Event, e *Event) error {
	return q.runSignal(q.command(cldriver.OpMarker), wait, e)
}
