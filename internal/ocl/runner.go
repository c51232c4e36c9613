package ocl

import (
	"context"
	"errors"
	"log/slog"

	"github.com/anycl/anycl/cl"
	"github.com/anycl/anycl/engine"
	"github.com/anycl/anycl/internal/ocl/facts"
	"github.com/anycl/anycl/platform"
)

// runner is one of the ways to run kernels that an engine has: the device's queue, or, with a driver for CPUs, the
// program's own threads; see hostPath.
type runner interface {
	// target is the device, with its facts, that tasks are planned and programs compiled for.
	target() *target
	// ranged is r as the driver is given it: errQueueOnly where that cannot be.
	ranged(r cl.Range) (cl.Range, error)
	// open makes the launcher of one sequence.
	open() (launcher, error)
}

// errQueueOnly is wrapped by the error of a runner that leaves a launch to the device's queue.
var errQueueOnly = errors.New("the device's queue must run it")

// launcher runs the commands of one sequence, for one goroutine at a time.
type launcher interface {
	// bind makes c, a launch of a task's, one of the runner's.
	bind(t *engine.Task, c *command) error
	// setOperand sets a pointer argument to an operand, and setMemory to memory of the sequence's own.
	setOperand(k *cl.Kernel, i int, m *memory) error
	setMemory(k *cl.Kernel, i int, m *platform.Memory) error
	// begin comes before the commands of a run, and end after them.
	begin(ctx context.Context) error
	submit(ctx context.Context, c *command, run uint32) error
	end() error
	// immediate reports whether commands are done when submit returns.
	immediate() bool
	// least is the smallest part of r for which the driver loads the same kernel.
	least(r cl.Range) cl.Range
	// queue is for commands that are not of a run.
	queue() *cl.Queue
	// backed puts bytes in the place of externally backed operands that have none, until release is called.
	backed() (release func())
	close() error
}

// target is the device, with its facts, that tasks are planned and programs compiled for.
type target struct {
	device   *cl.Device
	facts    *facts.Device
	programs interface {
		Program(ctx context.Context, name, source, options string) (*cl.Program, error)
	}
	// head is the source text before a program of own kernels, and customHead that before a caller's.
	head       string
	customHead func(dims, depth int) string
	mark       string // tells runners apart in fingerprints
	library    *library
	log        *slog.Logger
}

// queueRunner runs kernels in the opened device's queue.
type queueRunner struct {
	to  target
	eng *Engine
}

func (r *queueRunner) target() *target                      { return &r.to }
func (r *queueRunner) ranged(of cl.Range) (cl.Range, error) { return of, nil }
func (r *queueRunner) open() (launcher, error)              { return queueLauncher{r}, nil }

// queueLauncher is the device's queue, which all sequences share.
type queueLauncher struct{ *queueRunner }

func (l queueLauncher) bind(t *engine.Task, c *command) error {
	if h := l.eng.host; h != nil {
		h.noteQueued(t, c.key)
	}
	return nil
}

func (l queueLauncher) setOperand(k *cl.Kernel, i int, m *memory) error {
	pm, err := m.pinned()
	if err != nil {
		return err
	}
	return l.setMemory(k, i, pm)
}

func (l queueLauncher) setMemory(k *cl.Kernel, i int, m *platform.Memory) error {
	return k.SetBuffer(i, m.Buffer())
}

func (l queueLauncher) begin(context.Context) error { return nil }

func (l queueLauncher) submit(_ context.Context, c *command, run uint32) error {
	return c.submit(l.queue(), run)
}

func (l queueLauncher) end() error                { return l.queue().Flush() }
func (l queueLauncher) immediate() bool           { return false }
func (l queueLauncher) least(r cl.Range) cl.Range { return r } // kernels are compiled for a width
func (l queueLauncher) queue() *cl.Queue          { return l.eng.dev.Queue() }
func (l queueLauncher) backed() func()            { return func() {} }
func (l queueLauncher) close() error              { return nil }
