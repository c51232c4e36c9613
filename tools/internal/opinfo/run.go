package opinfo

import (
	"context"
	"errors"
	"fmt"
	"regexp"
	"slices"
	"strings"
	"sync"
	"time"

	"golang.org/x/sync/errgroup"

	"github.com/anycl/anycl/ops"
	"github.com/anycl/anycl/tensor"
)

// Options say which cases run and where.
type Options struct {
	// Device is a device in the grammar of ANYCL_DEVICE; "none" or "cpu" is the CPU path.
	Device string
	// Only are the cases to run, by PyTorch's name or that of the case; nil: all.
	Only *regexp.Regexp
	// Jobs is how many graphs are compiled at a time, Batch of how many cases a graph is made; 0: a good number.
	Jobs, Batch int
	// Progress is told how many cases are done.
	Progress func(done, all int, what string)
}

// Verdict is the verdict on a case, or on its derivatives.
type Verdict string

// The verdicts.
const (
	Pass        Verdict = "pass"
	Wrong       Verdict = "wrong"
	Unsupported Verdict = "unsupported"
	None        Verdict = "none" // PyTorch gave no derivatives
	// Near is a value that differs from PyTorch's, where PyTorch's own differs from its result in float64 by more
	// than is allowed, and ours does not: the difference is PyTorch's rounding.
	Near Verdict = "near"
)

// Outcome is the result of a case.
type Outcome struct {
	Torch    string  `json:"op"`
	Case     string  `json:"case"`
	Call     string  `json:"call,omitempty"` // how it is written here
	OneCall  bool    `json:"one_call"`
	Forward  Verdict `json:"forward"`
	Gradient Verdict `json:"gradient"`
	Reason   string  `json:"reason,omitempty"`
	Place    string  `json:"place,omitempty"` // device, cpu, or auto where a device lacks something
}

// Report are the outcomes of all cases.
type Report struct {
	Device   string        `json:"device"`
	Cases    []*Outcome    `json:"cases"`
	Totals   Totals        `json:"totals"`
	Graphs   int           `json:"graphs"` // compiled
	Duration time.Duration `json:"duration_ns"`
}

// Totals count the outcomes.
type Totals struct {
	Forward     Counts `json:"forward"`
	Gradient    Counts `json:"gradient"`
	OneCall     int    `json:"one_call"`    // of the cases that pass
	Composition int    `json:"composition"` // of the cases that pass
}

// Counts are cases by verdict.
type Counts struct {
	Pass        int `json:"pass"`
	Near        int `json:"near"` // to the exact value, and PyTorch is not
	Wrong       int `json:"wrong"`
	Unsupported int `json:"unsupported"`
}

func (n *Counts) add(v Verdict) {
	switch v {
	case Pass:
		n.Pass++
	case Near:
		n.Near++
	case Wrong:
		n.Wrong++
	case Unsupported:
		n.Unsupported++
	}
}

// All is how many cases there are.
func (n Counts) All() int { return n.Pass + n.Near + n.Wrong + n.Unsupported }

// job is a case to run, with its derivatives or without.
type job struct {
	row   *Row
	c     *Case
	grads bool
	out   *Outcome
	cpu   bool // an op that it needs runs on the CPU path alone
}

// runner runs jobs.
type runner struct {
	o      *Options
	rt     *ops.Runtime
	place  ops.Place
	mu     sync.Mutex
	graphs int
	done   int
	all    int
	hosted map[string]bool // names that a device has refused
}

// Run runs cases. Failures are in the report. Errors: the device is missing; ctx ends.
func Run(ctx context.Context, cases []*Case, o *Options) (*Report, error) {
	start := time.Now()
	r := &runner{o: o, place: ops.OnDevice, hosted: map[string]bool{}}
	device := o.Device
	if device == "cpu" || device == "none" {
		device, r.place = "none", ops.OnCPU
	}
	var err error
	if r.rt, err = ops.Open(ctx, &ops.Options{Device: device}); err != nil {
		return nil, err
	}
	defer r.rt.Close()
	if r.rt.Device() == nil {
		r.place = ops.OnCPU
	}
	rows := byName()
	report := &Report{Device: r.rt.Engines()[0].Name()}
	var jobs []*job
	for _, c := range cases {
		if o.Only != nil && !o.Only.MatchString(c.Torch()) && !o.Only.MatchString(c.Name) {
			continue
		}
		out := &Outcome{Torch: c.Torch(), Case: c.Name, Forward: Unsupported, Gradient: None}
		if c.HasGrads {
			out.Gradient = Unsupported
		}
		report.Cases = append(report.Cases, out)
		row := rows[c.Torch()]
		if row == nil {
			row = rows[c.Op]
		}
		if row == nil {
			out.Reason = "there is no row for it in the table"
			continue
		}
		if j := r.try(row, c, out); j != nil {
			jobs = append(jobs, j)
		}
	}
	r.all = len(jobs)
	if err := r.runAll(ctx, jobs); err != nil {
		return nil, err
	}
	for _, out := range report.Cases {
		report.Totals.Forward.add(out.Forward)
		report.Totals.Gradient.add(out.Gradient)
		if out.Forward == Pass {
			if out.OneCall {
				report.Totals.OneCall++
			} else {
				report.Totals.Composition++
			}
		}
	}
	report.Graphs, report.Duration = r.graphs, time.Since(start)
	return report, nil
}

// try builds a case in a graph of its own, which finds cases that cannot be written.
func (r *runner) try(row *Row, c *Case, out *Outcome) *job {
	j := &job{row: row, c: c, out: out}
	b, err := build(ops.NewGraph(c.Name), row, c, false, "x", ops.Feeds{})
	if err != nil {
		out.Reason = reason(err)
		return nil
	}
	out.Call = row.Go
	if b.call.text != "" {
		out.Call = b.call.text
	}
	out.OneCall = oneCall(out.Call)
	if c.HasGrads {
		if _, err = build(ops.NewGraph(c.Name), row, c, true, "x", ops.Feeds{}); err != nil {
			out.Reason = "gradient: " + reason(err)
			return j
		}
		j.grads = true
	}
	return j
}

func (r *runner) runAll(ctx context.Context, jobs []*job) error {
	size, workers := r.o.Batch, r.o.Jobs
	if size <= 0 {
		size = 20
	}
	if workers <= 0 {
		workers = 2
	}
	group, ctx := errgroup.WithContext(ctx)
	group.SetLimit(workers)
	for batch := range slices.Chunk(jobs, size) {
		group.Go(func() error {
			r.run(ctx, batch)
			return ctx.Err()
		})
	}
	return group.Wait()
}

// run runs jobs as one graph, and where that fails in halves.
func (r *runner) run(ctx context.Context, jobs []*job) {
	if len(jobs) == 0 || ctx.Err() != nil {
		return
	}
	err := r.together(ctx, jobs)
	if err == nil {
		r.finished(len(jobs), jobs[0].c.Torch())
		return
	}
	j := jobs[0]
	if len(jobs) > 1 {
		r.run(ctx, jobs[:len(jobs)/2])
		r.run(ctx, jobs[len(jobs)/2:])
		return
	}
	if r.place == ops.OnDevice && !j.cpu { // once more with the CPU path for tasks that the device cannot run
		j.cpu = true
		r.run(ctx, jobs)
		return
	}
	if j.grads { // the error may be in the derivatives alone
		j.grads, j.cpu = false, false
		j.out.Reason = "gradient: " + oneLine(err)
		r.run(ctx, jobs)
		return
	}
	j.out.Reason = oneLine(err)
	r.finished(1, j.c.Torch())
}

// reason is the first mistake of a graph without the name of that.
func reason(err error) string {
	lines := strings.Split(strings.TrimSpace(err.Error()), "\n")
	if len(lines) > 1 && strings.HasPrefix(lines[0], "ops: compile") {
		return strings.TrimSpace(lines[1])
	}
	return oneLine(err)
}

func oneLine(err error) string { return strings.ReplaceAll(err.Error(), "\n", "; ") }

func (r *runner) finished(n int, what string) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.done += n
	if r.o.Progress != nil {
		r.o.Progress(r.done, r.all, what)
	}
}

// together builds, compiles and runs jobs as one graph, and compares.
func (r *runner) together(ctx context.Context, jobs []*job) (err error) {
	g := ops.NewGraph("cases")
	feeds := ops.Feeds{}
	var all []*built
	place := r.place
	for i, j := range jobs {
		if j.cpu {
			place = ops.Auto
		}
		b, err := build(g, j.row, j.c, j.grads, fmt.Sprintf("case%d_", i), feeds)
		if err != nil {
			return err
		}
		all = append(all, b)
	}
	var outputs []*ops.Node
	for _, b := range all {
		outputs = append(outputs, b.outputs()...)
	}
	exe, err := g.Compile(ctx, r.rt, ops.Target{Outputs: outputs, Place: place, Fixed: true})
	r.mu.Lock()
	r.graphs++
	r.mu.Unlock()
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, exe.Close()) }()
	used := ops.Feeds{} // an input that nothing reads is none of the executable's
	for _, n := range exe.Inputs() {
		used[n] = feeds[n]
	}
	results, err := exe.Run(ctx, used)
	if err != nil {
		return err
	}
	for i, b := range all {
		n := len(b.outputs())
		jobs[i].out.Place = place.String()
		if err := b.judge(jobs[i].out, results[:n], func() ([]*tensor.Tensor, error) { return r.exact(ctx, jobs[i]) }); err != nil {
			return err
		}
		results = results[n:]
	}
	return nil
}

// judge compares the results of a case with PyTorch's; exact computes them in float64.
func (b *built) judge(out *Outcome, results []*tensor.Tensor, exact func() ([]*tensor.Tensor, error)) error {
	out.Forward = Pass
	at := b.count
	note := func(text string, k int, got, want *tensor.Tensor, rule string, rel, abs float64) (Verdict, string) {
		wide, err := exact()
		if err == nil && rounded(got, want, meaning(wide[k], rule), rel, abs) {
			return Near, text + "; in float64 it is what we have"
		}
		return Wrong, text
	}
	gots := slices.Clone(results[:b.count])
	wants := b.c.Outputs
	for i, want := range wants {
		got := gots[i]
		if want == nil {
			out.Forward, out.Reason = Unsupported, "a result is of complex numbers"
			return nil
		}
		k, isCut := b.cuts[i]
		if isCut {
			n := int(results[at].Float64At(0))
			if at++; n < 0 || n > got.Shape()[k.axis] {
				out.Forward, out.Reason = Wrong, fmt.Sprintf("output %d: %d of %d elements count", i, n, got.Shape()[k.axis])
				break
			}
			var err error
			if gots[i], err = got.Slice(k.axis, 0, n, 1); err != nil {
				return err
			}
		}
	}
	if b.row.Canon != nil && out.Forward == Pass {
		gots, wants = b.row.Canon(b.call, gots), b.row.Canon(b.call, wants)
	}
	for i, want := range wants {
		got := gots[i]
		_, isCut := b.cuts[i]
		text := differs(got, want, forwardRel, forwardAbs)
		switch {
		case text == "" || out.Forward == Wrong:
		case isCut:
			out.Forward, out.Reason = Wrong, fmt.Sprintf("output %d: %s", i, text)
		default:
			out.Forward, out.Reason = note(fmt.Sprintf("output %d: %s", i, text), i, got, want, "", forwardRel, forwardAbs)
		}
	}
	if b.grads == nil {
		return nil
	}
	out.Gradient, at = Pass, b.count+len(b.cuts)
	for i, n := range b.grads {
		if n == nil {
			continue
		}
		got, want := meaning(results[at], b.same[i]), meaning(b.c.Grads[i], b.same[i])
		if text := differs(got, want, gradRel, gradAbs); text != "" && out.Gradient != Wrong {
			verdict, why := note(fmt.Sprintf("gradient %d: %s", i, text), at, got, want, b.same[i], gradRel, gradAbs)
			if out.Gradient = verdict; out.Reason != "" {
				why = out.Reason + "; " + why
			}
			out.Reason = why
		}
		at++
	}
	return nil
}
