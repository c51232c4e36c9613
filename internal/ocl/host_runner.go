package ocl

import (
	"context"
	"errors"
	"fmt"
	"time"
	"unsafe"

	"github.com/anycl/anycl/cl"
	"github.com/anycl/anycl/engine"
	"github.com/anycl/anycl/internal/ocl/hostrun"
	"github.com/anycl/anycl/platform"
	"github.com/anycl/anycl/tensor"
)

// hostRunner runs kernels on the inline device of a device: on the thread that runs the sequence, alone or with the worker
// pool. Kernels there take addresses, and are done when a run returns, so that they can read feeds where the caller has
// them, and write results where the caller wants them.
type hostRunner struct {
	host   *hostPath
	to     target
	inline *platform.InlineDevice
	pool   *hostrun.Pool // nil: the calling thread is alone
}

func (r *hostRunner) target() *target { return &r.to }

func (r *hostRunner) ranged(of cl.Range) (cl.Range, error) {
	parts, _, err := r.parts(of)
	return parts, err
}

// parts is a range as the inline device is given it, and its groups.
func (r *hostRunner) parts(of cl.Range) (parts cl.Range, groups int, err error) {
	if parts, groups, err = hostrun.PartRange(of); errors.Is(err, hostrun.ErrIndivisible) {
		err = fmt.Errorf("%w: %w", errQueueOnly, err)
	}
	return parts, groups, err
}

// aliases reports whether kernels take memory that is bound for a run.
func (r *hostRunner) aliases() bool { return r.inline.Addresses() }

// open makes queues of the sequence's own, one for each thread: a queue of the inline device takes the commands of one
// goroutine.
func (r *hostRunner) open() (launcher, error) {
	width := 1
	if r.pool != nil {
		width = r.pool.Width()
	}
	l := &hostLauncher{hostRunner: r}
	for range width {
		q, err := r.inline.NewQueue(cl.QueueOptions{})
		if err != nil {
			return nil, errors.Join(err, l.close())
		}
		l.queues = append(l.queues, q)
	}
	return l, nil
}

// hostLauncher runs one sequence.
type hostLauncher struct {
	*hostRunner
	queues   []*cl.Queue // of each thread
	launches []*hostrun.Launch
	rebinds  []rebindable
	yields   hostrun.Yield // of the goroutines that run the sequence
	run      hostrun.Run   // that goes on
}

// rebindable is an externally backed memory, and the arguments that it is.
type rebindable struct {
	mem  *memory
	set  argumentState
	at   uintptr // the address of the bytes bound last, relative to origin
	args []argument
}

type argument struct {
	kernel *cl.Kernel
	index  int
}

// argumentState is the memory that the arguments of a rebindable memory are set to.
type argumentState int8

const (
	setToNothing argumentState = iota
	setToOwn                   // the memory's own
	setToBound
)

// origin is the place to which other addresses are relative: a relative address keeps no memory alive.
var origin byte

func (l *hostLauncher) bind(t *engine.Task, c *command) (err error) {
	solo := time.Duration(0)
	if t.Kind != engine.Custom { // the time of a caller's own kernel is measured when it runs, as is one that is predicted too long
		solo = l.host.eng.rates().onCore(t, t.Cost()).all
	} else if err := l.group(c); err != nil {
		return err
	}
	rng, groups, err := l.parts(c.rng)
	if err != nil {
		return err
	}
	c.rng, c.key = rng, c.key.over(rng)
	launch := hostrun.NewLaunch(c.kernel, rng, groups, solo)
	launch.RunArg, c.number = c.run, len(l.launches)
	l.launches = append(l.launches, launch)
	return nil
}

// group leaves a caller's own kernel to the queue whose work-group is wrong.
func (l *hostLauncher) group(c *command) error {
	for r, d := c.rng, 0; d < r.Dims; d++ {
		if r.Local[d] < 1 || r.Global[d]%r.Local[d] != 0 {
			return errQueueOnly // the driver says what is wrong
		}
	}
	return nil
}

// setOperand makes argument i of k the memory m, or the bytes bound in its place when the sequence runs.
func (l *hostLauncher) setOperand(k *cl.Kernel, i int, m *memory) error {
	if m.outer == nil || !l.aliases() {
		pm, err := m.pinned()
		if err != nil {
			return err
		}
		return l.setMemory(k, i, pm)
	}
	for j := range l.rebinds {
		if r := &l.rebinds[j]; r.mem == m {
			r.args = append(r.args, argument{k, i})
			return nil
		}
	}
	l.rebinds = append(l.rebinds, rebindable{mem: m, args: []argument{{k, i}}})
	return nil
}

func (l *hostLauncher) setMemory(k *cl.Kernel, i int, m *platform.Memory) error {
	return l.inline.SetMemory(k, i, m)
}

// begin waits for the device's submitted work, for which an inline device does not wait by itself, and sets the arguments
// that are other memory than in the run before.
func (l *hostLauncher) begin(ctx context.Context) error {
	if e := l.host.eng; !e.Idle() {
		if err := e.Wait(ctx); err != nil {
			return err
		}
	}
	for i := range l.rebinds {
		if err := l.rebind(&l.rebinds[i]); err != nil {
			return err
		}
	}
	l.run = hostrun.Begin(l.host.workers(), l.pool, l.queues, &l.yields)
	return nil
}

// rebind sets arguments to the bound bytes, or to the memory's own.
func (l *hostLauncher) rebind(r *rebindable) error {
	if r.mem.Bound() {
		b := r.mem.outer.bytes
		at := uintptr(unsafe.Pointer(unsafe.SliceData(b))) - uintptr(unsafe.Pointer(&origin))
		if r.set == setToBound && r.at == at {
			return nil
		}
		r.at = at
		return r.all(setToBound, func(k *cl.Kernel, i int) error { return l.inline.SetHost(k, i, b) })
	}
	if r.set == setToOwn {
		return nil
	}
	pm, err := r.mem.allocated()
	if err != nil {
		return err
	}
	return r.all(setToOwn, func(k *cl.Kernel, i int) error { return l.setMemory(k, i, pm) })
}

// all calls f for each argument, to bring it into the state what. If that fails, the states of the arguments are unknown.
func (r *rebindable) all(what argumentState, f func(k *cl.Kernel, i int) error) error {
	r.set = setToNothing
	for _, a := range r.args {
		if err := f(a.kernel, a.index); err != nil {
			return err
		}
	}
	r.set = what
	return nil
}

func (l *hostLauncher) submit(ctx context.Context, c *command, run uint32) error {
	if c.kernel != nil {
		return l.run.Do(ctx, l.launches[c.number], run)
	}
	return errors.Join(c.submit(l.queue(), run), l.queue().Finish()) // a copy
}

func (l *hostLauncher) end() error {
	l.run.End()
	return nil
}

func (l *hostLauncher) immediate() bool           { return true }
func (l *hostLauncher) least(r cl.Range) cl.Range { return hostrun.OneGroup(r) }
func (l *hostLauncher) queue() *cl.Queue          { return l.queues[0] }

func (l *hostLauncher) backed() (release func()) {
	var bound []*memory
	for i := range l.rebinds {
		if m := l.rebinds[i].mem; !m.Bound() && m.Bind(tensor.AlignedBytes(int(m.Bytes()))) {
			bound = append(bound, m)
		}
	}
	return func() {
		for _, m := range bound {
			m.Release()
		}
	}
}

func (l *hostLauncher) close() (err error) {
	for _, q := range l.queues {
		err = errors.Join(err, q.Finish(), q.Close())
	}
	l.queues = nil
	return err
}
