package ocl

import (
	"context"
	"errors"

	"github.com/anycl/anycl/cl"
	"github.com/anycl/anycl/engine"
	"github.com/anycl/anycl/internal/ocl/variant"
	"github.com/anycl/anycl/platform"
)

// Drivers of CPUs compile a kernel for the size of its work-groups when it is first launched, which takes
// much longer than the launch, and no other launch of the process begins meanwhile. So kernels are launched once within Prepare's
// caller's Compile, and kernels that could only be launched later are left alone while graphs run. Source:
// pocl_check_kernel_dlhandle_cache in lib/CL/devices/common.c of PoCL 3.1.

// launchKey is a kernel as such a driver tells them apart.
type launchKey struct {
	program uint64 // hash of its source and options
	kernel  string
	local   [3]int
	global  [3]int // where the driver chooses the work-group
}

// keyOf is the key of a launch of kernel name in b with range r.
func keyOf(b built, name string, r cl.Range) launchKey {
	return launchKey{program: b.id, kernel: name + b.suffix}.over(r)
}

// over is the key with another range.
func (k launchKey) over(r cl.Range) launchKey {
	if k.local, k.global = r.Local, [3]int{}; r.Local == [3]int{} {
		k.global = r.Global
	}
	return k
}

// width is the widest dimension of a launch with range r: kernels are compiled for some width and all below.
func width(r cl.Range) int { return max(r.Global[0], r.Global[1], r.Global[2]) }

// isWarm reports whether a kernel has been launched with such a range.
func (l *library) isWarm(c *command) bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	w, ok := l.warm[c.key]
	return ok && w >= width(c.rng)
}

// setWarm notes that it has.
func (l *library) setWarm(c *command) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.warm == nil {
		l.warm = map[launchKey]int{}
	}
	l.warm[c.key] = max(l.warm[c.key], width(c.rng))
}

// compilesAtLaunch reports whether the device's driver does.
func (e *Engine) compilesAtLaunch() bool { return e.dev.Device().Class == platform.CPU }

// isCold reports whether a task has a kernel that was never launched. The effect of a caller's own kernel
// on memory with arbitrary content is unknown, so that its first launch is left to the first run.
func (s *sequence) isCold(t *readyTask) bool {
	if t.task.Kind == engine.Custom {
		return false
	}
	for i := range t.steps {
		if c := &t.steps[i]; c.kernel != nil && !s.runner.target().library.isWarm(c) {
			return true
		}
	}
	return false
}

// Cold reports whether the first Run would have something to compile.
func (s *sequence) Cold() bool {
	if !s.eng.compilesAtLaunch() {
		return false
	}
	for i := range s.tasks {
		if s.isCold(&s.tasks[i]) {
			return true
		}
	}
	return false
}

// Warm launches the tasks that have kernels which were never launched, with one work-group where that compiles the same. The
// tasks that write their operands may not be launched, so that results are cleared at once: an index in memory that values share
// could be any number, and a read at that index out of bounds. Memory that holds zeros to begin with, as a program's does, thus
// stays fit for indices.
func (s *sequence) Warm(ctx context.Context) (err error) {
	if err := s.ready(ctx, 0, len(s.tasks)); err != nil {
		return err
	}
	defer s.launcher.backed()()
	if err := s.launcher.begin(ctx); err != nil {
		return err
	}
	q := s.launcher.queue()
	defer func() { err = errors.Join(err, s.launcher.end(), s.eng.finish(q)) }()
	for i := range s.tasks {
		t := &s.tasks[i]
		if !s.isCold(t) {
			continue
		}
		engine.ReportProgress(ctx, engine.Progress{Engine: s.eng.facts.Name, Stage: engine.Launch, Done: i, Total: len(s.tasks)})
		if err := ctx.Err(); err != nil {
			return err
		}
		for j := range t.steps { // all: later ones depend on the results of earlier ones
			c := &t.steps[j]
			least := *c
			if c.kernel != nil && mayLeaveOut(t) {
				least.rng = s.launcher.least(c.rng)
			}
			if err := least.submit(q, 0); err != nil {
				return s.failed(t, err)
			}
			if c.kernel != nil {
				s.runner.target().library.setWarm(c)
			}
		}
		if err := s.eng.finish(q); err != nil {
			return s.failed(t, err)
		}
		if err := s.clear(ctx, t); err != nil {
			return s.failed(t, err)
		}
	}
	return nil
}

// mayLeaveOut reports whether launches of t may have fewer work-groups when they only serve to compile: no launch takes for
// indices or counts what an earlier one of the task writes.
func mayLeaveOut(t *readyTask) bool {
	return len(t.steps) == 1 || t.task.Kind == engine.Map || t.task.Kind == engine.Contract || t.task.Kind == engine.Reduce
}

// clear sets the results of t to 0.
func (s *sequence) clear(ctx context.Context, t *readyTask) error {
	for i, o := range t.outs {
		if err := engine.Clear(ctx, s.eng, o.Mem, o.Offset, t.task.Outs[i].Bytes()); err != nil {
			return err
		}
	}
	return nil
}

// Compiled reports whether tasks, where they are all there is to run, were prepared and launched before, as far as
// launches of others would wait for that.
func (s *estimates) Compiled(tasks []int) bool {
	return !s.e.compilesAtLaunch() || s.Built(tasks)
}

// Built reports whether the programs of tasks are built, and were launched, where the driver compiles at the first launch.
func (s *estimates) Built(tasks []int) bool {
	e := s.e
	r, _ := s.runner(tasks)
	to := r.target()
	for _, i := range tasks {
		t := s.tasks[i]
		if t.Kind == engine.Custom {
			return false
		}
		p, err := variant.MakePlan(to.facts, e.tuned.Load(), t, e.force)
		if err != nil {
			return false
		}
		for _, l := range p.Launches {
			b, ok := to.library.find(l.Program.Key())
			if !ok {
				return false
			}
			if !e.compilesAtLaunch() {
				continue
			}
			rng, err := r.ranged(variant.RangeOf(l))
			if err != nil || !to.library.isWarm(&command{key: keyOf(b, l.Kernel, rng), rng: rng}) {
				return false
			}
		}
	}
	return true
}
