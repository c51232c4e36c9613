package fallback

import (
	"context"
	"errors"
	"fmt"
	"sync/atomic"

	"github.com/anycl/anycl/engine"
	"github.com/anycl/anycl/fallback/internal/routine"
	"github.com/anycl/anycl/fallback/internal/work"
	"github.com/anycl/anycl/tensor"
)

// sequence is a prepared list of tasks.
type sequence struct {
	engine *Engine
	tasks  []prepared
	env    *work.Env
	closed atomic.Bool
}

// prepared is a task that is ready to run.
type prepared struct {
	task *engine.Task
	mems []*memory
	work.Runner
}

// compilerFor is a compiler of t, without memory yet.
func (e *Engine) compilerFor(t *engine.Task, env *work.Env, cache constants) *compiler {
	return &compiler{Setup: work.Setup{Task: t, Env: env, Width: e.workers, Limits: &e.limits}, cache: cache, bytes: e.block}
}

// runnerOf compiles the task of c.
func runnerOf(c *compiler) (work.Runner, error) {
	switch c.Task.Kind {
	case engine.Map:
		return newMap(c)
	case engine.Reduce:
		return newReduce(c)
	case engine.Row:
		return newRow(c)
	case engine.Contract:
		return newContract(c)
	case engine.Scatter:
		return newScatter(c)
	case engine.Attention:
		return newAttention(c)
	case engine.Routine:
		return routine.New(&c.Setup)
	default:
		return newCustom(c)
	}
}

// Prepare compiles tasks for the memory they are bound to. It measures and
// writes nothing.
func (e *Engine) Prepare(ctx context.Context, tasks []engine.Bound) (engine.Sequence, error) {
	if e.closed.Load() {
		return nil, engine.ErrClosed
	}
	s := &sequence{engine: e, env: &work.Env{Arenas: make([][]byte, e.workers)}}
	cache := constants{}
	for _, b := range tasks {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		p, err := e.prepare(b, s.env, cache)
		if err != nil {
			return nil, err
		}
		s.tasks = append(s.tasks, p)
	}
	s.env.Shared = tensor.AlignedBytes(s.env.NeedShared)
	e.sequences.Add(1)
	return s, nil
}

func (e *Engine) prepare(b engine.Bound, env *work.Env, cache constants) (prepared, error) {
	t := b.Task
	if err := e.Check(t); err != nil {
		return prepared{}, err
	}
	p := prepared{task: t}
	c := e.compilerFor(t, env, cache)
	var err error
	if c.Ins, err = e.bind(&p, t.Ins, b.Ins, "input"); err != nil {
		return prepared{}, err
	}
	if c.Outs, err = e.bind(&p, t.Outs, b.Outs, "output"); err != nil {
		return prepared{}, err
	}
	if p.Runner, err = runnerOf(c); err != nil {
		return prepared{}, fmt.Errorf("fallback: prepare %s: %w", t.Name, err)
	}
	return p, nil
}

// bind is the memory of each operand.
func (e *Engine) bind(p *prepared, ops []engine.Operand, slots []engine.Slot, what string) ([][]byte, error) {
	if len(slots) != len(ops) {
		return nil, fmt.Errorf("fallback: prepare %s: %d %ss bound to %d slots", p.task.Name, len(ops), what, len(slots))
	}
	var all [][]byte
	for i, o := range ops {
		mem, err := e.at(slots[i].Mem, slots[i].Offset, o.Bytes())
		if err != nil {
			return nil, fmt.Errorf("fallback: prepare %s: %s %d: %w", p.task.Name, what, i, err)
		}
		if slots[i].Offset%int64(o.DType.Size()) != 0 {
			return nil, fmt.Errorf("fallback: prepare %s: %s %d at byte %d is not aligned for %v", p.task.Name, what, i, slots[i].Offset, o.DType)
		}
		all = append(all, mem)
		p.mems = append(p.mems, slots[i].Mem.(*memory))
	}
	return all, nil
}

// Run executes tasks [from, to) and returns when they are done. A cancelled
// ctx ends it between two pieces of a task, whose output is then undefined.
func (s *sequence) Run(ctx context.Context, from, to int, run uint32) error {
	if s.closed.Load() || s.engine.closed.Load() {
		return engine.ErrClosed
	}
	if from < 0 || to > len(s.tasks) || from > to {
		return fmt.Errorf("fallback: run tasks %d to %d of %d", from, to, len(s.tasks))
	}
	s.env.Run = run
	for i := from; i < to; i++ {
		if s.closed.Load() || s.engine.closed.Load() {
			return engine.ErrClosed
		}
		if err := ctx.Err(); err != nil {
			return err
		}
		t := &s.tasks[i]
		s.env.Epoch++
		for _, m := range t.mems {
			if m.closed.Load() {
				return fmt.Errorf("fallback: run %s: memory: %w", t.task.Name, engine.ErrClosed)
			}
		}
		if err := t.Run(ctx, s.engine.pool); err != nil {
			if errors.Is(err, ctx.Err()) {
				return err
			}
			return fmt.Errorf("fallback: run %s: %w", t.task.Name, err)
		}
		s.engine.launches.Add(1)
	}
	return nil
}

// Changed does nothing: each run makes all anew.
func (s *sequence) Changed() {}

// Traits says that tasks can be timed.
func (s *sequence) Traits() engine.SequenceTraits { return engine.SequenceTraits{Profiler: s} }

// Describe says how task i is executed.
func (s *sequence) Describe(i int) engine.Plan {
	if i < 0 || i >= len(s.tasks) {
		return engine.Plan{}
	}
	return s.tasks[i].Plan()
}

// Close releases the scratch memory.
func (s *sequence) Close() error {
	if s.closed.Swap(true) {
		return nil
	}
	s.tasks, s.env = nil, &work.Env{}
	s.engine.sequences.Add(-1)
	return nil
}

// sink stores registers.
type sink interface {
	// view is the memory of elements [at, at+n) as registers, where they are
	// stored as they are.
	view(at int64, n int) (engine.Block, bool)
	store(at int64, b engine.Block)
	// plain reports whether values are stored as they are.
	plain() bool
}

type typedSink[T any, R reg] struct {
	mem   []T
	codec codec[T, R]
}

func (s *typedSink[T, R]) plain() bool { return s.codec.same != nil }

func (s *typedSink[T, R]) view(at int64, n int) (b engine.Block, ok bool) {
	if s.codec.same == nil {
		return b, false
	}
	*lane[R](&b) = s.codec.same(s.mem[at:][:n])
	return b, true
}

func (s *typedSink[T, R]) store(at int64, b engine.Block) {
	src := *lane[R](&b)
	s.codec.store(s.mem[at:][:len(src)], src)
}
