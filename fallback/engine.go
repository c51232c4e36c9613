package fallback

import (
	"context"
	"runtime"
	"sync/atomic"

	"github.com/anycl/anycl/engine"
	"github.com/anycl/anycl/fallback/internal/check"
	"github.com/anycl/anycl/fallback/internal/work"
	"github.com/anycl/anycl/internal/procs"
)

// Options say how an [Engine] works. The zero value and nil are right for most.
type Options struct {
	// Workers is the number of goroutines that a task may use, the caller's
	// among them; 0 means all that Go uses. Results do not depend on it.
	Workers int
	// BlockBytes is the memory that the registers of one program share; 0
	// means 32 KiB, about the first-level cache of a core. Sums of floats
	// may change in their last bits with it.
	BlockBytes int
}

// Engine is the CPU path. It is safe for concurrent use; a task that runs
// while another one has the helping goroutines runs on its caller's alone.
//
// Work is done when the call that submitted it returns, so Wait and Read wait
// for nothing.
type Engine struct {
	workers int
	block   int
	limits  work.Limits
	pool    *work.Pool
	traits  engine.Traits
	closed  atomic.Bool

	memories, bytes, sequences, launches atomic.Int64
}

var (
	_ engine.Engine     = (*Engine)(nil)
	_ engine.HostMemory = (*Engine)(nil)
)

// New returns an engine. It starts no goroutine before the first task that is
// worth one.
func New(o *Options) *Engine {
	if o == nil {
		o = &Options{}
	}
	e := &Engine{workers: o.Workers, block: o.BlockBytes, limits: work.Defaults}
	if e.workers <= 0 {
		e.workers = procs.Count()
	}
	if e.block <= 0 {
		e.block = 32 << 10
	}
	e.pool = work.NewPool(e.workers)
	e.traits = engine.Traits{Hosted: true, Cores: e.cores, Peaks: e.peaks}
	runtime.AddCleanup(e, (*work.Pool).Close, e.pool) // for an engine that nobody closed
	return e
}

// Name is "cpu".
func (e *Engine) Name() string { return "cpu" }

// Traits says that it works in the host's memory, on the host's processors.
func (e *Engine) Traits() engine.Traits { return e.traits }

// Check says why the engine cannot run t: a task whose parts do not fit
// together, a scalar function without Host, a custom kernel without its function in Go.
func (e *Engine) Check(t *engine.Task) error { return check.Task(t) }

// Write copies src to dst.
func (e *Engine) Write(ctx context.Context, dst engine.Memory, offset int64, src []byte) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	to, err := e.at(dst, offset, int64(len(src)))
	if err == nil {
		copy(to, src)
	}
	return err
}

// Read copies from src.
func (e *Engine) Read(ctx context.Context, dst []byte, src engine.Memory, offset int64) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	from, err := e.at(src, offset, int64(len(dst)))
	if err == nil {
		copy(dst, from)
	}
	return err
}

// Wait reports whether the engine is open and ctx alive: all work is done.
func (e *Engine) Wait(ctx context.Context) error {
	if e.closed.Load() {
		return engine.ErrClosed
	}
	return ctx.Err()
}

// Stats counts the objects that are alive.
func (e *Engine) Stats() engine.Stats {
	return engine.Stats{
		Memories:  int(e.memories.Load()),
		Bytes:     e.bytes.Load(),
		Sequences: int(e.sequences.Load()),
		Launches:  e.launches.Load(),
	}
}

// Close ends the goroutines, after the task at work. Whatever is still bound
// to the engine fails with engine.ErrClosed from then on.
func (e *Engine) Close() error {
	if !e.closed.Swap(true) {
		e.pool.Close()
	}
	return nil
}
