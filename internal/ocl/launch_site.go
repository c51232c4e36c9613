package ocl

import (
	"context"
	"errors"
	"fmt"
	"math"
	"slices"
	"time"

	"github.com/anycl/anycl/cl"
	"github.com/anycl/anycl/engine"
	"github.com/anycl/anycl/internal/ocl/facts"
	"github.com/anycl/anycl/internal/ocl/hostrun"
	"github.com/anycl/anycl/internal/ocl/variant"
	"github.com/anycl/anycl/internal/units"
	"github.com/anycl/anycl/platform"
)

// launchSite is where the kernels of a sequence run: on the device, or on its companion,
// which is the thread that runs the sequence, alone or with the worker pool.
type launchSite struct {
	device    *cl.Device
	facts     *facts.Device
	companion *platform.Companion // nil: the device
	pool      *hostrun.Pool       // nil: one thread, or those of the driver
	programs  interface {
		Program(ctx context.Context, name, source, options string) (*cl.Program, error)
	}
	head    string // of every program
	library *library
}

// newInline is the site of the companion; nil where there is none.
func newInline(dev *platform.Opened, device *facts.Device) *launchSite {
	c := dev.Companion()
	if c == nil {
		return nil
	}
	facts := facts.New(c.Device(), dev.Caps())
	facts.Name, facts.MaxAlloc = device.Name, device.MaxAlloc
	return &launchSite{device: c.Device().CL(), facts: facts, companion: c, programs: c, head: hostrun.PartHead, library: new(library)}
}

// newPooled is the inline site with a worker pool, which plans as for the whole device; nil where there is no
// second thread.
func newPooled(inline *launchSite, device *facts.Device) *launchSite {
	if inline == nil {
		return nil
	}
	c := hostrun.NewPool(device.Units)
	if c == nil {
		return nil
	}
	w := *inline
	w.facts, w.pool = device, c
	return &w
}

// siteFor is where tasks run that are all there is to run, and why. A site is chosen for
// a whole sequence, because they do not wait for each other.
func (e *Engine) siteFor(tasks []*engine.Task) (w *launchSite, why string) {
	return e.estimates(tasks).site(firstOf(len(tasks)))
}

// firstOf is the numbers below n.
func firstOf(n int) []int {
	all := make([]int, n)
	for i := range all {
		all[i] = i
	}
	return all
}

// estimates are the times of tasks wherever they may run.
type estimates struct {
	e      *Engine
	tasks  []*engine.Task
	rates  *rates
	inline []bool          // it can run on the companion
	work   []coreTime      // of one core, without the launch
	queued []time.Duration // on the driver's threads
	fresh  []bool          // the first of its kind, and it did not run there yet
	rule   bool            // a task is to be reproducible
	held   int             // kernels that the driver keeps loaded for its threads
}

var _ engine.Estimates = (*estimates)(nil)

func (e *Engine) estimates(tasks []*engine.Task) *estimates {
	s := &estimates{e: e, tasks: tasks, rates: e.rates()}
	first := make(map[*engine.Task]int, len(tasks)) // the same may be there many times
	for i, t := range tasks {
		s.rule = s.rule || t.Reproducible
		if j, ok := first[t]; ok {
			s.inline, s.work, s.queued = append(s.inline, s.inline[j]), append(s.work, s.work[j]), append(s.queued, s.queued[j])
			s.fresh = append(s.fresh, false)
			continue
		}
		first[t] = i
		held, among := e.loaded.Holds(t)
		s.fresh, s.held = append(s.fresh, !among), held
		if variant.Check(e.facts, t) != nil { // nobody will ask
			s.inline, s.work, s.queued = append(s.inline, false), append(s.work, coreTime{}), append(s.queued, 0)
			continue
		}
		c := t.Cost()
		s.inline = append(s.inline, e.inline != nil && variant.Check(e.inline.facts, t) == nil && e.divides(t))
		s.work = append(s.work, s.rates.nearTime(t, c))
		s.queued = append(s.queued, s.rates.farTime(t, c))
	}
	return s
}

// coreTime is the time of a task on one core, and how much of it the core computes; the rest it waits for memory.
type coreTime struct{ all, computing time.Duration }

// site is siteFor some of the tasks.
func (s *estimates) site(tasks []int) (w *launchSite, why string) {
	e := s.e
	if e.inline == nil || slices.ContainsFunc(tasks, func(t int) bool { return !s.inline[t] }) {
		return e.driverQueue, ""
	}
	switch variant.Forced(e.force, variant.Thread) {
	case variant.ThreadCaller:
		return e.inline, "CPU threads: inline, by " + variant.EnvVariant
	case variant.ThreadPool:
		if e.pooled != nil {
			return e.pooled, "CPU threads: worker pool, by " + variant.EnvVariant
		}
		return e.inline, "CPU threads: inline, as there is one, by " + variant.EnvVariant
	case variant.ThreadDriver:
		return e.driverQueue, ""
	}
	inline, queued, pooled := s.race(tasks)
	if s.rule { // the companion alone plans for one core, and what decides is measured
		inline = math.MaxInt64
	}
	alone := time.Duration(float64(inline) / patience)
	full := ""
	if best := min(pooled, alone); best > queued || best > foreground {
		if float64(best) > patience*float64(queued) || !s.crowded(tasks) {
			return e.driverQueue, ""
		}
		full = fmt.Sprintf(", as the driver keeps %d kernels loaded for its threads already", s.held)
	}
	// What was not considered is not told.
	w, chosen, took, other, otherTook := e.inline, "inline", inline, "worker pool", pooled
	if pooled < alone {
		w, chosen, took, other, otherTook = e.pooled, other, pooled, chosen, inline
	}
	if why = fmt.Sprintf("CPU threads: %s %s (", chosen, units.Duration(took)); otherTook < math.MaxInt64 {
		why += fmt.Sprintf("%s %s, ", other, units.Duration(otherTook))
	}
	return w, why + "driver threads " + units.Duration(queued) + ")" + full
}

// crowded reports whether tasks had better leave the driver's threads alone.
func (s *estimates) crowded(tasks []int) bool {
	fresh := 0
	for _, t := range tasks {
		if s.fresh[t] {
			fresh++
		}
	}
	return hostrun.Crowded(s.held, fresh)
}

// patience is by how much the calling thread may be predicted to be slower alone and still be
// chosen: threads that are woken do not begin together, and what they do is taken from other callers.
const patience = 1.25

// foreground is how long a run may take on the calling thread, which cannot prepare the next one
// meanwhile.
const foreground = 20 * time.Millisecond

// race predicts the time of tasks on the companion, on the device, where their memory is
// in the processor's caches, as that of short runs is, and on the worker pool.
func (s *estimates) race(tasks []int) (inline, queued, pooled time.Duration) {
	r := s.rates
	queued, pooled = r.wake, math.MaxInt64
	if s.e.pooled != nil {
		pooled = 0
	}
	for _, t := range tasks {
		work := s.work[t]
		inline += r.nearLaunch + work.all
		queued += r.launch + r.woken(work.all)
		if s.e.pooled != nil {
			pooled += s.e.pooled.pool.Time(work.all, work.computing, r.nearLaunch)
		}
	}
	return inline, queued, pooled
}

// woken predicts the time on the driver's threads, without the launch, of what takes one core so long: between two
// launches those that are done fall asleep, and all but one come late to the next.
func (r *rates) woken(work time.Duration) time.Duration {
	return min(work, (work+time.Duration(r.units-1)*r.wake)/time.Duration(r.units))
}

// nearWork is the time of a task on one core, without the launch.
func (r *rates) nearWork(t *engine.Task) time.Duration { return r.nearTime(t, t.Cost()).all }

func (r *rates) nearTime(t *engine.Task, c engine.Cost) coreTime {
	if t.Kind == engine.Routine {
		l := variant.CostOf(t)
		all := time.Duration((l.Launches-1)*float64(r.nearLaunch)) + seconds(l.Time(1, r.flops/float64(r.units), r.nearMemory))
		return coreTime{all, all}
	}
	bytes, computing := c.BytesRead+c.BytesWrite, seconds(float64(r.units)*r.computing(t, c))
	return coreTime{max(computing, seconds(bytes/r.bandwidth(bytes))), computing}
}

// Bytes of what calibration copies: on one core, where caches hold it, and on all.
const (
	nearBytes = 4 << 20
	farBytes  = 128 << 20
)

// bandwidth is the rate of one core at work on so many bytes.
func (r *rates) bandwidth(bytes float64) float64 {
	each := r.memory / float64(r.units)
	if bytes <= nearBytes || each >= r.nearMemory {
		return r.nearMemory
	}
	beyond := min(math.Log(bytes/nearBytes)/math.Log(farBytes/nearBytes), 1)
	return r.nearMemory * math.Pow(each/r.nearMemory, beyond)
}

// Of predicts tasks that are all there is to run.
func (s *estimates) Of(tasks []int) (times []time.Duration, link engine.Link) {
	w, _ := s.site(tasks)
	times = make([]time.Duration, len(tasks))
	for i, t := range tasks {
		switch w {
		case s.e.driverQueue:
			times[i] = s.queued[t]
		case s.e.inline:
			times[i] = s.rates.nearLaunch + s.work[t].all
		default:
			times[i] = w.pool.Time(s.work[t].all, s.work[t].computing, s.rates.nearLaunch)
		}
	}
	if w == s.e.driverQueue {
		return times, engine.Link{Wait: s.rates.wait}
	}
	link.Aliased = w.lends()
	if w == s.e.inline {
		link.Domain = callersCaches
	}
	return times, link
}

// Upload predicts a transfer to the device.
func (s *estimates) Upload(n int64, d engine.MemoryDomain) time.Duration { return s.e.upload(n, d) }

// Download predicts a transfer from the device.
func (s *estimates) Download(n int64, d engine.MemoryDomain) time.Duration { return s.e.download(n, d) }

// openQueues opens what the sequence submits to. A queue of the companion takes
// the commands of one goroutine, so that every sequence has its own, one for each thread.
func (s *sequence) openQueues() error {
	if s.site.companion == nil {
		s.queues = []*cl.Queue{s.eng.dev.Queue()}
		return nil
	}
	for range s.site.width() {
		q, err := s.site.companion.NewQueue(cl.QueueOptions{})
		if err != nil {
			return err
		}
		s.queues = append(s.queues, q)
	}
	return nil
}

// width is how many threads of our own run a launch.
func (w *launchSite) width() int {
	if w.pool == nil {
		return 1
	}
	return w.pool.Width()
}

// await lets the device end what was submitted, which a companion does not wait for by itself.
func (s *sequence) await(ctx context.Context) error {
	if !s.immediate() || s.eng.Idle() {
		return nil
	}
	return s.eng.Wait(ctx)
}

// immediate reports whether Run returns when its tasks are done.
func (s *sequence) immediate() bool { return s.site.companion != nil }

// closeQueues closes the queues of the sequence's own.
func (s *sequence) closeQueues() (err error) {
	if !s.immediate() {
		return nil
	}
	for _, q := range s.queues {
		err = errors.Join(err, q.Finish(), q.Close())
	}
	s.queues = nil
	return err
}

// divides reports whether the launches of a task may be divided among threads. Those that are
// checked are not: what is between the red zones is copied to the device's own memory.
func (e *Engine) divides(t *engine.Task) bool {
	return t.Kind != engine.Custom || !e.bounds && hostrun.Indivisible(t.Custom.Source, t.Custom.Options) == ""
}
