package ocl

import (
	"context"
	"errors"
	"fmt"
	"sync/atomic"

	"github.com/anycl/anycl/cl"
	"github.com/anycl/anycl/engine"
	"github.com/anycl/anycl/internal/ocl/codegen"
	"github.com/anycl/anycl/internal/ocl/variant"
	"github.com/anycl/anycl/platform"
)

var _ engine.Sequence = (*sequence)(nil)

// sequence is a list of tasks with everything that can be done beforehand done.
type sequence struct {
	eng     *Engine
	tasks   []readyTask
	kernels []*cl.Kernel
	subs    []*cl.Buffer
	scratch []*platform.Memory // by number in the plans, for all tasks
	tables  []*platform.Memory // of arguments, and copies for custom kernels
	used    []*memory          // of the slots
	closed  atomic.Bool

	runner   runner
	launcher launcher // nil before it is opened
}

// readyTask is a task of a sequence.
type readyTask struct {
	task     *engine.Task
	like     *engine.Task // the first task of the sequence that it is alike to
	outs     []engine.Slot
	plan     *variant.Plan
	keys     []codegen.Key // of the programs of the plan's launches
	programs []built       // the same, built
	steps    []command
	kept     []*platform.Memory // of the plan, the task's own
	current  bool               // the kept values are those of the present steady inputs
}

// command is one command: a launch, or a copy.
type command struct {
	name   string // for people
	kernel *cl.Kernel
	rng    cl.Range
	key    launchKey
	run    int // the argument that takes the number of the run, or -1
	copy   *copying
	check  *checked // a launch of an own kernel in the checked mode
	once   bool     // needless while the kept values are current
	number int      // that the launcher has given it
}

// copying moves a custom kernel's operand to where the kernel can have it, or back.
type copying struct {
	in            bool
	whole, part   *cl.Buffer
	offset, bytes int64
}

// Run submits tasks [from, to) in order and does not wait.
func (s *sequence) Run(ctx context.Context, from, to int, run uint32) error {
	if err := s.ready(ctx, from, to); err != nil {
		return err
	}
	return s.submit(ctx, from, to, run, nil)
}

// submit is Run with done, if it is not nil, after each command.
func (s *sequence) submit(ctx context.Context, from, to int, run uint32, done func(task int, c *command) error) error {
	if err := s.launcher.begin(ctx); err != nil {
		return err
	}
	if from == to {
		return s.launcher.end()
	}
	for i := from; i < to; i++ {
		p := &s.tasks[i]
		for j := range p.steps {
			if p.skips(j) {
				continue
			}
			if err := s.launcher.submit(ctx, &p.steps[j], run); err != nil {
				_ = s.launcher.end() // the first error is returned
				return s.failed(p, err)
			}
			if done == nil {
				continue
			}
			if err := done(i, &p.steps[j]); err != nil {
				return errors.Join(err, s.launcher.end())
			}
		}
		p.current = true
	}
	s.eng.last.Store(s.tasks[to-1].task)
	s.eng.launches.Add(int64(to - from))
	if err := s.launcher.end(); err != nil {
		return s.failed(&s.tasks[to-1], err)
	}
	return nil
}

// ready checks that tasks [from, to) can be submitted.
func (s *sequence) ready(ctx context.Context, from, to int) error {
	if err := s.usable(); err != nil {
		return err
	}
	if from < 0 || to > len(s.tasks) || from > to {
		return fmt.Errorf("ocl: run of tasks [%d, %d) of %d", from, to, len(s.tasks))
	}
	return ctx.Err()
}

// skips reports whether step j only makes kept values that are still current.
func (p *readyTask) skips(j int) bool { return p.current && p.steps[j].once }

// Changed makes the next run compute the values kept of steady inputs again.
func (s *sequence) Changed() {
	for i := range s.tasks {
		s.tasks[i].current = false
	}
}

func (s *sequence) failed(p *readyTask, err error) error {
	if errors.Is(err, cl.ErrClosed) {
		return engine.ErrClosed
	}
	return taskError(s.eng.facts.Name, p.task, "launch", err)
}

// usable tells a sequence that can run from one whose memory, engine or own
// state is closed: closed memory may belong to somebody else by now.
func (s *sequence) usable() error {
	if s.closed.Load() || s.eng.isClosed() {
		return engine.ErrClosed
	}
	for _, m := range s.used {
		if m.closed.Load() {
			return engine.ErrClosed
		}
	}
	return nil
}

func (t *command) submit(q *cl.Queue, run uint32) error {
	if t.check != nil {
		return t.check.submit(q, run)
	}
	if c := t.copy; c != nil {
		if c.in {
			return q.Copy(c.whole, c.part, c.offset, 0, c.bytes, nil)
		}
		return q.Copy(c.part, c.whole, 0, c.offset, c.bytes, nil)
	}
	if t.run >= 0 {
		if err := t.kernel.SetUint32(t.run, run); err != nil {
			return err
		}
	}
	return q.Launch(t.kernel, t.rng, nil)
}

// Describe says how task i is executed.
func (s *sequence) Describe(i int) engine.Plan { return s.tasks[i].plan.Describe() }

// Traits says how the sequence runs.
func (s *sequence) Traits() engine.SequenceTraits {
	t := engine.SequenceTraits{Immediate: s.launcher.immediate(), Profiler: s, Warmer: s}
	for _, m := range s.scratch {
		t.Scratch += m.Bytes()
	}
	return t
}

// Close releases the kernels and the scratch memory, after waiting for the submitted runs: its
// memory goes back to a pool.
func (s *sequence) Close() error {
	s.eng.mu.Lock()
	_, live := s.eng.sequences[s]
	delete(s.eng.sequences, s)
	s.eng.mu.Unlock()
	if !live {
		return nil
	}
	err := s.eng.dev.Wait(context.Background())
	if errors.Is(err, platform.ErrClosed) {
		err = nil
	}
	return errors.Join(s.eng.waited(err), s.release())
}

func (s *sequence) release() error {
	s.closed.Store(true)
	var err error
	if s.launcher != nil {
		err = s.launcher.close()
	}
	for _, k := range s.kernels {
		err = errors.Join(err, k.Close())
	}
	for _, b := range s.subs {
		err = errors.Join(err, b.Close())
	}
	for _, m := range append(s.scratch, s.tables...) {
		err = errors.Join(err, m.Close())
	}
	for i := range s.tasks {
		for _, m := range s.tasks[i].kept {
			err = errors.Join(err, m.Close())
		}
		s.tasks[i].kept = nil
	}
	s.kernels, s.subs, s.scratch, s.tables = nil, nil, nil, nil
	return err
}
