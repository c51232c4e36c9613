package matrix

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"time"

	"golang.org/x/sync/errgroup"

	"github.com/anycl/anycl/engine"
	"github.com/anycl/anycl/fallback"
	"github.com/anycl/anycl/internal/bench"
	"github.com/anycl/anycl/internal/ocl"
	"github.com/anycl/anycl/internal/procs"
	"github.com/anycl/anycl/ops/optest"
	"github.com/anycl/anycl/platform"
	"github.com/anycl/anycl/tensor"
)

// Options choose what runs. The zero value is the whole matrix on everything there is.
type Options struct {
	Devices []string       // in the grammar of ANYCL_DEVICE, "none" for the CPU path; nil: all devices and the CPU path
	Ops     []string       // nil: all
	DTypes  []tensor.DType // nil: all
	// Full runs every sample as a kernel of its own, where usually samples of several ops share one.
	Full   bool
	Graphs int // random graphs of each kind on each engine
	// Progress is told how much is done and what goes on, one call at a time. Nil: nobody is.
	Progress func(done, all int, what string)
}

// Run runs the matrix. What fails is in the report. Errors: a device that was named is not there;
// ctx is done, with what had been found until then.
func Run(ctx context.Context, o *Options) (*Report, error) {
	m, err := Discover(ctx)
	if err != nil {
		return nil, err
	}
	devices, cpuPath := Usual(m, nil), true
	if len(o.Devices) > 0 {
		if devices, cpuPath, err = Named(m, o.Devices); err != nil {
			return nil, err
		}
	}
	r := &Report{Context: newContext(o), Library: m.Library, Absent: Absent(m), Notes: m.Notes}
	if m.LoadErr != nil {
		r.LoadErr = m.LoadErr.Error()
	}
	start := time.Now()
	jobs := make([]*job, 0, len(devices)+1)
	for _, d := range devices {
		jobs = append(jobs, &job{o: o, device: d, open: func() (engine.Engine, func() error, error) { return openDevice(ctx, d) }})
	}
	if cpuPath {
		jobs = append(jobs, &job{o: o, open: func() (engine.Engine, func() error, error) {
			return fallback.New(nil), func() error { return nil }, nil
		}})
	}
	bar := &meter{tell: o.Progress}
	for _, j := range jobs { // before anything runs: how much there is to do
		bar.all += j.steps()
	}
	for _, j := range jobs {
		r.Engines = append(r.Engines, j.run(ctx, bar))
		if err = ctx.Err(); err != nil {
			break
		}
	}
	r.Context.Took = time.Since(start)
	return r, err
}

func newContext(o *Options) Context {
	c := bench.NewContext(nil, bench.Method{})
	out := Context{Time: c.Time, Commit: c.Commit, Go: c.Go, OS: c.OS, Arch: c.Arch, CPU: c.CPU, Cores: c.Cores, Ops: o.Ops, Devices: o.Devices, Full: o.Full}
	for _, dt := range o.DTypes {
		out.DTypes = append(out.DTypes, dt.String())
	}
	return out
}

// openDevice is an engine on d, and what closes d after it.
func openDevice(ctx context.Context, d *platform.Device) (engine.Engine, func() error, error) {
	opened, err := d.Open(ctx, nil)
	if err != nil {
		return nil, nil, err
	}
	return ocl.New(opened), opened.Close, nil
}

// meter counts what is done on all engines.
type meter struct {
	tell func(done, all int, what string)
	mu   sync.Mutex
	done int
	all  int
}

func (m *meter) step(what string) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.done++
	if m.tell != nil {
		m.tell(m.done, m.all, what)
	}
}

// job is one engine's share.
type job struct {
	o      *Options
	device *platform.Device // nil: the CPU path
	open   func() (e engine.Engine, after func() error, err error)
}

// suite are the options of the parts. Go compiles nothing, and lacks nothing.
func (j *job) suite() *optest.Options {
	return &optest.Options{Ops: j.o.Ops, DTypes: j.o.DTypes, Bundle: j.device != nil && !j.o.Full, Complete: j.device == nil}
}

// gradients reports whether gradients, which are of float32, are wanted.
func (j *job) gradients() bool {
	if len(j.o.DTypes) == 0 {
		return true
	}
	for _, dt := range j.o.DTypes {
		if dt == tensor.Float32 {
			return true
		}
	}
	return false
}

// graphs are the kinds of random graphs; those have ops and dtypes of their own choice.
func (j *job) graphs(e, cpu engine.Engine) []randomGraphs {
	if len(j.o.Ops) > 0 || len(j.o.DTypes) > 0 {
		return nil
	}
	all := []randomGraphs{
		{"random graphs", func(ctx context.Context, seed uint64) error { return optest.GraphError(ctx, e, seed) }},
		{"gradients of random graphs", func(ctx context.Context, seed uint64) error { return optest.GraphGradientError(ctx, e, cpu, 2*seed+1) }},
	}
	if j.device != nil {
		all = append(all, randomGraphs{"random graphs divided between device and CPU path", func(ctx context.Context, seed uint64) error {
			return optest.PlacementError(ctx, e, cpu, seed)
		}})
	}
	return all
}

type randomGraphs struct {
	what  string
	check func(ctx context.Context, seed uint64) error
}

// steps is how much there is to do, as far as it is known before the device is opened.
func (j *job) steps() int {
	cpu := fallback.New(nil)
	defer cpu.Close()
	n := len(optest.Parts(cpu, j.suite())) + j.o.Graphs*len(j.graphs(cpu, cpu))
	if j.gradients() {
		n += len(optest.GradientParts(cpu, cpu, j.suite()))
	}
	return n
}

// run checks everything on the engine.
func (j *job) run(ctx context.Context, bar *meter) *Engine {
	start := time.Now()
	r := &Engine{Name: "cpu"}
	if j.device != nil {
		r.Name = j.device.ID
	}
	e, after, err := j.open()
	if err != nil {
		r.Err = err.Error()
	} else {
		cpu := fallback.New(nil)
		j.check(ctx, r, e, cpu, bar)
		if err := errors.Join(e.Close(), cpu.Close(), after()); err != nil {
			r.Err = err.Error()
		}
	}
	if j.device != nil {
		report := j.device.Report()
		r.Device = &report
	}
	r.Took = time.Since(start)
	return r
}

func (j *job) check(ctx context.Context, r *Engine, e, cpu engine.Engine, bar *meter) {
	parts := optest.Parts(e, j.suite())
	forward := len(parts)
	if j.gradients() {
		parts = append(parts, optest.GradientParts(e, cpu, j.suite())...)
	}
	r.Parts = make([]Part, len(parts))
	var group errgroup.Group
	group.SetLimit(procs.Count())
	for i, p := range parts {
		group.Go(func() error {
			r.Parts[i] = newPart(p, i >= forward, guarded(p.Op.Name, func() []optest.Outcome { return p.Check(ctx) }))
			bar.step(r.Name + " " + p.Op.Name)
			return nil
		})
	}
	_ = group.Wait() // no part returns one
	for _, kind := range j.graphs(e, cpu) {
		g := Graphs{What: kind.what}
		var mu sync.Mutex
		for seed := range uint64(j.o.Graphs) {
			group.Go(func() error {
				out := guarded(kind.what, func() []optest.Outcome {
					return []optest.Outcome{outcomeOf(kind.check(ctx, seed))}
				})[0]
				mu.Lock()
				if g.Enter(out.State); out.State == optest.Failed && g.Why == "" {
					g.Why = out.Err.Error()
				}
				mu.Unlock()
				bar.step(r.Name + " " + kind.what)
				return nil
			})
		}
		_ = group.Wait()
		r.Graphs = append(r.Graphs, g)
	}
}

func outcomeOf(err error) optest.Outcome {
	switch {
	case err == nil:
		return optest.Outcome{State: optest.Passed}
	case errors.Is(err, engine.ErrUnsupported):
		return optest.Outcome{State: optest.Absent, Err: err}
	}
	return optest.Outcome{State: optest.Failed, Err: err}
}

// guarded makes a failure of a panic, so that the report tells which op it was.
func guarded(what string, check func() []optest.Outcome) (out []optest.Outcome) {
	defer func() {
		if p := recover(); p != nil {
			out = []optest.Outcome{{Sample: "all", State: optest.Failed, Err: fmt.Errorf("%s panicked: %v", what, p)}}
		}
	}()
	return check()
}
