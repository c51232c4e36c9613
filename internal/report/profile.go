package report

import (
	"cmp"
	"slices"
	"time"

	"github.com/anycl/anycl/engine"
)

// Profile is where the time of an executable goes. Times are medians over its runs.
type Profile struct {
	Graph   string `json:"graph"`
	Runtime string `json:"runtime"` // the engines that ran it, and why
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

// Span is one activity of the host or an engine within a run.
type Span struct {
	Track string        `json:"track"` // "host", or the engine
	Name  string        `json:"name"`
	Task  int           `json:"task"` // index into Tasks, -1 for none
	Start time.Duration `json:"start_ns"`
	End   time.Duration `json:"end_ns"`
	Clock engine.Clock  `json:"clock"`
}

// Measure is the profile of runs of r's graph: walls are the times of those without a clock inside, and traced
// are the others.
func (r *Report) Measure(walls []time.Duration, traced []*Recorder, peaks map[string]engine.Peaks) *Profile {
	slices.Sort(walls)
	slices.SortStableFunc(traced, func(a, b *Recorder) int { return cmp.Compare(a.took, b.took) })
	middle := traced[len(traced)/2]
	p := &Profile{
		Graph: r.Graph, Runtime: r.Runtime, Runs: len(walls), Peaks: peaks,
		Wall: walls[len(walls)/2], Traced: middle.took, Spans: middle.spans,
	}
	p.tally(r, medianTimes(traced, middle), middle.ran)
	return p
}

// medianTimes are the times of the spans of the middle run. Where others have other spans, as
// loops may go round as often as they find, they are its own.
func medianTimes(traced []*Recorder, middle *Recorder) []time.Duration {
	out := make([]time.Duration, len(middle.spans))
	if slices.ContainsFunc(traced, func(tr *Recorder) bool { return len(tr.spans) != len(out) }) {
		for i, s := range middle.spans {
			out[i] = s.End - s.Start
		}
		return out
	}
	times := make([]time.Duration, len(traced))
	for i := range out {
		for j, tr := range traced {
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

// rate fills in the fields that follow from work and time.
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
