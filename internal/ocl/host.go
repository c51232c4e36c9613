package ocl

import (
	"fmt"
	"math"
	"slices"
	"sync"
	"time"

	"github.com/anycl/anycl/engine"
	"github.com/anycl/anycl/internal/ocl/facts"
	"github.com/anycl/anycl/internal/ocl/hostrun"
	"github.com/anycl/anycl/internal/ocl/variant"
	"github.com/anycl/anycl/internal/units"
	"github.com/anycl/anycl/platform"
)

// hostPath runs kernels of a driver for CPUs on the program's own threads, where that is faster than its queue: on the
// thread that runs a sequence, or on a pool of workers with it. It is for a device with an inline device; no GPU has one.
type hostPath struct {
	eng    *Engine
	inline *hostRunner
	pooled *hostRunner // nil: there is no second thread
	loaded *hostrun.LoadedKernels
	read   sync.Map // what hostrun.Indivisible says of a program, by textHash: reading a long text takes longer than planning a task
}

// newHostPath is nil where there is no inline device.
func newHostPath(e *Engine) *hostPath {
	c := e.dev.InlineDevice()
	if c == nil {
		return nil
	}
	of := facts.New(c.Device(), e.dev.Caps())
	of.Name, of.MaxAlloc, of.Unoptimized = e.facts.Name, e.facts.MaxAlloc, e.facts.Unoptimized
	h := &hostPath{eng: e, loaded: &hostrun.Loaded}
	h.inline = &hostRunner{host: h, inline: c, to: target{
		device: c.Device().CL(), facts: of, programs: c, head: hostrun.PartHead, customHead: hostrun.CustomHead, mark: "true 1",
		library: new(library), log: e.dev.Logger(),
	}}
	if pool := hostrun.NewPool(e.facts.Units); pool != nil { // which plans as for the whole device
		pooled := *h.inline
		pooled.to.facts, pooled.to.mark, pooled.pool = e.facts, fmt.Sprintf("true %d", pool.Width()), pool
		h.pooled = &pooled
	}
	return h
}

// share makes h use the kernels that other has compiled.
func (h *hostPath) share(other *hostPath) {
	h.inline.to.library = other.inline.to.library
	if h.pooled != nil {
		h.pooled.to.library = other.inline.to.library
	}
}

func (h *hostPath) close() {
	if h != nil {
		h.workers().Close()
	}
}

// workers is the pool, or nil.
func (h *hostPath) workers() *hostrun.Pool {
	if h.pooled == nil {
		return nil
	}
	return h.pooled.pool
}

// noteQueued is told the launches in the device's queue.
func (h *hostPath) noteQueued(t *engine.Task, k launchKey) {
	h.loaded.Enter(t, k.program, k.kernel, k.local)
}

// indivisible says why launches of t must not be divided among threads. Those that are checked are not: the bytes
// between the red zones are copied to the device's own memory.
func (h *hostPath) indivisible(t *engine.Task) (why string, checked bool) {
	switch {
	case t.Kind != engine.Custom:
		return "", false
	case h.eng.bounds:
		return "", true
	}
	source, options := t.Custom.Source, t.Custom.Form(true).Options
	id := textHash(source, options)
	known, ok := h.read.Load(id)
	if !ok {
		known, _ = h.read.LoadOrStore(id, hostrun.Indivisible(source, options))
	}
	return known.(string), false
}

// callersCaches is the domain of data moved by the thread that then runs kernels on it, or did before.
const callersCaches engine.MemoryDomain = "near"

// hostRates are the times and rates that estimates of the host path are computed from.
type hostRates struct {
	wake     time.Duration // until all units of the device work, and the caller knows that they are done
	launch   time.Duration
	memory   float64 // bytes a second, of one core
	up, down platform.Curve
}

func newHostRates(c *platform.Calibration) hostRates {
	r := hostRates{wake: 30 * time.Microsecond, launch: time.Microsecond, memory: 50e9}
	if c == nil {
		return r
	}
	r.wake = c.Wake
	if c.InlineLaunch > 0 {
		r.launch, r.memory, r.up, r.down = c.InlineLaunch, c.InlineCopy, c.InlineUploads, c.InlineDownloads
	}
	return r
}

// curves returns the curves of transfers to and from a domain.
func (r *rates) curves(d engine.MemoryDomain) (up, down platform.Curve) {
	up, down = r.up, r.down
	if d == callersCaches && len(r.host.up) > 0 {
		up = r.host.up
	}
	if d == callersCaches && len(r.host.down) > 0 {
		down = r.host.down
	}
	return up, down
}

// hostEstimates are the times of tasks on the program's own threads.
type hostEstimates struct {
	*hostPath
	rates *rates
	tasks []hostTask
	rule  bool // a task is to be reproducible
	held  int  // kernels that the driver keeps loaded for its threads
}

// hostTask is what the choice of a runner asks of a task.
type hostTask struct {
	able  bool // it can run on the inline device
	own   bool // it is a caller's kernel, of which nobody knows how much it computes before it has run
	fresh bool // the first of its kind, and the driver's threads did not run it yet
	work  coreTime
	// reads and writes are bytes of operands that differ from run to run.
	reads, writes int64
}

// coreTime is the time of a task on one core without its launches, how much of it the core computes, while it waits for memory
// for the rest, and how many launches there are.
type coreTime struct {
	all, computing time.Duration
	launches       int
}

func (h *hostPath) estimates(r *rates) *hostEstimates { return &hostEstimates{hostPath: h, rates: r} }

// add adds a task that the device can run, or one about which nobody will ask.
func (s *hostEstimates) add(t *engine.Task, c engine.Cost, able bool) {
	if s == nil {
		return
	}
	held, among := s.loaded.Holds(t)
	s.rule, s.held = s.rule || t.Reproducible, held
	h := hostTask{own: t.Kind == engine.Custom, fresh: !among, reads: moving(t.Ins), writes: moving(t.Outs)}
	if able {
		why, checked := s.indivisible(t)
		h.able = variant.Check(s.inline.to.facts, t) == nil && why == "" && !checked
		h.work = s.rates.onCore(t, c)
	}
	s.tasks = append(s.tasks, h)
}

// moving are the bytes of operands that are not the same in every run.
func moving(operands []engine.Operand) (n int64) {
	for _, o := range operands {
		if !o.Steady {
			n += o.Bytes()
		}
	}
	return n
}

// repeat adds task number i once more.
func (s *hostEstimates) repeat(i int) {
	if s != nil {
		again := s.tasks[i]
		again.fresh = false
		s.tasks = append(s.tasks, again)
	}
}

// choose returns the runner of some of the tasks, and why; nil: the device's queue runs them.
func (s *hostEstimates) choose(tasks []int) (r *hostRunner, why string) {
	if slices.ContainsFunc(tasks, func(t int) bool { return !s.tasks[t].able }) {
		return nil, ""
	}
	switch variant.Forced(s.eng.force, variant.Thread) {
	case variant.ThreadCaller:
		return s.inline, "CPU threads: inline, by " + variant.EnvVariant
	case variant.ThreadPool:
		if s.pooled != nil {
			return s.pooled, "CPU threads: worker pool, by " + variant.EnvVariant
		}
		return s.inline, "CPU threads: inline, as there is one, by " + variant.EnvVariant
	case variant.ThreadDriver:
		return nil, ""
	}
	inline, queued, pooled := s.race(tasks)
	if s.rule { // the inline device alone plans for one core, and the choice is measured
		inline = math.MaxInt64
	}
	alone := time.Duration(float64(inline) / inlineMargin)
	full := ""
	if best := min(pooled, alone); best > queued || best > foreground {
		if float64(best) > inlineMargin*float64(queued) || !s.crowded(tasks) {
			return nil, ""
		}
		full = fmt.Sprintf(", as the driver keeps %d kernels loaded for its threads already", s.held)
	}
	// The explanation omits runners that were not considered.
	r, chosen, took, other, otherTook := s.inline, "inline", inline, "worker pool", pooled
	// The worker pool sees how long a caller's own kernel takes, and divides it or not.
	if own := s.pooled != nil && slices.ContainsFunc(tasks, func(t int) bool { return s.tasks[t].own }); own || pooled < alone {
		r, chosen, took, other, otherTook = s.pooled, other, pooled, chosen, inline
	}
	if why = fmt.Sprintf("CPU threads: %s %s (", chosen, units.Duration(took)); otherTook < math.MaxInt64 {
		why += fmt.Sprintf("%s %s, ", other, units.Duration(otherTook))
	}
	return r, why + "driver threads " + units.Duration(queued) + ")" + full
}

// crowded reports whether tasks had better leave the driver's threads alone.
func (s *hostEstimates) crowded(tasks []int) bool {
	fresh := 0
	for _, t := range tasks {
		if s.tasks[t].fresh {
			fresh++
		}
	}
	return hostrun.Crowded(s.held, fresh)
}

// inlineMargin is by how much the calling thread may be predicted to be slower alone and still be chosen:
// threads that are woken do not begin together, and their time is taken from other callers.
const inlineMargin = 1.25

// foreground is how long a run may take on the calling thread, which cannot prepare the next one
// meanwhile.
const foreground = 20 * time.Millisecond

// race predicts the time of tasks on the inline device, on the device, where their memory is
// in the processor's caches, as in short runs, and on the worker pool. What the first one reads and the last one writes is copied to and
// from the device, and stays in place for the others.
func (s *hostEstimates) race(tasks []int) (inline, queued, pooled time.Duration) {
	r := s.rates
	queued, pooled = r.host.wake, math.MaxInt64
	if len(tasks) > 0 {
		queued += r.move(r.up, s.tasks[tasks[0]].reads) + r.move(r.down, s.tasks[tasks[len(tasks)-1]].writes)
	}
	if s.pooled != nil {
		pooled = 0
	}
	for _, t := range tasks {
		work := s.tasks[t].work
		launches := time.Duration(work.launches)
		inline += launches*r.host.launch + work.all
		queued += launches*r.launch + r.woken(work)
		if s.pooled != nil {
			pooled += s.pooled.pool.Time(work.all, work.computing, launches*r.host.launch)
		}
	}
	return inline, queued, pooled
}

// of predicts tasks that r runs.
func (s *hostEstimates) of(r *hostRunner, tasks []int, times []time.Duration) engine.Link {
	for i, t := range tasks {
		work := s.tasks[t].work
		launch := time.Duration(work.launches) * s.rates.host.launch
		if times[i] = launch + work.all; r.pool != nil {
			times[i] = r.pool.Time(work.all, work.computing, launch)
		}
	}
	link := engine.Link{Aliased: r.aliases()}
	if r.pool == nil {
		link.Domain = callersCaches
	} else { // while another engine is at work, helpers fall asleep
		link.Wait = s.rates.host.wake
	}
	return link
}

// woken predicts the time of a task on the driver's threads, without the launches: between two launches the threads that are done
// fall asleep, and all but one come late to the next launch.
func (r *rates) woken(work coreTime) time.Duration {
	late := time.Duration(work.launches*(r.units-1)) * r.host.wake
	return min(work.all, (work.all+late)/time.Duration(r.units))
}

// onCore is the time of a task on one core, without the launches.
func (r *rates) onCore(t *engine.Task, c engine.Cost) coreTime {
	if t.Kind == engine.Routine {
		l := variant.CostOf(t)
		all := seconds(l.Time(1, r.flops/float64(r.units), r.host.memory))
		return coreTime{all, all, max(int(l.Launches), 1)}
	}
	bytes, computing := c.BytesRead+c.BytesWrite, seconds(float64(r.units)*r.computing(t, c))
	return coreTime{max(computing, seconds(bytes/r.bandwidth(bytes))), computing, 1}
}

// Bytes that calibration copies: on one core, where caches hold them, and on all.
const (
	cachedBytes   = 4 << 20
	uncachedBytes = 128 << 20
)

// bandwidth is the rate of one core at work on that number of bytes.
func (r *rates) bandwidth(bytes float64) float64 {
	each := r.memory / float64(r.units)
	if bytes <= cachedBytes || each >= r.host.memory {
		return r.host.memory
	}
	beyond := min(math.Log(bytes/cachedBytes)/math.Log(uncachedBytes/cachedBytes), 1)
	return r.host.memory * math.Pow(each/r.host.memory, beyond)
}

// productEfficiency is the share of the peak rate that large products reach.
const productEfficiency = 0.85

// takes reports whether p, of that number of operations, is over sooner on the calling thread than threads are woken.
func (h *hostPath) takes(p *Product, flops float64) bool {
	switch variant.Forced(h.eng.force, variant.Thread) {
	case variant.ThreadCaller:
		return true
	case variant.ThreadDriver:
		return false
	}
	r := h.eng.rates()
	size := float64(p.DType.Size())
	m, n, k := float64(p.M), float64(p.N), float64(p.K)
	one := r.flops * productEfficiency / float64(r.units) // of a core
	work := max(flops/one*size/4, (m*k+k*n+m*n)*size/r.host.memory)
	inline := work + r.host.launch.Seconds()
	queued := work/float64(r.units) + (r.host.wake + r.launch).Seconds()
	return inline <= inlineMargin*queued
}
