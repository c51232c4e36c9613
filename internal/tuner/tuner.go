// Package tuner looks for faster ways to run tasks than the rule's: it walks the
// declared space of each kernel variant on the device itself.
//
// Every candidate is compared with the CPU path's result before it is timed. It is timed in turn
// with the best so far and taken only when it wins by more than the noise, and a configuration that
// is kept in the end has won against the default once more.
package tuner

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"time"

	"github.com/anycl/anycl/engine"
	"github.com/anycl/anycl/internal/ocl"
	"github.com/anycl/anycl/internal/tuning"
)

// Device is an engine that can be tuned.
type Device interface {
	engine.Engine
	Choices(t *engine.Task) (*ocl.Choice, error)
	PrepareAs(ctx context.Context, b engine.Bound, w ocl.Config) (engine.Sequence, ocl.Config, error)
}

var _ Device = (*ocl.Engine)(nil)

// Options say which tasks to tune and how long. The zero value is right for most.
type Options struct {
	Budget   time.Duration // for all tasks together; 0 means a minute
	Families []string      // empty means all
	// Progress is told after every candidate and every task; nil is not.
	Progress func(Progress)

	now func() time.Time // tests: their own clock
}

// Progress is how far the tuner is.
type Progress struct {
	Task       int // number of the present one
	Tasks      int
	Name       string
	Candidates int // timed so far, of this task
	Elapsed    time.Duration
	Budget     time.Duration
}

// Result is the outcome of tuning one kind of task.
type Result struct {
	Name       string  // of the task
	Family     string  // "contract"
	Class      string  // dtypes, layout and rounded sizes
	Default    string  // the rule's variant and parameters
	Best       string  // the same, of the fastest
	Gain       float64 // time of the default by time of the best; 1 where the default stays
	Candidates int     // that were right and were timed
	Wrong      int     // that computed something else or failed, and were not timed
	Err        error   `json:"-"` // why the task was not tuned
}

// job is a kind of task.
type job struct {
	task   *engine.Task
	choice *ocl.Choice
	cost   time.Duration // of all tasks of this kind together
}

// Run tunes the kinds of task among tasks, the costliest first. A task that cannot be tuned is a
// result with an error. The table has an entry for each kind for which something faster than the
// default was found. Errors: ctx's, with the results so far; the device is closed.
func Run(ctx context.Context, dev Device, reference engine.Engine, tasks []*engine.Task, o Options) ([]Result, *tuning.Table, error) {
	if o.Budget <= 0 {
		o.Budget = time.Minute
	}
	if o.now == nil {
		o.now = time.Now
	}
	jobs := jobsOf(dev, tasks, o.Families)
	start := o.now()
	var results []Result
	var found []tuning.Entry
	for i, j := range jobs {
		left := o.Budget - o.now().Sub(start)
		if left <= 0 {
			break
		}
		candidates := 0
		tell := func() {
			if o.Progress != nil {
				o.Progress(Progress{i + 1, len(jobs), j.task.Name, candidates, o.now().Sub(start), o.Budget})
			}
		}
		tell()
		r, entry, err := tune(ctx, dev, reference, j, o.now, o.now().Add(left/time.Duration(len(jobs)-i)), func() { candidates++; tell() })
		results = append(results, r)
		if entry != nil {
			found = append(found, *entry)
		}
		if err != nil {
			return results, tuning.Of(found...), err
		}
	}
	return results, tuning.Of(found...), ctx.Err()
}

// jobsOf are the kinds of task, each with its largest task.
func jobsOf(dev Device, tasks []*engine.Task, families []string) []*job {
	kinds := map[string]*job{}
	var jobs []*job
	for _, t := range tasks {
		if len(families) > 0 && !slices.Contains(families, t.Kind.String()) || dev.Check(t) != nil {
			continue
		}
		t = everyRun(t)
		c, err := dev.Choices(t)
		if err != nil || c == nil || len(c.Variants) == 1 && c.Variants[0].Space == nil {
			continue
		}
		key := c.Family + "\x00" + c.Class
		j := kinds[key]
		if j == nil {
			j = &job{task: t, choice: c}
			kinds[key] = j
			jobs = append(jobs, j)
		}
		j.cost += dev.Estimate(t)
		if t.Axes.Size() > j.task.Axes.Size() {
			j.task, j.choice = t, c
		}
	}
	slices.SortStableFunc(jobs, func(a, b *job) int { return cmp.Compare(b.cost, a.cost) })
	return jobs
}

// everyRun is t as a task that computes in every run, also where its inputs have
// not changed.
func everyRun(t *engine.Task) *engine.Task {
	c := *t
	c.Outs = slices.Clone(t.Outs)
	for i := range c.Outs {
		c.Outs[i].Steady = false
	}
	return &c
}

// lastRounds is how often the best and the default meet in the end.
const lastRounds = 11

// tune searches until the time is up. Only what ends all tuning is an error.
func tune(ctx context.Context, dev Device, reference engine.Engine, j *job, now func() time.Time, until time.Time,
	progress func()) (res Result, entry *tuning.Entry, err error) {
	res = Result{Name: j.task.Name, Family: j.choice.Family, Class: j.choice.Class, Gain: 1}
	res.Default = text(j.choice.ByRule)
	res.Best = res.Default
	fail := func(err error) (Result, *tuning.Entry, error) {
		res.Err = err
		return res, nil, fatal(ctx, err)
	}
	r, err := newRig(ctx, dev, reference, j.task, j.choice, now)
	defer r.close()
	if err != nil {
		return fail(err)
	}
	byRule, way, err := dev.PrepareAs(ctx, r.bound, ocl.Config{Variant: j.choice.ByRule.Variant})
	if err != nil {
		return fail(err)
	}
	defer func() { err = errors.Join(err, byRule.Close()) }()
	if err := r.verify(ctx, byRule); err != nil {
		return fail(fmt.Errorf("the default: %w", err))
	}
	if err := r.settle(ctx, byRule); err != nil {
		return fail(err)
	}
	first, _, err := dev.PrepareAs(ctx, r.bound, ocl.Config{Variant: j.choice.ByRule.Variant})
	if err != nil {
		return fail(err)
	}
	s := &search{
		rig: r, choice: j.choice, until: until, rng: rand.New(rand.NewPCG(3, 5)), progress: progress,
		seen: map[string]bool{text(way): true, way.Variant: true}, best: candidate{way, first},
	}
	defer func() { err = errors.Join(err, s.best.seq.Close()) }()
	err = s.run(ctx)
	res.Candidates, res.Wrong = s.tried, s.wrong
	if err != nil {
		return fail(err)
	}
	if text(s.best.way) == text(way) {
		return res, nil, nil
	}
	last, err := r.race(ctx, byRule, s.best.seq, lastRounds)
	if err != nil {
		return fail(err)
	}
	if !last.significant() {
		return res, nil, nil
	}
	res.Best, res.Gain = text(s.best.way), last.gain
	return res, &tuning.Entry{
		Family: res.Family, Task: res.Class, Variant: s.best.way.Variant, Params: s.best.way.Params,
		Gain: math.Round(last.gain*1000) / 1000, Default: res.Default, Measure: fmt.Sprint([]int(j.task.Axes)),
	}, nil
}
