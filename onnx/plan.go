package onnx

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"sync"

	"github.com/anycl/anycl/onnx/internal/importer"
	"github.com/anycl/anycl/ops"
	"github.com/anycl/anycl/tensor"
)

// plan is a graph compiled for some shapes.
type plan struct {
	once  sync.Once
	err   error
	built *importer.Graph
	exe   *ops.Executable // nil where all outputs are known
	ins   map[*ops.Node]string
	slots []int // of outputs: the number of the executable's result; -1 is known or an input

	ready bool   // to run; this and the key are guarded by the mutex of the program
	key   string // by which it is found, once it is ready

	mu      sync.RWMutex
	dropped bool
}

// errDropped is the error of a plan that gave way to others before it was made or run.
var errDropped = errors.New("the plan was dropped")

// key names shapes, and contents of inputs on which sizes depend.
func (p *Program) key(shapes map[string][]int, inputs map[string]*tensor.Tensor) string {
	var b []byte
	for i := range p.m.inputs {
		b = appendShape(b, shapes[p.m.inputs[i].Name])
	}
	return string(p.appendContents(b, inputs))
}

// appendShape appends a shape to a key.
func appendShape(b []byte, shape []int) []byte {
	for _, n := range shape {
		b = append(strconv.AppendInt(b, int64(n), 10), ' ')
	}
	return append(b, ';')
}

// appendContents appends contents of inputs on which sizes depend to a key.
func (p *Program) appendContents(b []byte, inputs map[string]*tensor.Tensor) []byte {
	for _, name := range p.contents {
		if t := inputs[name]; t != nil && t.NumBytes() <= importer.MaxContents {
			bytes, _ := t.Contiguous().Bytes()
			b = fmt.Appendf(b, "%q=%x", name, bytes)
		}
	}
	return b
}

// readyFor is the plan of inputs that are like those of a run before. It is nil where there is none, or an input is missing, unknown or of
// another dtype: [Program.given] and [Program.plan] then make it, or say what is wrong.
func (p *Program) readyFor(inputs map[string]*tensor.Tensor) *plan {
	if len(inputs) != len(p.m.inputs) {
		return nil
	}
	var room [128]byte
	key := room[:0]
	for i := range p.m.inputs {
		in := &p.m.inputs[i]
		t := inputs[in.Name]
		if t == nil || t.DType() != in.DType {
			return nil
		}
		key = appendShape(key, t.Shape())
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	key = p.appendContents(key, inputs)
	x := p.plans[string(key)]
	if x == nil || !x.ready {
		return nil
	}
	p.used(x.key)
	return x
}

// used notes which plan was used last.
func (p *Program) used(key string) {
	if n := len(p.order); n > 0 && p.order[n-1] == key {
		return
	}
	p.order = append(slices.DeleteFunc(p.order, func(k string) bool { return k == key }), key)
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
		for name := range x.built.Used {
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
		if same {
			x.ready, x.key = true, key
		}
		p.mu.Unlock()
		if same {
			return x, nil
		}
	}
}

// prepare returns when no run of the plan waits for a compiler.
func (x *plan) prepare(ctx context.Context) error {
	x.mu.RLock()
	defer x.mu.RUnlock()
	if x.dropped || x.exe == nil {
		return nil
	}
	return x.exe.Prepare(ctx)
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
	p.used(key)
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
	if !p.o.Precision.Valid() && p.m.sized() {
		x.built = p.m.tried.Swap(nil)
	}
	if x.built == nil {
		x.built, err = p.m.build(ctx, shapes, importer.Options{Contents: inputs, Precision: p.o.Precision})
	}
	switch {
	case err != nil && inputs != nil && ctx.Err() == nil:
		return fmt.Errorf("%w: %w", ErrInput, err)
	case err != nil:
		return err
	}
	target := p.o.Target
	target.Outputs = nil
	x.slots, x.ins = make([]int, x.built.Outputs()), map[*ops.Node]string{}
	for i := range x.slots {
		x.slots[i] = -1
		if _, _, known := x.built.Known(i); !known {
			x.slots[i] = len(target.Outputs)
			target.Outputs = append(target.Outputs, x.built.Output(i))
		}
	}
	for name, n := range x.built.Inputs {
		x.ins[n] = name
	}
	if len(target.Outputs) == 0 {
		return nil
	}
	x.exe, err = x.built.Graph.Compile(ctx, p.rt, target)
	return err
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
