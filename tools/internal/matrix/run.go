package matrix

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"golang.org/x/sync/errgroup"

	"github.com/anycl/anycl/engine"
	"github.com/anycl/anycl/fallback"
	"github.com/anycl/anycl/internal/ocl"
	"github.com/anycl/anycl/internal/ocl/variant"
	"github.com/anycl/anycl/internal/procs"
	"github.com/anycl/anycl/internal/testdevices"
	"github.com/anycl/anycl/ops/optest"
	"github.com/anycl/anycl/platform"
	"github.com/anycl/anycl/tensor"
	"github.com/anycl/anycl/tools/internal/bench"
)

// Options choose the parts that run. The zero value is the whole matrix on everything there is.
type Options struct {
	Devices []string       // in the grammar of ANYCL_DEVICE, "none" for the CPU path; nil: all devices and the CPU path
	Ops     []string       // nil: all
	DTypes  []tensor.DType // nil: all
	// Full runs every sample as a kernel of its own, where usually samples of several ops share one.
	Full   bool
	Graphs int // random graphs of each kind on each engine, of whatever ops and dtypes
	// Progress is told how much is done and the present step, one call at a time. Nil: nobody is.
	Progress func(done, all int, what string) `json:"-"`

	skip, only []step               // for a process that does a part: the steps done, and, unless nil, the only ones wanted
	tell       func(e event)        // hears of everything that happens, one call at a time
	cpu        func() engine.Engine // instead of the CPU path
}

// Run runs the matrix. Failures are in the report. Errors: a named device is missing; ctx is done,
// with the results until then.
func Run(ctx context.Context, o *Options) (*Report, error) {
	m, err := testdevices.Discover(ctx)
	if err != nil {
		return nil, err
	}
	devices, cpuPath := testdevices.Usual(m, nil), true
	if len(o.Devices) > 0 {
		if devices, cpuPath, err = testdevices.Named(m, o.Devices); err != nil {
			return nil, err
		}
	}
	head := &Report{Context: newContext(o), Library: m.Library, Absent: testdevices.Absent(m), Notes: m.Notes}
	if m.LoadErr != nil {
		head.LoadErr = m.LoadErr.Error()
	}
	start := time.Now()
	all := newAssembly(o.Progress)
	tell := func(e event) { // first to whom it may concern that this process ends
		if o.tell != nil {
			o.tell(e)
		}
		all.apply(e)
	}
	tell(event{Head: head})
	cpu := func() engine.Engine { return fallback.New(nil) }
	if o.cpu != nil {
		cpu = o.cpu
	}
	jobs := make([]*job, 0, len(devices)+1)
	for _, d := range devices {
		jobs = append(jobs, &job{o: o, tell: tell, device: d, open: func() (engine.Engine, func() error, error) { return openDevice(ctx, d) }})
	}
	if cpuPath {
		jobs = append(jobs, &job{o: o, tell: tell, open: func() (engine.Engine, func() error, error) {
			return cpu(), func() error { return nil }, nil
		}})
	}
	for _, j := range jobs { // before anything runs: how much there is to do
		tell(event{Engine: j.name(), Plan: j.plan()})
	}
	for _, j := range jobs {
		j.run(ctx)
		if err = ctx.Err(); err != nil {
			break
		}
	}
	r := all.report(time.Since(start))
	r.Context.Incomplete = err != nil
	return r, err
}

func newContext(o *Options) Context {
	c := bench.NewContext(nil, bench.Method{})
	out := Context{Time: c.Time, Commit: c.Commit, Go: c.Go, OS: c.OS, Arch: c.Arch, CPU: c.CPU, Cores: c.Cores, Ops: o.Ops,
		Devices: o.Devices, Full: o.Full}
	for _, dt := range o.DTypes {
		out.DTypes = append(out.DTypes, dt.String())
	}
	return out
}

// openDevice is an engine on d, and a function that closes d after it.
func openDevice(ctx context.Context, d *platform.Device) (engine.Engine, func() error, error) {
	if err := errors.Join(variant.CheckEnvironment(), ocl.CheckEnv()); err != nil {
		return nil, nil, err
	}
	opened, err := d.Open(ctx, nil)
	if err != nil {
		return nil, nil, err
	}
	return ocl.New(opened), opened.Close, nil
}

// job is one engine's share.
type job struct {
	o      *Options
	tell   func(e event)
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

// graphs are the kinds of random graphs, and other checks that are not of a single op.
func (j *job) graphs(e, cpu engine.Engine) []randomGraphs {
	all := []randomGraphs{
		{what: "random graphs", check: func(ctx context.Context, seed uint64) error { return optest.GraphError(ctx, e, seed) }},
		{what: "gradients of random graphs", check: func(ctx context.Context,
			seed uint64) error {
			return optest.GraphGradientError(ctx, e, cpu, 2*seed+1)
		}},
		{what: "random graphs with open sizes", check: func(ctx context.Context,
			seed uint64) error {
			return optest.OpenGraphError(ctx, e, seed)
		}},
		{what: "queries of data frames", all: queries, check: func(ctx context.Context,
			seed uint64) error {
			return queryError(ctx, e, cpu, seed)
		}},
		{what: "long folds", all: optest.LongFolds, check: func(ctx context.Context,
			seed uint64) error {
			return optest.LongFoldError(ctx, e, seed)
		}},
	}
	if j.device != nil {
		all = append(all, randomGraphs{what: "launches of own kernels", check: func(ctx context.Context, seed uint64) error {
			return optest.KernelError(ctx, e, seed)
		}})
		all = append(all, randomGraphs{what: "random graphs divided between device and CPU path",
			check: func(ctx context.Context, seed uint64) error {
				return optest.PlacementError(ctx, e, cpu, seed)
			}})
	}
	return all
}

type randomGraphs struct {
	what  string
	all   int // how many there are; 0: as many as are wanted
	check func(ctx context.Context, seed uint64) error
}

// count is how many of them are checked where n are wanted.
func (r *randomGraphs) count(n int) uint64 {
	if n > 0 && r.all > 0 {
		return uint64(r.all)
	}
	return uint64(n)
}

// name is that of the engine.
func (j *job) name() string {
	if j.device == nil {
		return "cpu"
	}
	return j.device.ID
}

// plan lists the steps of a job, in order, as far as they are known before the device is opened.
func (j *job) plan() []step {
	cpu := fallback.New(nil)
	defer cpu.Close()
	var all []step
	for _, p := range optest.Parts(cpu, j.suite()) {
		all = append(all, step{Engine: j.name(), Op: p.Op.Name, DType: p.DType.String()})
	}
	if j.gradients() {
		for _, p := range optest.GradientParts(cpu, cpu, j.suite()) {
			all = append(all, step{Engine: j.name(), Op: p.Op.Name, DType: p.DType.String(), Gradient: true})
		}
	}
	for _, kind := range j.graphs(cpu, cpu) {
		for seed := range kind.count(j.o.Graphs) {
			all = append(all, step{Engine: j.name(), Graphs: kind.what, Seed: seed})
		}
	}
	return all
}

// wanted reports whether s is to be done by this process.
func (j *job) wanted(s step) bool {
	return !slices.Contains(j.o.skip, s) && (j.o.only == nil || slices.Contains(j.o.only, s))
}

// run checks everything on the engine.
func (j *job) run(ctx context.Context) {
	if (j.o.skip != nil || j.o.only != nil) && !slices.ContainsFunc(j.plan(), j.wanted) {
		return
	}
	start := time.Now()
	over := event{Engine: j.name(), Over: true}
	opening, closing := step{Engine: j.name(), Graphs: stepOpen}, step{Engine: j.name(), Graphs: stepClose}
	j.tell(event{Begin: &opening})
	e, after, err := j.open()
	j.tell(event{End: &opening})
	if err != nil {
		over.Err = err.Error()
	} else {
		cpu := fallback.New(nil)
		j.check(ctx, e, cpu)
		j.tell(event{Begin: &closing})
		if err := errors.Join(e.Close(), cpu.Close(), after()); err != nil {
			over.Err = err.Error()
		}
		j.tell(event{End: &closing})
	}
	if j.device != nil {
		report := j.device.Report()
		over.Device = &report
	}
	over.Took = time.Since(start)
	j.tell(over)
}

func (j *job) check(ctx context.Context, e, cpu engine.Engine) {
	parts := optest.Parts(e, j.suite())
	forward := len(parts)
	if j.gradients() {
		parts = append(parts, optest.GradientParts(e, cpu, j.suite())...)
	}
	var group errgroup.Group
	group.SetLimit(procs.Count())
	for i, p := range parts {
		s := step{Engine: j.name(), Op: p.Op.Name, DType: p.DType.String(), Gradient: i >= forward}
		if !j.wanted(s) {
			continue
		}
		if ctx.Err() != nil { // Go waits for room
			break
		}
		group.Go(func() error {
			j.tell(event{Begin: &s})
			part := newPart(p, s.Gradient, guarded(s.Op, func() []optest.Outcome { return p.Check(ctx) }))
			if ctx.Err() == nil { // else its failures say nothing of the device
				j.tell(event{End: &s, Part: &part})
			}
			return nil
		})
	}
	_ = group.Wait() // no part returns one
	for _, kind := range j.graphs(e, cpu) {
		for seed := range kind.count(j.o.Graphs) {
			s := step{Engine: j.name(), Graphs: kind.what, Seed: seed}
			if !j.wanted(s) {
				continue
			}
			if ctx.Err() != nil {
				break
			}
			group.Go(func() error {
				j.tell(event{Begin: &s})
				out := guarded(kind.what, func() []optest.Outcome {
					return []optest.Outcome{outcomeOf(kind.check(ctx, seed))}
				})[0]
				if ctx.Err() != nil {
					return nil
				}
				end := event{End: &s, State: out.State}
				if out.Err != nil {
					end.Err = out.Err.Error()
				}
				j.tell(end)
				return nil
			})
		}
		_ = group.Wait()
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
