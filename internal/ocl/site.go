package ocl

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/anycl/anycl/cl"
	"github.com/anycl/anycl/engine"
	"github.com/anycl/anycl/platform"
)

// site is where the kernels of a sequence run: on the device, or on its companion,
// which is the thread that runs the sequence.
type site struct {
	device    *cl.Device
	facts     *deviceFacts
	companion *platform.Companion // nil: the device
	programs  interface {
		Program(ctx context.Context, name, source, options string) (*cl.Program, error)
	}
	library library
}

// Names of the sites, as EnvVariant takes them: "thread=caller". A caller's own kernel runs
// on the driver's threads all the same.
const (
	siteName    = "thread"
	siteCaller  = "caller"
	siteWorkers = "workers"
)

// newNear is the site of the companion; nil where there is none.
func newNear(dev *platform.Opened, far *deviceFacts) *site {
	c := dev.Companion()
	if c == nil {
		return nil
	}
	facts := newFacts(c.Device(), dev.Caps())
	facts.name, facts.maxAlloc, facts.tuned = far.name, far.maxAlloc, far.tuned
	return &site{device: c.Device().CL(), facts: facts, companion: c, programs: c}
}

// siteOf is where tasks run that are all there is to run, and why. A site is chosen for
// a whole sequence, because the two do not wait for each other.
func (e *Engine) siteOf(tasks []*engine.Task) (w *site, why string) {
	if e.near == nil {
		return e.far, ""
	}
	for _, t := range tasks {
		// What a caller's own kernel does cannot be predicted.
		if t.Kind == engine.Custom || e.near.facts.check(t) != nil {
			return e.far, ""
		}
	}
	switch forcedName(e.force, siteName) {
	case siteCaller:
		return e.near, "on the calling thread: " + EnvVariant
	case siteWorkers:
		return e.far, ""
	}
	near, far := e.rates.race(tasks)
	if far < near {
		return e.far, ""
	}
	return e.near, fmt.Sprintf("on the calling thread: predicted %v, and %v where threads are woken",
		near.Round(100*time.Nanosecond), far.Round(100*time.Nanosecond))
}

// patience is by how much the companion may be predicted to be slower and still be chosen:
// threads that are woken do not begin together, and what they do is taken from other callers.
const patience = 1.25

// race predicts the time of tasks on the companion and on the device, where their memory is
// in the processor's caches, as that of short runs is. The second is as long as the first may be.
func (r *rates) race(tasks []*engine.Task) (near, far time.Duration) {
	far = r.wake
	for _, t := range tasks {
		work := r.nearWork(t)
		near += r.nearLaunch + work
		far += r.launch + work/time.Duration(r.units)
	}
	return near, time.Duration(float64(far) * patience)
}

// nearWork is the time of a task on one core, without the launch.
func (r *rates) nearWork(t *engine.Task) time.Duration {
	c := t.Cost()
	return seconds(max(c.Flops*float64(r.units)/(r.flops*efficiency[t.Kind]), (c.BytesRead+c.BytesWrite)/r.nearMemory))
}

// EstimateAll predicts tasks that are all there is to run, and the time to move n bytes
// of inputs and results.
func (e *Engine) EstimateAll(tasks []*engine.Task, n int64) (times []time.Duration, move time.Duration) {
	w, _ := e.siteOf(tasks)
	times = make([]time.Duration, len(tasks))
	for i, t := range tasks {
		if times[i] = e.rates.nearLaunch + e.rates.nearWork(t); w == e.far {
			times[i] = e.Estimate(t)
		}
	}
	if w == e.far {
		return times, e.Transfer(n)
	}
	return times, seconds(float64(n) / e.rates.upload)
}

// queue returns the queue that a sequence submits to. A queue of the companion takes
// the commands of one goroutine, so that every sequence has its own.
func (s *sequence) openQueue() (err error) {
	if s.site.companion == nil {
		s.queue = s.eng.dev.Queue()
		return nil
	}
	s.queue, err = s.site.companion.NewQueue(cl.QueueOptions{})
	return err
}

// await lets the device end what was submitted, which a companion does not wait for by itself.
func (s *sequence) await(ctx context.Context) error {
	if !s.Immediate() || s.eng.Idle() {
		return nil
	}
	return s.eng.Wait(ctx)
}

// Immediate reports whether Run returns when its tasks are done.
func (s *sequence) Immediate() bool { return s.site.companion != nil }

// profilingQueue returns a queue whose events have times, and what gives it back.
func (s *sequence) profilingQueue() (*cl.Queue, func() error, error) {
	if s.site.companion == nil {
		q, err := s.eng.dev.ProfilingQueue()
		return q, func() error { return nil }, err
	}
	q, err := s.site.companion.NewQueue(cl.QueueOptions{Profiling: true})
	return q, q.Close, err
}

// closeQueue closes a queue of the sequence's own.
func (s *sequence) closeQueue() error {
	if s.queue == nil || !s.Immediate() {
		return nil
	}
	q := s.queue
	s.queue = nil
	return errors.Join(q.Finish(), q.Close())
}
