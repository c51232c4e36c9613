package ops

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"time"

	"github.com/anycl/anycl/engine"
	"github.com/anycl/anycl/internal/ram"
	"github.com/anycl/anycl/tensor"
)

// ProfileOptions say how much is measured. The zero value is right for most.
type ProfileOptions struct {
	// Runs is how often the graph is run in each way, after one run that does
	// not count; 0 means 5.
	Runs int
}

// Profile is where the time of an executable goes. Times are medians over its
// runs; see [Executable.Profile].
type Profile struct {
	Graph   string `json:"graph"`
	Runtime string `json:"runtime"` // what ran it and why
	Runs    int    `json:"runs"`
	// Wall is a whole run, feeds and outputs included, when nothing is timed
	// inside; Traced is a run in which every launch is.
	Wall    time.Duration           `json:"wall_ns"`
	Traced  time.Duration           `json:"traced_ns"`
	Peaks   map[string]engine.Peaks `json:"peaks"` // of each engine used
	Tasks   []TaskProfile           `json:"tasks"`
	Kernels []KernelProfile         `json:"kernels"` // the longest first
	Spans   []Span                  `json:"spans"`   // of the run whose time is the median
}

// Rate is work against time.
type Rate struct {
	Launches int           `json:"launches"`
	Time     time.Duration `json:"time_ns"` // of these together
	Flops    float64       `json:"flops"`   // that had to be done
	Bytes    float64       `json:"bytes"`   // that had to be read and written
	GFLOPS   float64       `json:"gflops"`
	GBs      float64       `json:"gb_s"`
	// Share is Flops or Bytes a second, whichever comes nearer to its engine's
	// peak, as a part of it; Bound says which: "flops" or "bytes". Bytes that
	// stay in a cache can bring it above 1. Empty where no peak is known.
	Share float64 `json:"share"`
	Bound string  `json:"bound,omitempty"`
}

// TaskProfile is a task after fusion.
type TaskProfile struct {
	Name      string        `json:"name"`
	Kind      string        `json:"kind"`
	Caller    string        `json:"caller"`
	Axes      []int         `json:"axes"`
	Where     string        `json:"where"`
	Variant   string        `json:"variant"`
	Predicted time.Duration `json:"predicted_ns"`
	Rate
}

// KernelProfile is a kernel in all the tasks that launch it. The work of a task
// with several launches is divided among them as their times are.
type KernelProfile struct {
	Name  string `json:"name"`
	Where string `json:"where"`
	Rate
}

// Span is what the host or an engine did for a while, within one run.
type Span struct {
	Track string        `json:"track"` // "host", or the engine
	Name  string        `json:"name"`
	Task  int           `json:"task"` // index into Tasks, -1 for none
	Start time.Duration `json:"start_ns"`
	End   time.Duration `json:"end_ns"`
	Clock engine.Clock  `json:"clock"`
}

// hostTrack is the track of what the caller's goroutine does.
const hostTrack = "host"

// Profile runs x, several times as Run does and several times with a clock on
// every launch, and tells where the time goes: for each task and each kernel
// the time, the rate, its share of what the engine can do at most, and what was
// predicted. Times of launches are the device's own where it has a clock
// (Clock in Spans). The runs are real: variables are updated by each. Errors: as
// of Run.
func (x *Executable) Profile(ctx context.Context, feeds Feeds, o ProfileOptions) (*Profile, error) {
	if o.Runs < 0 {
		return nil, fmt.Errorf("ops: profile %q: %d runs", x.name, o.Runs)
	}
	if o.Runs == 0 {
		o.Runs = 5
	}
	x = x.now()
	outs, err := x.newOutputs()
	if err != nil {
		return nil, err
	}
	r := x.Report()
	p := &Profile{Graph: r.Graph, Runtime: r.Runtime, Runs: o.Runs, Peaks: map[string]engine.Peaks{}}
	var walls []time.Duration
	var traces []*tracer
	for i := range 2*o.Runs + 2 { // both ways in turn; the first of each does not count
		start := time.Now()
		var tr *tracer
		if i%2 == 1 {
			tr = &tracer{epoch: start, tasks: x.taskNumbers(), ran: make([]int, len(x.units))}
		}
		if err := x.run(ctx, feeds, outs, tr); err != nil {
			return nil, err
		}
		took := time.Since(start)
		switch {
		case i < 2:
		case tr == nil:
			walls = append(walls, took)
		default:
			tr.took = took
			traces = append(traces, tr)
		}
	}
	slices.Sort(walls)
	slices.SortStableFunc(traces, func(a, b *tracer) int { return cmp.Compare(a.took, b.took) })
	middle := traces[len(traces)/2]
	p.Wall, p.Traced, p.Spans = walls[len(walls)/2], middle.took, middle.spans
	for _, s := range x.sides {
		if e, ok := s.engine.(engine.Rated); ok && len(s.tasks) > 0 {
			p.Peaks[s.engine.Name()] = e.Peaks()
		}
	}
	p.tally(r, medianTimes(traces, middle), middle.ran)
	x.fromProfile(p.Tasks)
	return p, nil
}

// newOutputs makes tensors that a run can fill.
func (x *Executable) newOutputs() ([]*tensor.Tensor, error) {
	outs := make([]*tensor.Tensor, len(x.outs))
	for i, o := range x.outs {
		t, err := newOutput(o.dtype, o.shape)
		if err != nil {
			return nil, err
		}
		outs[i] = t
	}
	return outs, nil
}

// newOutput makes a tensor that holds anything.
func newOutput(dt tensor.DType, shape []int) (*tensor.Tensor, error) {
	n, err := tensor.NumElems(shape)
	if n *= dt.Size(); err != nil || n < ram.RecycleFrom || ram.Check(int64(n)) != nil {
		return tensor.New(dt, shape...)
	}
	return tensor.FromBytes(dt, ram.Recycled(n, tensor.Alignment), shape...)
}

// taskNumbers maps the tasks of each side to those of a report.
func (x *Executable) taskNumbers() [][]int {
	numbers := make([][]int, len(x.sides))
	for _, t := range x.submission() {
		s := x.plan.Choices[t].Side
		numbers[s] = append(numbers[s], t)
	}
	return numbers
}

// medianTimes are the times of the spans of the middle trace. Where others have other spans, as
// loops may go round as often as they find, they are its own.
func medianTimes(traces []*tracer, middle *tracer) []time.Duration {
	out := make([]time.Duration, len(middle.spans))
	if slices.ContainsFunc(traces, func(tr *tracer) bool { return len(tr.spans) != len(out) }) {
		for i, s := range middle.spans {
			out[i] = s.End - s.Start
		}
		return out
	}
	times := make([]time.Duration, len(traces))
	for i := range out {
		for j, tr := range traces {
			times[j] = tr.spans[i].End - tr.spans[i].Start
		}
		slices.Sort(times)
		out[i] = times[len(times)/2]
	}
	return out
}

// tally adds up the spans, which take so long each, by task and by kernel.
func (p *Profile) tally(r *Report, times []time.Duration, ran []int) {
	for i, t := range r.Tasks {
		t.Flops, t.Bytes = t.Flops*float64(ran[i]), t.Bytes*float64(ran[i])
		p.Tasks = append(p.Tasks, TaskProfile{
			Name: t.Name, Kind: t.Kind, Caller: t.Caller, Axes: t.Axes, Where: t.Where, Variant: t.Plan.Variant,
			Predicted: time.Duration(t.Predicted[t.Where]), Rate: Rate{Flops: t.Flops, Bytes: t.Bytes},
		})
	}
	for i, s := range p.Spans {
		if s.Task >= 0 {
			p.Tasks[s.Task].Launches++
			p.Tasks[s.Task].Time += times[i]
		}
	}
	kernels := map[[2]string]*KernelProfile{}
	for i, s := range p.Spans {
		if s.Task < 0 {
			continue
		}
		t := &p.Tasks[s.Task]
		k := kernels[[2]string{s.Name, t.Where}]
		if k == nil {
			k = &KernelProfile{Name: s.Name, Where: t.Where}
			kernels[[2]string{s.Name, t.Where}] = k
		}
		part := 1 / float64(t.Launches)
		if t.Time > 0 {
			part = float64(times[i]) / float64(t.Time)
		}
		k.Launches++
		k.Time += times[i]
		k.Flops += t.Flops * part
		k.Bytes += t.Bytes * part
	}
	for i := range p.Tasks {
		p.Tasks[i].rate(p.Peaks[p.Tasks[i].Where])
	}
	for _, k := range kernels {
		k.rate(p.Peaks[k.Where])
		p.Kernels = append(p.Kernels, *k)
	}
	slices.SortFunc(p.Kernels, func(a, b KernelProfile) int {
		return cmp.Or(cmp.Compare(b.Time, a.Time), cmp.Compare(a.Name, b.Name), cmp.Compare(a.Where, b.Where))
	})
}

// rate fills in what follows from work and time.
func (r *Rate) rate(peaks engine.Peaks) {
	if r.Time <= 0 {
		return
	}
	s := r.Time.Seconds()
	r.GFLOPS, r.GBs = r.Flops/s/1e9, r.Bytes/s/1e9
	if peaks.Flops > 0 {
		r.Share, r.Bound = r.Flops/s/peaks.Flops, "flops"
	}
	if peaks.Bytes > 0 && r.Bytes/s/peaks.Bytes >= r.Share {
		r.Share, r.Bound = r.Bytes/s/peaks.Bytes, "bytes"
	}
}

// tracer notes what a run does. Nil notes nothing.
type tracer struct {
	epoch time.Time
	tasks [][]int // of each side, their numbers
	took  time.Duration
	spans []Span
	ran   []int // how often each task did
}

// host notes what the host did since start.
func (t *tracer) host(name string, start time.Duration) {
	if t == nil {
		return
	}
	t.spans = append(t.spans, Span{
		Track: hostTrack, Name: name, Task: -1, Start: start, End: time.Since(t.epoch), Clock: engine.HostClock,
	})
}

func (t *tracer) now() time.Duration {
	if t == nil {
		return 0
	}
	return time.Since(t.epoch)
}

// iteration notes an iteration of a loop, or the way of a branch.
func (t *tracer) iteration(f *flowSteps, n int64, start time.Duration) {
	if t == nil {
		return
	}
	name := fmt.Sprintf("%s, iteration %d", f.Node.Scope, n)
	if !f.Loop {
		name = fmt.Sprintf("%s, %t", f.Node.Scope, n == 0)
	}
	t.host(name, start)
}

// stretch runs a stretch of tasks with a clock on each launch.
func (t *tracer) stretch(ctx context.Context, s *side, number int, st *step, run uint32) error {
	for i := st.first; i < st.last; i++ {
		t.ran[t.tasks[number][i]]++
	}
	start := t.now()
	seq, ok := s.seq.(engine.Profiler)
	if !ok { // an engine of the caller's: the stretch as a whole, in its first task
		err := s.seq.Run(ctx, st.first, st.last, run)
		if err == nil {
			err = s.engine.Wait(ctx)
		}
		t.host("run", start)
		return err
	}
	spans, err := seq.Profile(ctx, st.first, st.last, run, t.epoch)
	if err != nil {
		return err
	}
	t.host("run", start)
	for _, sp := range spans {
		t.spans = append(t.spans, Span{
			Track: s.engine.Name(), Name: sp.Name, Task: t.tasks[number][sp.Task], Start: sp.Start, End: sp.End, Clock: sp.Clock,
		})
	}
	return nil
}
