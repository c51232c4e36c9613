package cl

import (
	"sync/atomic"

	"github.com/anycl/anycl/internal/cldriver"
)

// progress counts the commands of a queue, so that the host knows without asking the driver whether
// any can still be at work. A command is begun before the driver gets it and landed when the
// driver has it: commands that have landed when a wait begins are over when that wait ends, and
// only then done.
type progress struct {
	begun, landed, done atomic.Uint64
}

// over raises done to n: waits may end in another order than they began.
func (p *progress) over(n uint64) {
	for {
		d := p.done.Load()
		if d >= n || p.done.CompareAndSwap(d, n) {
			return
		}
	}
}

// follow submits c and keeps count.
func (p *progress) follow(drv cldriver.Driver, c *cldriver.Command, inOrder bool) cldriver.Status {
	before := p.landed.Load()
	switch c.Op {
	case cldriver.OpFlush:
		return drv.Submit(c)
	case cldriver.OpFinish:
		st := drv.Submit(c)
		if st >= 0 {
			p.over(before)
		}
		return st
	}
	p.begun.Add(1)
	st := drv.Submit(c)
	p.landed.Add(1)
	if st >= 0 && inOrder && c.Blocking && c.Op != cldriver.OpMarker { // a marker stands for no bytes
		p.over(before + 1)
	}
	return st
}

// Idle reports whether everything that was ever enqueued through q is known to be
// done, because somebody has waited for it. It does not ask the driver: false may
// only mean that nobody has looked.
func (q *Queue) Idle() bool {
	d := q.progress.done.Load()
	return q.progress.begun.Load() == d
}
