package cl

import (
	"runtime"
	"strings"
	"sync"
	"time"

	"github.com/anycl/anycl/internal/cldriver"
)

// PoCL's threads let go of a command after who waits for it is told. Where everything else was
// released by then, the command's queue goes with it, with the queue the context and with the
// context a sub-device, whose functions are asked next to free the queue: in memory that is no
// longer theirs. A queue in a context of sub-devices is therefore released only when nothing but
// this package holds it, and the context after its queues.

// lateQueues are the closed queues of a context that commands hold.
type lateQueues struct {
	mu   sync.Mutex
	held []cldriver.Handle
}

// lateLimit is for how long a context waits for commands that still hold a queue.
const lateLimit = time.Second

// newLateQueues is nil for contexts whose queues may go at any time.
func newLateQueues(devices []*Device) *lateQueues {
	for _, d := range devices {
		if d.obj != nil && strings.Contains(d.platform.name, "Portable Computing Language") {
			return new(lateQueues)
		}
	}
	return nil
}

// alone reports whether nothing else refers to a queue.
func alone(lib *Library, queue cldriver.Handle) bool {
	const references = 0x1092
	n, st := query{lib, cldriver.QueryQueue, queue, 0}.uint(references)
	return st < 0 || n == 1 // who does not tell is taken as any driver
}

// freeQueue releases the queue, or leaves it to the context.
func (l *lateQueues) freeQueue(o *object) cldriver.Status {
	if alone(o.lib, o.h) {
		return o.lib.drv.Release(cldriver.KindQueue, o.h)
	}
	l.mu.Lock()
	l.held = append(l.held, o.h)
	l.mu.Unlock()
	c := o.lib.command(cldriver.OpFlush) // as a release does
	defer o.lib.recycle(c)
	c.Queue = o.h
	return o.lib.drv.Submit(c)
}

// freeContext releases the queues that were left, and the context. Commands that do not end
// keep their queue, and with it the context, for good.
func (l *lateQueues) freeContext(o *object) cldriver.Status {
	l.mu.Lock()
	defer l.mu.Unlock()
	var first cldriver.Status
	keep := func(st cldriver.Status) {
		if first >= 0 {
			first = st
		}
	}
	start := time.Now()
	for _, q := range l.held {
		for !alone(o.lib, q) && time.Since(start) < lateLimit {
			if time.Since(start) < time.Millisecond {
				runtime.Gosched()
			} else {
				time.Sleep(time.Millisecond)
			}
		}
		if alone(o.lib, q) {
			keep(o.lib.drv.Release(cldriver.KindQueue, q))
		} else {
			o.lib.log.Warn("cl: a queue is left to commands that have not ended")
		}
	}
	l.held = nil
	keep(o.lib.drv.Release(cldriver.KindContext, o.h))
	return first
}
