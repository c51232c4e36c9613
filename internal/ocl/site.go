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
	"github.com/anycl/anycl/platform"
)

// site is where the kernels of a sequence run: on the device, or on its companion,
// which is the thread that runs the sequence, alone or with the crew.
type site struct {
	device    *cl.Device
	facts     *deviceFacts
	companion *platform.Companion // nil: the device
	crew      *crew               // nil: one thread, or those of the driver
	programs  interface {
		Program(ctx context.Context, name, source, options string) (*cl.Program, error)
	}
	head    string // of every program
	library *library
}

// Names of the sites, as EnvVariant takes them: "thread=caller".
const (
	siteName    = "thread"
	siteCaller  = "caller"
	siteCrew    = "crew"
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
	return &site{device: c.Device().CL(), facts: facts, companion: c, programs: c, head: nearHead, library: new(library)}
}

// newTeam is near with a crew, which plans as for the whole device; nil where there is no
// second thread.
func newTeam(near *site, far *deviceFacts) *site {
	if near == nil {
		return nil
	}
	c := newCrew(far.units)
	if c == nil {
		return nil
	}
	w := *near
	w.facts, w.crew = far, c
	return &w
}

// siteOf is where tasks run that are all there is to run, and why. A site is chosen for
// a whole sequence, because they do not wait for each other.
func (e *Engine) siteOf(tasks []*engine.Task) (w *site, why string) {
	if e.near == nil || slices.ContainsFunc(tasks, func(t *engine.Task) bool { return e.near.facts.check(t) != nil }) {
		return e.far, ""
	}
	switch forcedName(e.force, siteName) {
	case siteCaller:
		return e.near, "on the calling thread: " + EnvVariant
	case siteCrew:
		if e.team != nil {
			return e.team, "shared with the calling thread: " + EnvVariant
		}
		return e.near, "on the calling thread, which is alone: " + EnvVariant
	case siteWorkers:
		return e.far, ""
	}
	near, far := e.rates().race(tasks)
	team := time.Duration(math.MaxInt64)
	if e.team != nil {
		team = 0
		for _, t := range tasks {
			team += e.rates().shared(t, e.team.crew)
		}
	}
	us := func(d time.Duration) time.Duration { return d.Round(100 * time.Nanosecond) }
	switch alone := time.Duration(float64(near) / patience); {
	case min(team, alone) > far || min(team, alone) > foreground:
		return e.far, ""
	case alone <= team:
		return e.near, fmt.Sprintf("on the calling thread: predicted %v, and %v where threads are woken", us(near), us(far))
	default:
		return e.team, fmt.Sprintf("shared with the calling thread: predicted %v, %v on it alone, and %v where threads are woken", us(team), us(near), us(far))
	}
}

// patience is by how much the calling thread may be predicted to be slower alone and still be
// chosen: threads that are woken do not begin together, and what they do is taken from other callers.
const patience = 1.25

// foreground is how long a run may take on the calling thread, which cannot prepare the next one
// meanwhile.
const foreground = 20 * time.Millisecond

// race predicts the time of tasks on the companion and on the device, where their memory is
// in the processor's caches, as that of short runs is.
func (r *rates) race(tasks []*engine.Task) (near, far time.Duration) {
	far = r.wake
	for _, t := range tasks {
		work := r.nearWork(t)
		near += r.nearLaunch + work
		far += r.launch + work/time.Duration(r.units)
	}
	return near, far
}

// shared predicts the time of a task on a crew.
func (r *rates) shared(t *engine.Task, c *crew) time.Duration {
	work := r.nearWork(t)
	if work < 2*partLow {
		return r.nearLaunch + work
	}
	part := work / time.Duration(c.width())
	if part > monitored && !c.spare {
		part += part / 6
	}
	return 3*r.nearLaunch + part
}

// nearWork is the time of a task on one core, without the launch.
func (r *rates) nearWork(t *engine.Task) time.Duration {
	if t.Kind == engine.Routine {
		l := labourOf(t)
		return time.Duration((l.launches-1)*float64(r.nearLaunch)) + seconds(l.time(1, r.flops/float64(r.units), r.nearMemory))
	}
	c := t.Cost()
	bytes := c.BytesRead + c.BytesWrite
	return seconds(max(float64(r.units)*r.computing(t, c), bytes/r.bandwidth(bytes)))
}

// Bytes of what calibration copies: on one core, where caches hold it, and on all.
const (
	nearBytes = 4 << 20
	farBytes  = 128 << 20
)

// bandwidth is the rate of one core at work on so many bytes.
func (r *rates) bandwidth(bytes float64) float64 {
	far := r.memory / float64(r.units)
	if bytes <= nearBytes || far >= r.nearMemory {
		return r.nearMemory
	}
	beyond := min(math.Log(bytes/nearBytes)/math.Log(farBytes/nearBytes), 1)
	return r.nearMemory * math.Pow(far/r.nearMemory, beyond)
}

// EstimateAll predicts tasks that are all there is to run, and the time to move n bytes
// of inputs and results.
func (e *Engine) EstimateAll(tasks []*engine.Task, n int64) (times []time.Duration, move time.Duration) {
	w, _ := e.siteOf(tasks)
	times = make([]time.Duration, len(tasks))
	for i, t := range tasks {
		switch w {
		case e.far:
			times[i] = e.Estimate(t)
		case e.near:
			times[i] = e.rates().nearLaunch + e.rates().nearWork(t)
		default:
			times[i] = e.rates().shared(t, w.crew)
		}
	}
	if w == e.far {
		return times, e.Transfer(n)
	}
	return times, e.Transfer(n) - e.rates().wait
}

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
func (w *site) width() int {
	if w.crew == nil {
		return 1
	}
	return w.crew.width()
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

// closeQueues closes the queues of the sequence's own.
func (s *sequence) closeQueues() (err error) {
	if !s.Immediate() {
		return nil
	}
	for _, q := range s.queues {
		err = errors.Join(err, q.Finish(), q.Close())
	}
	s.queues = nil
	return err
}
