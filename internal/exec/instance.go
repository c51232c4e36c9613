package exec

import (
	"context"
	"errors"
	"fmt"
	"sync"

	"github.com/anycl/anycl/engine"
	"github.com/anycl/anycl/internal/plan"
	"github.com/anycl/anycl/tensor"
)

// instance holds the memory on every engine and the prepared tasks of a program; it does one run at a time.
type instance struct {
	version *version
	program *plan.Program

	mu        sync.Mutex // held by runs
	closed    bool
	engines   []engineState // by their numbers
	variables []variableUse
	inputs    [][]buffer // where each feed is wanted
	steps     []step
	fetches   []fetched
	workers   *stepWorkers // nil: the caller's goroutine does all steps
	outputs   []buffer
	external  bool             // some of these are in memory in whose place the caller's can be
	fed       []*tensor.Tensor // of the run that goes on
	tracer    Tracer           // of the run in progress; nil: the run is not traced
}

// engineState is an engine with the instance's memory and sequence on it.
type engineState struct {
	engine    engine.Engine
	stream    engine.Streamer // nil: the host waits for each call
	memories  []engine.Memory // those of the program
	owned     []engine.Memory // those that no other executor shares
	shared    []*sharedMemory // those that other executors use too
	constants []*sharedMemory
	seq       engine.Sequence // nil: no task runs there
}

// immediate reports whether the engine does its work on the thread that submits it.
func (e *engineState) immediate() bool {
	return e.seq != nil && e.seq.Traits().Immediate
}

// buffer is the memory of a value.
type buffer struct {
	engine int
	engine.Slot
	external engine.External // nil: feeds or results are copied
}

// newInstance gives the program of v memory and prepares its tasks.
func (v *version) newInstance(ctx context.Context) (*instance, error) {
	i := &instance{version: v, program: v.Program, engines: make([]engineState, len(v.Program.Engines))}
	if err := i.build(ctx); err != nil {
		return nil, errors.Join(err, i.release())
	}
	return i, nil
}

func (i *instance) build(ctx context.Context) error {
	p := i.program
	for u := range p.Variables {
		i.variables = append(i.variables, variableUse{Variable: &p.Variables[u], known: i.version.changes[p.Variables[u].Variable]})
	}
	for e := range i.engines {
		i.engines[e].engine = i.version.model.Engines[e]
		i.engines[e].stream = i.engines[e].engine.Traits().Stream
		if err := i.allocate(e); err != nil {
			return err
		}
	}
	if err := ctx.Err(); err != nil {
		return err
	}
	for e := range i.engines {
		if err := i.prepare(ctx, e); err != nil {
			return err
		}
	}
	if err := i.warm(ctx); err != nil {
		return err
	}
	i.fed = make([]*tensor.Tensor, len(p.Inputs))
	for _, in := range p.Inputs {
		i.inputs = append(i.inputs, i.buffers(in.To))
	}
	for _, o := range p.Outputs {
		i.outputs = append(i.outputs, i.buffer(o.Location))
	}
	i.fetches = make([]fetched, p.Fetches)
	i.steps = i.bind(p.Steps)
	i.workers = newStepWorkers(i)
	return nil
}

// allocate makes the memories of engine e.
func (i *instance) allocate(e int) error {
	s := &i.engines[e]
	for _, m := range i.program.Engines[e].Memories {
		var mem engine.Memory
		var err error
		if scratch := i.version.scratch; scratch != nil && i.version.first == nil && !i.version.compileOnly && m.Kind == plan.Arena {
			b, err := scratch.block(s.engine, m.Bytes, s.shared)
			if err != nil {
				return fmt.Errorf("memory of %s: %w", contents(&m), err)
			}
			s.memories, s.shared = append(s.memories, b.Memory), append(s.shared, b)
			continue
		}
		kind := m.Kind
		if i.version.compileOnly && kind == plan.State {
			kind = plan.Arena // memory of its own
		}
		switch kind {
		case plan.Constant:
			c, err := i.version.machine.Constants.get(s.engine, m.Value.Node.Attr.(*tensor.Tensor), m.Bytes)
			if err != nil {
				return fmt.Errorf("memory of %s: %w", contents(&m), err)
			}
			s.memories, s.constants = append(s.memories, c.Memory), append(s.constants, c)
			continue
		case plan.State:
			if mem, err = i.acquire(m.Variable, e); err != nil {
				return err
			}
			s.memories = append(s.memories, mem)
			continue
		case plan.External:
			mem, err = s.engine.(engine.HostMemory).External(m.Bytes)
		default:
			mem, err = s.engine.Alloc(m.Bytes)
		}
		if err != nil {
			return fmt.Errorf("memory of %s: %w", contents(&m), err)
		}
		s.memories, s.owned = append(s.memories, mem), append(s.owned, mem)
	}
	return nil
}

// contents describes the content of a memory.
func contents(m *plan.Memory) string {
	if m.Kind == plan.Arena {
		return fmt.Sprintf("%d value(s), the largest %s", m.Values, m.Value)
	}
	return m.Value.String()
}

// prepare has engine e compile the tasks that it runs.
func (i *instance) prepare(ctx context.Context, e int) (err error) {
	s, tasks := &i.engines[e], i.program.Engines[e].Tasks
	if len(tasks) == 0 {
		return nil
	}
	bound := make([]engine.Bound, len(tasks))
	for n, t := range tasks {
		bound[n] = engine.Bound{Task: i.program.Instructions[t.Instruction].Task, Ins: i.slots(t.Ins), Outs: i.slots(t.Outs)}
	}
	if e < len(i.engines)-1 {
		i.version.machine.compiled.Store(true)
	}
	s.seq, err = s.engine.Prepare(ctx, bound)
	if err == nil {
		return nil
	}
	if _, own := errors.AsType[*engine.KernelError](err); own { // which names the engine
		return err
	}
	return fmt.Errorf("on %s: %w", s.engine.Name(), err)
}

// slot is where in memory l is.
func (i *instance) slot(l plan.Location) engine.Slot {
	return engine.Slot{Mem: i.engines[l.Engine].memories[l.Memory], Offset: l.Offset}
}

func (i *instance) slots(all []plan.Location) []engine.Slot {
	out := make([]engine.Slot, len(all))
	for n, l := range all {
		out[n] = i.slot(l)
	}
	return out
}

func (i *instance) buffer(l plan.Location) buffer {
	b := buffer{engine: l.Engine, Slot: i.slot(l)}
	if i.program.Engines[l.Engine].Memories[l.Memory].Kind == plan.External {
		b.external, i.external = b.Mem.(engine.External), true
	}
	return b
}

func (i *instance) buffers(all []plan.Location) []buffer {
	out := make([]buffer, len(all))
	for n, l := range all {
		out[n] = i.buffer(l)
	}
	return out
}

// host is the memory at s of an engine that works in the host's.
func (i *instance) host(e int, s engine.Slot, bytes int64) []byte {
	return i.engines[e].engine.(engine.HostMemory).Host(s.Mem)[s.Offset:][:bytes]
}

// close waits for a run to end and frees i's resources.
func (i *instance) close() error {
	i.mu.Lock()
	defer i.mu.Unlock()
	if i.closed {
		return nil
	}
	i.closed = true
	return i.release()
}

func (i *instance) release() error {
	var errs []error
	for e := range i.engines {
		if s := i.engines[e].seq; s != nil {
			errs = append(errs, s.Close())
		}
	}
	for _, u := range i.variables {
		for _, e := range u.acquired {
			errs = append(errs, u.Release(i.engines[e].engine))
		}
	}
	for e := range i.engines {
		for _, m := range i.engines[e].owned {
			errs = append(errs, m.Close())
		}
		for _, m := range i.engines[e].constants {
			errs = append(errs, i.version.machine.Constants.release(m))
		}
		for _, m := range i.engines[e].shared {
			errs = append(errs, i.version.scratch.release(m))
		}
	}
	return errors.Join(errs...)
}
