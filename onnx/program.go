package onnx

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"

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
	// Target says where and how the graphs run; its Outputs are set here.
	Target ops.Target
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

// plan is a graph compiled for some shapes.
type plan struct {
	once  sync.Once
	err   error
	built *built
	exe   *ops.Executable // nil where all outputs are known
	ins   map[*ops.Node]string
	slots []int // of outputs: the number of the executable's result; -1 is known or an input

	mu      sync.RWMutex
	dropped bool
}

// Compile makes the model ready to run on rt. It compiles for the shapes of the model, where these are numbers, and for those
// of the options. Errors: those of [Model.Graph] and of ops.Graph.Compile. Inputs on whose contents sizes depend put
// compilation off to the first run.
func (m *Model) Compile(ctx context.Context, rt *ops.Runtime, o *Options) (*Program, error) {
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
		if _, needs := errors.AsType[*needError](err); err != nil && !needs {
			return nil, errors.Join(fmt.Errorf("onnx: %w", err), p.Close())
		}
	}
	return p, nil
}

// Run runs the model with inputs by name and returns its outputs by name. The inputs must have the dtypes of the model
// and shapes that fit it. Errors: inputs are missing, unknown or do not fit; what operators refuse for these shapes;
// those of ops.Executable.Run; the program is closed.
func (p *Program) Run(ctx context.Context, inputs map[string]*tensor.Tensor) (map[string]*tensor.Tensor, error) {
	out, err := p.run(ctx, inputs)
	if err != nil {
		return nil, fmt.Errorf("onnx: run %q: %w", p.m.m.Graph.Name, err)
	}
	return out, nil
}

func (p *Program) run(ctx context.Context, inputs map[string]*tensor.Tensor) (map[string]*tensor.Tensor, error) {
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
		return nil, err
	}
	shapes, err := p.m.shapes(shapes)
	if err != nil {
		return nil, err
	}
	for {
		x, err := p.plan(ctx, shapes, inputs)
		if err != nil {
			return nil, err
		}
		out, err := x.run(ctx, p.m, inputs)
		if err != errDropped {
			return out, err
		}
	}
}

// errDropped is the error of a plan that gave way to others before it was made or run.
var errDropped = errors.New("the plan was dropped")

// key names shapes, and contents of inputs on which sizes depend.
func (p *Program) key(shapes map[string][]int, inputs map[string]*tensor.Tensor) string {
	var b strings.Builder
	for _, in := range p.m.inputs {
		fmt.Fprint(&b, shapes[in.Name])
	}
	for _, name := range p.contents {
		if t := inputs[name]; t != nil && t.NumBytes() <= maxContents {
			bytes, _ := t.Contiguous().Bytes()
			fmt.Fprintf(&b, "%q=%x", name, bytes)
		}
	}
	return b.String()
}

// plan finds or makes the plan for shapes. Without inputs none is made that depends on their contents.
func (p *Program) plan(ctx context.Context, shapes map[string][]int, inputs map[string]*tensor.Tensor) (*plan, error) {
	for {
		x, key, err := p.slot(shapes, inputs)
		if err != nil {
			return nil, err
		}
		x.once.Do(func() { x.err = x.make(ctx, p, shapes, inputs) })
		p.mu.Lock()
		if x.err != nil { // a later run may have another context, or contents
			if p.plans[key] == x {
				p.forget(key)
			}
			p.mu.Unlock()
			if ctx.Err() == nil && (isContext(x.err) || x.err == errDropped) {
				continue // the context was another caller's
			}
			return nil, x.err
		}
		grown := false
		for name := range x.built.used {
			if !slices.Contains(p.contents, name) {
				p.contents, grown = append(p.contents, name), true
			}
		}
		if grown { // the key has been too short; others may have found the plan by it
			delete(p.plans, key)
			p.order = slices.DeleteFunc(p.order, func(k string) bool { return k == key })
			key = p.key(shapes, inputs)
			p.plans[key], p.order = x, append(p.order, key)
		}
		same := p.key(shapes, inputs) == key
		p.mu.Unlock()
		if same {
			return x, nil
		}
	}
}

func isContext(err error) bool {
	return errors.Is(err, context.Canceled) || errors.Is(err, context.DeadlineExceeded)
}

// slot is the plan of a key, made or not.
func (p *Program) slot(shapes map[string][]int, inputs map[string]*tensor.Tensor) (*plan, string, error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.closed {
		return nil, "", ops.ErrClosed
	}
	key := p.key(shapes, inputs)
	x := p.plans[key]
	if x == nil {
		x = &plan{}
		p.plans[key] = x
	}
	p.order = append(slices.DeleteFunc(p.order, func(k string) bool { return k == key }), key)
	for len(p.order) > p.o.Plans {
		p.forget(p.order[0])
	}
	return x, key, nil
}

// forget drops a plan, which is closed when its runs have ended.
func (p *Program) forget(key string) {
	x := p.plans[key]
	delete(p.plans, key)
	p.order = slices.DeleteFunc(p.order, func(k string) bool { return k == key })
	go x.close()
}

// make builds and compiles.
func (x *plan) make(ctx context.Context, p *Program, shapes map[string][]int, inputs map[string]*tensor.Tensor) (err error) {
	if x.built, err = p.m.build(ctx, shapes, inputs, false, ""); err != nil {
		return err
	}
	target := p.o.Target
	target.Outputs = nil
	x.slots, x.ins = make([]int, len(x.built.outputs)), map[*ops.Node]string{}
	for i, v := range x.built.outputs {
		if x.slots[i] = -1; v.host == nil && v.input == "" {
			x.slots[i] = len(target.Outputs)
			target.Outputs = append(target.Outputs, x.built.trimmed(v))
		}
	}
	for name, n := range x.built.inputs {
		x.ins[n] = name
	}
	if len(target.Outputs) == 0 {
		return nil
	}
	x.exe, err = x.built.g.Compile(ctx, p.rt, target)
	return err
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
	for i, v := range x.built.outputs {
		switch name := m.outputs[i].Name; {
		case x.slots[i] >= 0:
			out[name] = results[x.slots[i]]
		case v.input != "":
			out[name] = inputs[v.input].Clone()
		default:
			out[name] = v.host.Clone()
		}
	}
	return out, nil
}

func (x *plan) close() error {
	x.once.Do(func() { x.err = errDropped })
	x.mu.Lock()
	defer x.mu.Unlock()
	x.dropped = true
	if x.exe == nil {
		return nil
	}
	return x.exe.Close()
}

// Close waits for runs to end and frees what the program holds.
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
