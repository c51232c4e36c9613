package bench

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/anycl/anycl/engine"
	"github.com/anycl/anycl/ops"
	"github.com/anycl/anycl/optim"
	"github.com/anycl/anycl/tensor"
)

// Ours runs programs as graphs of package ops.
type Ours struct {
	rt    *ops.Runtime
	place ops.Place
}

// NewOurs returns the contender that runs on rt, placed as asked: "device",
// "cpu", or "anycl" when the cost model decides.
func NewOurs(rt *ops.Runtime, place ops.Place) *Ours { return &Ours{rt, place} }

// LearningRate is small, so that thousands of steps on the same batch do not end
// in a loss of 0 and derivatives that are denormal, which take some far longer.
const LearningRate = 1e-5

// Names of our own contenders.
const (
	NameAuto   = "anycl"
	NameDevice = "anycl-device"
	NameCPU    = "anycl-cpu"
)

// Name is the contender's name.
func (o *Ours) Name() string {
	return map[ops.Place]string{ops.Auto: NameAuto, ops.OnDevice: NameDevice, ops.OnCPU: NameCPU}[o.place]
}

// Version names the device that the runtime runs on.
func (o *Ours) Version() string {
	if d := o.rt.Device(); d != nil && o.place != ops.OnCPU {
		return d.String()
	}
	return o.rt.Engines()[len(o.rt.Engines())-1].Name()
}

// Close does nothing: the runtime is the caller's.
func (o *Ours) Close() error { return nil }

// Load compiles the program.
func (o *Ours) Load(ctx context.Context, w *Work, operands []*tensor.Tensor) (Job, error) {
	p := w.Program
	g := ops.NewGraph(w.Name)
	j := &ourJob{feeds: ops.Feeds{}}
	if o.rt.Device() != nil {
		j.device = o.rt.Engines()[0].Name()
	}
	var params, volatile []*ops.Node
	next := 0
	made, err := p.build(func(r Ref, n *Node) *ops.Node {
		t := operands[next]
		next++
		name := fmt.Sprintf("v%d", r)
		switch {
		case n.Role == Input:
			x := g.Input(name, n.DType, n.Dims...)
			j.feeds[x] = t
			return x
		case n.Role == Weight && len(p.Wrt) == 0 && !p.Train:
			return g.Const(t)
		}
		x := g.Variable(name, t)
		if n.Role == Weight {
			params = append(params, x)
		} else {
			volatile = append(volatile, x)
		}
		return x
	})
	if err != nil {
		return nil, err
	}
	var results []*ops.Node
	for _, r := range p.Outputs {
		results = append(results, made[r])
	}
	if len(p.Wrt) > 0 {
		var xs []*ops.Node
		for _, r := range p.Wrt {
			xs = append(xs, made[r])
		}
		results = append(results, ops.Gradients(results[0], xs...)...)
	}
	if err := g.Err(); err != nil {
		return nil, err
	}
	target := ops.Target{Place: o.place, Volatile: volatile}
	switch {
	case p.Train:
		target.Outputs, target.Updates = results, optim.New(optim.Adam{LearningRate: LearningRate}, params, optim.Options{}).Minimize(results[0])
	case p.Resident():
		for i, y := range results {
			zero, err := tensor.New(y.DType(), y.Shape()...)
			if err != nil {
				return nil, err
			}
			v := g.Variable(fmt.Sprintf("result%d", i), zero)
			j.held = append(j.held, v)
			target.Updates = append(target.Updates, ops.Assign(v, y))
		}
	default:
		target.Outputs = results
	}
	for _, y := range target.Outputs {
		t, err := tensor.New(y.DType(), y.Shape()...)
		if err != nil {
			return nil, err
		}
		j.outs = append(j.outs, t)
	}
	j.exe, err = g.Compile(ctx, o.rt, target)
	if o.place == ops.OnDevice && errors.Is(err, engine.ErrUnsupported) { // all that the device has
		for i, n := range p.Nodes {
			if n.Op != "leaf" && !hostOnly[n.Op] {
				ops.Put(made[i], ops.OnDevice)
			}
		}
		target.Place = ops.Auto
		j.exe, err = g.Compile(ctx, o.rt, target)
	}
	if errors.Is(err, engine.ErrUnsupported) {
		return nil, fmt.Errorf("%w: %w", ErrCannot, err)
	} else if err != nil {
		return nil, err
	}
	return j, nil
}

// ourJob is a compiled graph. Its results are read back into outs, or stay in
// the variables held.
type ourJob struct {
	exe   *ops.Executable
	feeds ops.Feeds
	outs  []*tensor.Tensor
	held  []*ops.Node
	// Of the clients of Serve.
	clients [][]*tensor.Tensor
	device  string // the name of its engine; "" without one
}

// Run gives a run a context that cannot end, because no other contender listens to
// one either; Timed does between runs.
func (j *ourJob) Run(ctx context.Context, times []time.Duration) error {
	deaf := context.WithoutCancel(ctx)
	return Timed(ctx, times, func() error { return j.exe.RunInto(deaf, j.feeds, j.outs) })
}

// Serve gives every client results of its own.
func (j *ourJob) Serve(ctx context.Context, clients int, times []time.Duration) (time.Duration, error) {
	for len(j.clients) < clients {
		var outs []*tensor.Tensor
		for _, t := range j.outs {
			y, err := tensor.New(t.DType(), t.Shape()...)
			if err != nil {
				return 0, err
			}
			outs = append(outs, y)
		}
		j.clients = append(j.clients, outs)
	}
	return Serve(ctx, clients, times, func(c int) error { return j.exe.RunInto(ctx, j.feeds, j.clients[c]) })
}

// Device is the time of all tasks on the device; 0 when none runs there.
func (j *ourJob) Device(ctx context.Context) (time.Duration, error) {
	p, err := j.exe.Profile(ctx, j.feeds, ops.ProfileOptions{Runs: 3})
	if err != nil {
		return 0, err
	}
	var sum time.Duration
	for _, t := range p.Tasks {
		if t.Where == j.device {
			sum += t.Time
		}
	}
	return sum, nil
}

// Placed returns the cost model's prediction and placement.
func (j *ourJob) Placed() (time.Duration, string) {
	r := j.exe.Report()
	count := map[string]int{}
	for _, t := range r.Tasks {
		count[t.Where]++
	}
	var parts []string
	for _, name := range slices.Sorted(maps.Keys(count)) {
		parts = append(parts, fmt.Sprintf("%d %s", count[name], name))
	}
	return r.Predicted, strings.Join(parts, ", ")
}

func (j *ourJob) Outputs(ctx context.Context) ([]*tensor.Tensor, error) {
	out := j.outs
	var errs []error
	for _, v := range j.held {
		t, err := ops.Value(ctx, v)
		errs = append(errs, err)
		out = append(out, t)
	}
	return out, errors.Join(errs...)
}

func (j *ourJob) Close() error { return j.exe.Close() }

// Explain tells how the graph runs.
func (j *ourJob) Explain() string { return j.exe.Explain() }
