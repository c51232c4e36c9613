package cl

import (
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/anycl/anycl/internal/cldriver"
)

// PoCL's threads release a command after its waiters are told. Where everything else was
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

// freeQueue releases the queue, or leaves it to the next one and to the context.
func (l *lateQueues) freeQueue(o *object) cldriver.Status {
	c := o.lib.command(cldriver.OpFlush) // as a release does
	c.Queue = o.h
	st := o.lib.drv.Submit(c)
	o.lib.recycle(c)
	l.mu.Lock()
	defer l.mu.Unlock()
	l.held = append(l.held, o.h)
	return min(st, l.sweep(o.lib))
}

// sweep releases the queues that nothing else refers to.
func (l *lateQueues) sweep(lib *Library) (failed cldriver.Status) {
	const references = 0x1092
	l.held = slices.DeleteFunc(l.held, func(q cldriver.Handle) bool {
		n, st := query{lib, cldriver.QueryQueue, q, 0}.uint(references)
		if st >= 0 && n > 1 { // who does not tell is taken as any driver
			return false
		}
		failed = min(failed, lib.drv.Release(cldriver.KindQueue, q))
		return true
	})
	return failed
}

// freeContext releases the queues that were left, and the context. Commands that do not end
// keep their queue, and with it the context, for good.
func (l *lateQueues) freeContext(o *object) cldriver.Status {
	st := l.sweep(o.lib)
	for end := time.Now().Add(lateLimit); len(l.held) > 0 && time.Now().Before(end); {
		time.Sleep(50 * time.Microsecond)
		st = min(st, l.sweep(o.lib))
	}
	if len(l.held) > 0 {
		o.lib.log.Warn("cl: queues are left to commands that have not ended", "queues", len(l.held))
	}
	return min(st, o.lib.drv.Release(cldriver.KindContext, o.h))
}
