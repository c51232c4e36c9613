package report

import (
	"time"

	"github.com/anycl/anycl/engine"
)

// Recorder records one run as spans: an executor tells it the activities of the host and the engines.
type Recorder struct {
	engines []Engine
	epoch   time.Time
	took    time.Duration
	spans   []Span
	ran     []int // how often each task did
}

// Engine is an engine of an executable, and its tasks in the order in which it runs them, by their numbers in a [Report].
type Engine struct {
	Name  string
	Tasks []int
}

// NewRecorder records a run that begins now, on engines that have the given number of tasks together.
func NewRecorder(engines []Engine, tasks int) *Recorder {
	return &Recorder{engines: engines, epoch: time.Now(), ran: make([]int, tasks)}
}

// Epoch is when the run began, from which launches are timed.
func (r *Recorder) Epoch() time.Time { return r.epoch }

// Host notes that the caller's goroutine has done what is named since start.
func (r *Recorder) Host(name string, start time.Time) {
	r.spans = append(r.spans, Span{
		Track: Host, Name: name, Task: -1, Start: start.Sub(r.epoch), End: time.Since(r.epoch), Clock: engine.HostClock,
	})
}

// Ran notes that an engine has run its tasks [first, last), and the launches of these that were timed.
func (r *Recorder) Ran(number, first, last int, launches []engine.Span) {
	e := &r.engines[number]
	for _, t := range e.Tasks[first:last] {
		r.ran[t]++
	}
	for _, l := range launches {
		r.spans = append(r.spans, Span{Track: e.Name, Name: l.Name, Task: e.Tasks[l.Task], Start: l.Start, End: l.End, Clock: l.Clock})
	}
}

// End ends the run and returns how long it took.
func (r *Recorder) End() time.Duration {
	r.took = time.Since(r.epoch)
	return r.took
}
