package cl

import (
	"log/slog"
	"sync"
	"sync/atomic"
	"time"

	"github.com/anycl/anycl/internal/cldriver"
)

// Library is a loaded OpenCL library. Its methods are safe for concurrent use.
type Library struct {
	drv    cldriver.Driver
	log    *slog.Logger
	closed atomic.Bool
	live   [kindCount]atomic.Int64

	mu        sync.Mutex
	platforms []*Platform
	free      []*cldriver.Command // the free list of pinned commands

	lost      []*object // collected without Close, to be released by the next call
	lostCount atomic.Int32
}

// Path is the name under which the library was loaded.
func (l *Library) Path() string { return l.drv.Name() }

// Close releases the objects that the garbage collector has found and refuses new contexts. The
// library itself stays loaded, because drivers own threads that outlive their last object; objects
// that still live keep working. Calling it again does nothing.
func (l *Library) Close() error {
	l.drain()
	l.closed.Store(true)
	return nil
}

// command takes a command from the free list. As every call passes here, it is
// also where lost objects are released.
func (l *Library) command(op cldriver.Op) *cldriver.Command {
	l.drain()
	l.mu.Lock()
	var c *cldriver.Command
	if n := len(l.free); n > 0 {
		c = l.free[n-1]
		l.free = l.free[:n-1]
	}
	l.mu.Unlock()
	if c == nil {
		c = cldriver.NewCommand()
	}
	c.Reset(op)
	return c
}

func (l *Library) recycle(c *cldriver.Command) {
	c.Ptr, c.Ptr2 = nil, nil // do not keep the caller's memory alive
	l.mu.Lock()
	l.free = append(l.free, c)
	l.mu.Unlock()
}

func (l *Library) abandon(o *object) {
	l.mu.Lock()
	l.lost = append(l.lost, o)
	l.mu.Unlock()
	l.lostCount.Add(1)
}

// drain releases the lost objects. It costs one load when there are none.
func (l *Library) drain() {
	if l.lostCount.Load() == 0 {
		return
	}
	l.mu.Lock()
	lost := l.lost
	l.lost = nil
	l.mu.Unlock()
	l.lostCount.Add(-int32(len(lost)))
	for _, o := range lost {
		if o.isClosed() {
			continue
		}
		if !o.left.Load() {
			l.log.Warn("cl: object collected without Close", "object", o.kind.String())
		}
		if err := o.close(); err != nil {
			l.log.Warn("cl: release failed", "object", o.kind.String(), "error", err)
		}
	}
}

func logCalls(log *slog.Logger) cldriver.Hook {
	return func(call string, do func() cldriver.Status) cldriver.Status {
		start := time.Now()
		st := do()
		log.Debug("cl: call", "op", call, "status", Status(st).String(), "took", time.Since(start))
		return st
	}
}
