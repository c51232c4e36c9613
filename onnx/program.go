package onnx

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"sync"
	"time"

	"github.com/anycl/anycl/onnx/internal/importer"
	"github.com/anycl/anycl/ops"
	"github.com/anycl/anycl/tensor"
)

// Options say how a model is compiled. The zero value and nil are right for most.
type Options struct {
	// Shapes are combinations of shapes, by the names of inputs, for which the model is compiled at once. Others are
	// compiled when a run first has them. A model whose shapes are all known is compiled for them in any case.
	Shapes []map[string][]int
	// Plans is how many combinations are kept ready, those used last; 0 means 32.
	Plans int
	// Precision is the dtype in which float32 values of the model are stored, weights and results of nodes: Float16 or BFloat16, which take
	// half the memory and on many GPUs half the time. Sums are computed in float32. Values computed before the graph runs, other dtypes,
	// and inputs and outputs stay as they are. Float16 ends at 65504, and BFloat16 has 8 significant bits: compare results. Float64
	// computes in it: to find how far rounding takes the results of a model. The zero value: float32.
	Precision tensor.DType
	// Target says where and how the graphs run; its Outputs are set here.
	Target ops.Target
}

// checkPrecision refuses dtypes that are no precision.
func checkPrecision(dt tensor.DType) error {
	switch dt {
	case tensor.Invalid, tensor.Float32, tensor.Float16, tensor.BFloat16, tensor.Float64:
		return nil
	}
	return fmt.Errorf("onnx: the precision %v is not float64, float32, float16 or bfloat16", dt)
}

// Program is a model that can run. It is safe for several goroutines.
type Program struct {
	m  *Model
	rt *ops.Runtime
	o  Options

	mu       sync.Mutex
	plans    map[string]*plan
	order    []string // of plans, that used last at the end
	contents []string // inputs on whose contents sizes depend, as far as known
	closed   bool
}

// Compile makes the model ready to run on rt. It compiles for the shapes of the model, where these are numbers, and for those
// of the options. Errors: those of [Model.Graph] and of ops.Graph.Compile. Inputs on whose contents sizes depend put
// compilation off to the first run.
func (m *Model) Compile(ctx context.Context, rt *ops.Runtime, o *Options) (*Program, error) {
	if o != nil {
		if err := checkPrecision(o.Precision); err != nil {
			return nil, err
		}
	}
	p := &Program{m: m, rt: rt, plans: map[string]*plan{}}
	if o != nil {
		p.o = *o
	}
	if p.o.Plans <= 0 {
		p.o.Plans = 32
	}
	all := slices.Clone(p.o.Shapes)
	if _, err := m.shapes(nil); err == nil {
		all = append(all, nil)
	}
	for _, given := range all {
		shapes, err := m.shapes(given)
		if err == nil {
			_, err = p.plan(ctx, shapes, nil)
		}
		if _, needs := errors.AsType[*importer.NeedError](err); err != nil && !needs {
			return nil, errors.Join(fmt.Errorf("onnx: %w", err), p.Close())
		}
	}
	return p, nil
}

// Bind makes the plan for shapes of inputs, by name, before a run needs it; those that the model gives in numbers may be left out.
// Errors: shapes that are not known or not those of the model; those of [Model.Compile]; sizes depend on contents of inputs, so that a
// run must make the plan; p or its runtime is closed (is ops.ErrClosed).
func (p *Program) Bind(ctx context.Context, shapes map[string][]int) error {
	all, err := p.m.shapes(shapes)
	if err != nil {
		return fmt.Errorf("onnx: %w: %w", ErrInput, err)
	}
	x, err := p.plan(ctx, all, nil)
	if err == nil {
		err = x.prepare(ctx)
	}
	if err != nil {
		return fmt.Errorf("onnx: %w", err)
	}
	return nil
}

// ErrInput is wrapped by every error about the inputs of a run: they are missing or unknown, or operators refuse their shapes.
var ErrInput = errors.New("wrong inputs")

// Inputs are the inputs that a run must be given. See [Model.Inputs].
func (p *Program) Inputs() []Info { return p.m.Inputs() }

// Outputs are the outputs of a run. See [Model.Outputs].
func (p *Program) Outputs() []Info { return p.m.Outputs() }

// Contents are the inputs on whose contents sizes depend, as far as runs have shown, so that there is a plan for each content.
func (p *Program) Contents() []string {
	p.mu.Lock()
	defer p.mu.Unlock()
	return slices.Clone(p.contents)
}

// Run runs the model with inputs by name and returns its outputs by name. The inputs must have the dtypes of the model
// and shapes that fit it. Errors: [ErrInput] where inputs are missing, unknown or do not fit, or operators refuse these shapes;
// those of ops.Executable.Run; the program is closed.
func (p *Program) Run(ctx context.Context, inputs map[string]*tensor.Tensor) (map[string]*tensor.Tensor, error) {
	out, err := p.run(ctx, inputs)
	if err != nil {
		return nil, fmt.Errorf("onnx: run %q: %w", p.m.m.Graph.Name, err)
	}
	return out, nil
}

// Predicted is how long a run on these inputs is predicted to take, once it is compiled for their shapes, as it is here. Errors: those of
// Run.
func (p *Program) Predicted(ctx context.Context, inputs map[string]*tensor.Tensor) (time.Duration, error) {
	shapes, err := p.given(inputs)
	if err != nil {
		return 0, fmt.Errorf("onnx: predict %q: %w", p.m.m.Graph.Name, err)
	}
	x, err := p.plan(ctx, shapes, inputs)
	if err != nil {
		return 0, fmt.Errorf("onnx: predict %q: %w", p.m.m.Graph.Name, err)
	}
	x.mu.RLock()
	defer x.mu.RUnlock()
	if x.dropped || x.exe == nil {
		return 0, nil
	}
	return x.exe.Report().Predicted, nil
}

// given are the shapes of inputs, which are those of the model.
func (p *Program) given(inputs map[string]*tensor.Tensor) (map[string][]int, error) {
	shapes := map[string][]int{}
	var errs []error
	for _, in := range p.m.inputs {
		switch t := inputs[in.Name]; {
		case t == nil:
			errs = append(errs, fmt.Errorf("input %q is missing", in.Name))
		case t.DType() != in.DType:
			errs = append(errs, fmt.Errorf("input %q is %v, not %v", in.Name, t.DType(), in.DType))
		}
	}
	for name, t := range inputs {
		if t != nil {
			shapes[name] = slices.Clone(t.Shape())
		}
	}
	if err := errors.Join(errs...); err != nil {
		return nil, fmt.Errorf("%w: %w", ErrInput, err)
	}
	shapes, err := p.m.shapes(shapes)
	if err != nil {
		return nil, fmt.Errorf("%w: %w", ErrInput, err)
	}
	return shapes, nil
}

func (p *Program) run(ctx context.Context, inputs map[string]*tensor.Tensor) (map[string]*tensor.Tensor, error) {
	for {
		x := p.readyFor(inputs)
		if x == nil {
			shapes, err := p.given(inputs)
			if err != nil {
				return nil, err
			}
			if x, err = p.plan(ctx, shapes, inputs); err != nil {
				return nil, err
			}
		}
		out, err := x.run(ctx, p.m, inputs)
		if err != errDropped {
			return out, err
		}
	}
}

func (x *plan) run(ctx context.Context, m *Model, inputs map[string]*tensor.Tensor) (map[string]*tensor.Tensor, error) {
	x.mu.RLock()
	defer x.mu.RUnlock()
	if x.dropped {
		return nil, errDropped
	}
	var results []*tensor.Tensor
	if x.exe != nil {
		feeds := ops.Feeds{}
		for _, n := range x.exe.Inputs() {
			feeds[n] = inputs[x.ins[n]]
		}
		var err error
		if results, err = x.exe.Run(ctx, feeds); err != nil {
			return nil, err
		}
	}
	out := map[string]*tensor.Tensor{}
	for i, slot := range x.slots {
		name := m.outputs[i].Name
		if slot >= 0 {
			out[name] = results[slot]
			continue
		}
		host, input, _ := x.built.Known(i)
		if input != "" {
			host = inputs[input]
		}
		out[name] = host.Clone()
	}
	return out, nil
}

// Close waits for runs to end and frees the plans and the memory of the program.
func (p *Program) Close() error {
	p.mu.Lock()
	p.closed = true
	plans := p.plans
	p.plans = map[string]*plan{}
	p.mu.Unlock()
	var errs []error
	for _, x := range plans {
		errs = append(errs, x.close())
	}
	return errors.Join(errs...)
}
