package clfault

import (
	"slices"
	"strings"
	"sync"

	"github.com/anycl/anycl/cl"
	"github.com/anycl/anycl/internal/cldriver"
)

// Late makes a command fail after it was accepted, as devices do: enqueueing it succeeds, its
// event ends with the status, and so does the next call that waits for its queue. It is safe for
// concurrent use; its zero value lets everything pass.
type Late struct {
	mu     sync.Mutex
	match  string
	at     int
	seen   int
	status cldriver.Status

	broken bool // a queue has yet to tell
	queue  cldriver.Handle
	event  cldriver.Handle // of the command, 0: none
	told   int
}

// Wrap is for cl.Options.Wrap.
func (l *Late) Wrap(d cldriver.Driver) cldriver.Driver { return &lateDriver{d, l} }

// FailAt makes the n-th command from now on whose name contains match, counted from 1, fail
// with the status when its turn has come. It is done nevertheless. Calls that wait for their
// command do not count.
func (l *Late) FailAt(n int, status cl.Status, match string) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.match, l.at, l.seen, l.status = match, n, 0, cldriver.Status(status)
	l.broken, l.queue, l.event, l.told = false, 0, 0, 0
}

// Off lets everything pass again.
func (l *Late) Off() { l.FailAt(0, 0, "") }

// Told returns how many calls have returned the status, in one way or another.
func (l *Late) Told() int {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.told
}

// Seen returns how many commands had such a name.
func (l *Late) Seen() int {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.seen
}

type lateDriver struct {
	cldriver.Driver
	late *Late
}

// waitFailed is CL_EXEC_STATUS_ERROR_FOR_EVENTS_IN_WAIT_LIST.
const waitFailed cldriver.Status = -14

func (d *lateDriver) Submit(c *cldriver.Command) cldriver.Status {
	st := d.Driver.Submit(c)
	if st < 0 {
		return st
	}
	l := d.late
	l.mu.Lock()
	defer l.mu.Unlock()
	switch c.Op {
	case cldriver.OpWait:
		if l.event != 0 && slices.Contains(c.Wait, l.event) {
			l.told++
			l.broken = false
			return waitFailed
		}
	case cldriver.OpStatus:
		if l.event != 0 && c.Event == l.event && c.State <= 0 {
			l.told++
			l.broken = false
			c.State = int32(l.status)
		}
	case cldriver.OpRelease:
		if c.Event == l.event {
			l.event = 0
		}
	case cldriver.OpFinish:
		return l.tell(c, st)
	case cldriver.OpFlush, cldriver.OpSetArg, cldriver.OpSetArgSVM:
	default:
		if c.Blocking {
			return l.tell(c, st)
		}
		if l.at > 0 && strings.Contains(c.Op.String(), l.match) {
			if l.seen++; l.seen == l.at {
				l.broken, l.queue, l.event = true, c.Queue, 0
				if c.WantEvent {
					l.event = c.Event
				}
			}
		}
	}
	return st
}

// tell is the status of a call that has waited for its queue.
func (l *Late) tell(c *cldriver.Command, st cldriver.Status) cldriver.Status {
	if !l.broken || c.Queue != l.queue {
		return st
	}
	l.broken = false
	l.told++
	return l.status
}

func (d *lateDriver) Release(k cldriver.Kind, h cldriver.Handle) cldriver.Status {
	d.late.mu.Lock()
	if k == cldriver.KindEvent && h == d.late.event {
		d.late.event = 0
	}
	d.late.mu.Unlock()
	return d.Driver.Release(k, h)
}
