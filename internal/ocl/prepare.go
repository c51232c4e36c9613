package ocl

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"golang.org/x/sync/errgroup"

	"github.com/anycl/anycl/cl"
	"github.com/anycl/anycl/engine"
	"github.com/anycl/anycl/internal/ocl/access"
	"github.com/anycl/anycl/internal/ocl/codegen"
	"github.com/anycl/anycl/internal/ocl/facts"
	"github.com/anycl/anycl/internal/ocl/variant"
	"github.com/anycl/anycl/internal/procs"
	"github.com/anycl/anycl/internal/tuning"
	"github.com/anycl/anycl/platform"
)

// Prepare plans and compiles tasks, equal programs once and different ones side
// by side, and gives each launch a kernel of its own with its arguments set.
// Where that fails with tuned plans, it is done again by rule.
func (e *Engine) Prepare(ctx context.Context, tasks []engine.Bound) (engine.Sequence, error) {
	all := make([]*engine.Task, len(tasks))
	for i, b := range tasks {
		all[i] = b.Task
	}
	r, why := e.runnerFor(all)
	by := func(facts *facts.Device, table *tuning.Table) func(*engine.Task) (*variant.Plan, error) {
		return func(t *engine.Task) (*variant.Plan, error) {
			p, err := e.plan(facts, table, t)
			if err == nil && why != "" {
				p.Why += "; " + why
			}
			if err == nil && e.host != nil {
				if why, _ := e.host.indivisible(t); why != "" {
					p.Why += "; launched whole: " + why
					e.dev.Logger().Info("ocl: a kernel is not divided among threads", "kernel", t.Custom.Entry, "why", why)
				}
			}
			return p, err
		}
	}
	table := e.tuned.Load()
	s, err := e.prepare(ctx, r, tasks, by(r.target().facts, table))
	if errors.Is(err, errQueueOnly) {
		r, why = e.queue, ""
		s, err = e.prepare(ctx, r, tasks, by(r.target().facts, table))
	}
	if err == nil || ctx.Err() != nil || errors.Is(err, engine.ErrClosed) || !s.tuned() {
		return seqOrNil(s, err)
	}
	e.dev.Logger().Warn("ocl: tuned kernels cannot be prepared, the default is taken", "error", err)
	return seqOrNil(e.prepare(ctx, r, tasks, by(r.target().facts, nil)))
}

// plan is variant.MakePlan, with the choice that a prediction of t has made.
func (e *Engine) plan(d *facts.Device, table *tuning.Table, t *engine.Task) (*variant.Plan, error) {
	if w := e.efforts.take(d, t); w != nil {
		return variant.PlanOf(d, table, w.task, w.variants, e.force)
	}
	return variant.MakePlan(d, table, t, e.force)
}

// seqOrNil is s without an error, and no interface that holds nil with one.
func seqOrNil(s *sequence, err error) (engine.Sequence, error) {
	if err != nil {
		return nil, err
	}
	return s, nil
}

// prepare is Prepare with plans from planTask. With an error the sequence is closed, but has its plans.
func (e *Engine) prepare(ctx context.Context, r runner, tasks []engine.Bound,
	planTask func(*engine.Task) (*variant.Plan, error)) (*sequence, error) {
	s := &sequence{eng: e, runner: r, tasks: make([]readyTask, len(tasks))}
	if e.isClosed() {
		return s, engine.ErrClosed
	}
	if err := s.prepare(ctx, tasks, planTask); err != nil {
		return s, errors.Join(err, s.release())
	}
	e.mu.Lock()
	defer e.mu.Unlock()
	if e.closed {
		return s, errors.Join(engine.ErrClosed, s.release())
	}
	e.sequences[s] = struct{}{}
	return s, nil
}

// tuned reports whether a plan was not made by rule.
func (s *sequence) tuned() bool {
	return slices.ContainsFunc(s.tasks, func(t readyTask) bool { return t.plan != nil && t.plan.Tuned })
}

func (s *sequence) prepare(ctx context.Context, tasks []engine.Bound, planTask func(*engine.Task) (*variant.Plan, error)) error {
	if err := s.compile(ctx, tasks, planTask); err != nil {
		return err
	}
	l, err := s.runner.open()
	if err != nil {
		return err
	}
	s.launcher = l
	if err := s.allocScratch(); err != nil {
		return err
	}
	for i, b := range tasks {
		if err := s.bind(ctx, &s.tasks[i], b); err != nil {
			return taskError(s.eng.facts.Name, b.Task, "bind", err)
		}
	}
	return nil
}

// compile plans each task and builds its programs.
func (s *sequence) compile(ctx context.Context, tasks []engine.Bound, planTask func(*engine.Task) (*variant.Plan, error)) error {
	err := s.plan(ctx, tasks, planTask)
	if err == nil {
		err = s.tell(ctx, tasks)
	}
	if err == nil {
		err = s.runner.target().compileAll(ctx, s.tasks)
	}
	for i := range s.tasks {
		t := &s.tasks[i]
		for j := 0; err == nil && j < len(t.plan.Launches); j++ {
			t.programs[j], err = s.runner.target().program(ctx, t.task, part{t.plan.Launches[j].Program, t.keys[j]})
		}
	}
	if errors.Is(err, platform.ErrClosed) {
		return engine.ErrClosed
	}
	return err
}

// plan chooses variants and writes their programs.
func (s *sequence) plan(ctx context.Context, tasks []engine.Bound, planTask func(*engine.Task) (*variant.Plan, error)) error {
	facts := s.runner.target().facts
	group, ctx := errgroup.WithContext(ctx)
	group.SetLimit(procs.Count())
	first, like := make(map[any]int, len(tasks)), make([]int, len(tasks)) // the number of the first task that each is alike to
	for i, b := range tasks {
		id := variant.Identity(b.Task)
		j, again := first[id]
		if like[i] = j; again {
			continue
		}
		first[id], like[i] = i, i
		group.Go(func() error {
			if err := ctx.Err(); err != nil {
				return err
			}
			if err := variant.Check(facts, b.Task); err != nil {
				return err
			}
			p, err := planTask(b.Task)
			if err != nil {
				return taskError(facts.Name, b.Task, "plan", err)
			}
			keys := make([]codegen.Key, len(p.Launches))
			for j, l := range p.Launches {
				keys[j] = l.Program.Key()
				s.runner.target().library.share(l.Program, keys[j])
			}
			s.tasks[i] = readyTask{plan: p, keys: keys}
			return nil
		})
	}
	if err := group.Wait(); err != nil {
		return err
	}
	for i, b := range tasks {
		of := s.tasks[like[i]]
		s.tasks[i] = readyTask{
			task: b.Task, like: tasks[like[i]].Task, outs: b.Outs, plan: of.plan, keys: of.keys, programs: make([]built, len(of.keys)),
		}
	}
	return nil
}

// allocScratch makes the scratch buffers, which all tasks share: the queue is in order, and no
// task's scratch outlives it. Kept memory belongs to one task.
func (s *sequence) allocScratch() error {
	var sizes []int64
	var whose []*engine.Task
	for _, t := range s.tasks {
		for i, n := range t.plan.Scratch {
			if i == len(sizes) {
				sizes, whose = append(sizes, 0), append(whose, t.task)
			}
			if n > sizes[i] {
				sizes[i], whose[i] = n, t.task
			}
		}
	}
	for i, n := range sizes {
		m, err := s.eng.dev.Alloc(n)
		if err != nil {
			return taskError(s.eng.facts.Name, whose[i], "scratch memory of", err)
		}
		s.scratch = append(s.scratch, m)
	}
	for i := range s.tasks {
		t := &s.tasks[i]
		for _, n := range t.plan.Kept {
			m, err := s.eng.dev.Alloc(n)
			if err != nil {
				return taskError(s.eng.facts.Name, t.task, "kept memory of", err)
			}
			t.kept = append(t.kept, m)
		}
	}
	return nil
}

// place is a slot as kernels take it: a buffer and where in it to start.
type place struct {
	mem    *memory
	offset int64 // bytes
	bytes  int64
	size   int64 // of an element
}

// places checks the slots of b against its task's operands.
func (s *sequence) places(b engine.Bound) ([]place, error) {
	t := b.Task
	if len(b.Ins) != len(t.Ins) || len(b.Outs) != len(t.Outs) {
		return nil, fmt.Errorf("%d inputs and %d outputs are bound, the task has %d and %d", len(b.Ins), len(b.Outs), len(t.Ins), len(t.Outs))
	}
	for i := range b.Outs {
		if a := t.AliasOf(i); a >= 0 && (a >= len(b.Ins) || b.Ins[a] != b.Outs[i]) {
			return nil, fmt.Errorf("input %d is declared to be the memory of output %d and is not", a, i)
		}
	}
	var ps []place
	slots, operands := slices.Concat(b.Ins, b.Outs), slices.Concat(t.Ins, t.Outs)
	for i, slot := range slots {
		m, err := s.eng.own(slot.Mem)
		if err != nil {
			return nil, err
		}
		n, size := operands[i].Bytes(), int64(operands[i].DType.Size())
		switch {
		case slot.Offset < 0 || slot.Offset > m.Bytes()-n:
			return nil, fmt.Errorf("operand %d: %d bytes at %d of a memory of %d", i, n, slot.Offset, m.Bytes())
		case slot.Offset%size != 0:
			return nil, fmt.Errorf("operand %d: offset %d is not a multiple of the element's %d bytes", i, slot.Offset, size)
		}
		if !slices.Contains(s.used, m) {
			s.used = append(s.used, m)
		}
		ps = append(ps, place{m, slot.Offset, n, size})
	}
	return ps, nil
}

// bind makes the kernels of a task and sets their arguments.
func (s *sequence) bind(ctx context.Context, p *readyTask, b engine.Bound) error {
	places, err := s.places(b)
	if err != nil {
		return err
	}
	for j, l := range p.plan.Launches {
		k, err := p.programs[j].Kernel(l.Kernel)
		if err != nil {
			return err
		}
		s.kernels = append(s.kernels, k)
		if err := s.groupFits(k, p.plan, l); err != nil {
			return err
		}
		step := command{name: l.Kernel, kernel: k, rng: variant.RangeOf(l), run: -1, once: l.Once || keeps(b.Task)}
		if b.Task.Kind == engine.Custom {
			if err := s.ownGroup(k, &step.rng); err != nil {
				return err
			}
		}
		step.key = keyOf(p.programs[j], l.Kernel, step.rng)
		if n := k.NumArgs(); n != len(l.Program.Args) {
			return fmt.Errorf("kernel %s takes %d arguments, not %d", l.Kernel, n, len(l.Program.Args))
		}
		var after []copying
		var zoned *checked
		if b.Task.Kind == engine.Custom && s.eng.bounds {
			zoned = new(checked)
		}
		for i, a := range l.Program.Args {
			if a.Kind == codegen.ArgPointer && zoned != nil {
				r, err := s.redZoned(k, i, places[a.Index], len(b.Ins))
				if err != nil {
					return err
				}
				zoned.buffers = append(zoned.buffers, r)
				continue
			}
			if a.Kind == codegen.ArgPointer {
				c, err := s.pointer(k, i, places[a.Index], a.Index < len(b.Ins))
				if err != nil {
					return err
				}
				if c != nil && c.in {
					p.steps = append(p.steps, command{name: "copy", copy: c})
				} else if c != nil {
					after = append(after, *c)
				}
				continue
			}
			if a.Kind == codegen.ArgRun {
				step.run = i
			}
			if err := s.setArg(ctx, k, i, a, l, places, p.kept); err != nil {
				return err
			}
		}
		if err := s.launcher.bind(p.like, &step); err != nil {
			return err
		}
		if zoned != nil {
			zoned.launch = step
			step = command{name: step.name, check: zoned}
		}
		p.steps = append(p.steps, step)
		for _, c := range after {
			p.steps = append(p.steps, command{name: "copy", copy: &c})
		}
	}
	return nil
}

// openGroup bounds the work-groups that are chosen for callers' kernels on CPUs. A driver may keep the variables of all items of
// a group on the stack of a thread, and a process ends where that is too small; how much an item has, PoCL does not tell. Where
// extents have few divisors, groups may be four times as large.
const openGroup = 256

// keeps reports whether t's output is kept while its inputs are steady.
func keeps(t *engine.Task) bool {
	return t.Kind != engine.Custom && t.Outs[0].Steady && t.AliasOf(0) < 0 && !access.UsesRun(t)
}

// groupFits says why a tuned plan's work-group is too large for its compiled
// kernel, which may need more registers than such a group has. It is not asked of
// a plan by rule: some drivers answer less than they can.
func (s *sequence) groupFits(k *cl.Kernel, p *variant.Plan, l variant.Launch) error {
	if !p.Tuned {
		return nil
	}
	info, err := k.WorkGroupInfo(s.runner.target().device)
	if err != nil {
		return err
	}
	if items := l.Local[0] * max(l.Local[1], 1) * max(l.Local[2], 1); items > info.MaxSize {
		return fmt.Errorf("a work-group of %d items, the compiled kernel takes %d", items, info.MaxSize)
	}
	return nil
}

func (s *sequence) setArg(ctx context.Context, k *cl.Kernel, i int, a codegen.Arg, l variant.Launch, places []place,
	kept []*platform.Memory) error {
	switch a.Kind {
	case codegen.ArgBuffer:
		return s.launcher.setOperand(k, i, places[a.Index].mem)
	case codegen.ArgOffset:
		return k.SetUint64(i, uint64(places[a.Index].offset/places[a.Index].size))
	case codegen.ArgStart:
		return k.SetUint64(i, 0)
	case codegen.ArgScratch:
		return s.launcher.setMemory(k, i, s.scratch[a.Index])
	case codegen.ArgKept:
		return s.launcher.setMemory(k, i, kept[a.Index])
	case codegen.ArgInt:
		if l.Program.Wide {
			return k.SetInt64(i, l.Value(a))
		}
		return k.SetInt32(i, int32(l.Value(a)))
	case codegen.ArgTable:
		m, err := s.table(ctx, l)
		if err != nil {
			return err
		}
		return s.launcher.setMemory(k, i, m)
	case codegen.ArgRun:
		return k.SetUint32(i, 0)
	}
	switch v := a.Scalar.(type) {
	case int32:
		return k.SetInt32(i, v)
	case uint32:
		return k.SetUint32(i, v)
	case int64:
		return k.SetInt64(i, v)
	case uint64:
		return k.SetUint64(i, v)
	case float32:
		return k.SetFloat32(i, v)
	case float64:
		return k.SetFloat64(i, v)
	}
	return fmt.Errorf("argument %d is a %T", i, a.Scalar)
}

// table puts the numbers of a launch whose arguments would not fit into memory.
func (s *sequence) table(ctx context.Context, l variant.Launch) (*platform.Memory, error) {
	bytes := l.TableBytes()
	m, err := s.eng.dev.Alloc(int64(len(bytes)))
	if err != nil {
		return nil, err
	}
	s.tables = append(s.tables, m)
	return m, s.eng.dev.Write(ctx, m, 0, bytes)
}

// pointer sets a custom kernel's buffer argument, which has no offset: a part of
// a larger memory is passed as a sub-buffer where the driver has them and the device
// can start one there, else through a copy.
func (s *sequence) pointer(k *cl.Kernel, i int, p place, in bool) (*copying, error) {
	if p.offset == 0 || p.bytes == 0 {
		return nil, s.launcher.setOperand(k, i, p.mem)
	}
	mem, err := p.mem.pinned()
	if err != nil {
		return nil, err
	}
	whole := mem.Buffer()
	if s.eng.dev.Device().SubBuffers(p.offset) {
		sub, err := whole.Sub(cl.MemReadWrite, p.offset, p.bytes)
		if err == nil {
			s.subs = append(s.subs, sub)
			return nil, k.SetBuffer(i, sub)
		}
		if !errors.Is(err, cl.ErrUnsupported) {
			return nil, err
		}
	}
	m, err := s.eng.dev.Alloc(p.bytes)
	if err != nil {
		return nil, err
	}
	s.tables = append(s.tables, m)
	if err := k.SetBuffer(i, m.Buffer()); err != nil {
		return nil, err
	}
	return &copying{in: in, whole: whole, part: m.Buffer(), offset: p.offset, bytes: p.bytes}, nil
}
