package ocl

import (
	"context"
	"errors"
	"fmt"
	"sync"

	"github.com/anycl/anycl/cl"
	"github.com/anycl/anycl/engine"
	"github.com/anycl/anycl/internal/ocl/codegen"
	"github.com/anycl/anycl/internal/ocl/contract"
	"github.com/anycl/anycl/tensor"
)

// specialized is the compiled kernel of a key, and callers that have one to themselves.
type specialized struct {
	eng    *Engine
	runner runner
	key    contract.ProductKey
	prog   *codegen.Program
	sizes  []contract.ProductSize // of the arguments that are sizes, by argument
	done   chan struct{}          // closed when built and err are set
	built  built
	err    error

	mu     sync.Mutex
	closed bool
	idle   []*productCaller
}

func newSpecialized(e *Engine, k contract.ProductKey) *specialized {
	return &specialized{eng: e, runner: e.productRunner(k.Inline), key: k, done: make(chan struct{})}
}

// build compiles the kernel and, where the driver compiles when it is first launched, launches it for one element.
func (f *specialized) build(ctx context.Context, x *Products) {
	defer close(f.done)
	x.compiler.Lock()
	defer x.compiler.Unlock()
	to := f.runner.target()
	f.prog = contract.ProductProgram(to.facts, f.key)
	if f.err = f.prog.Err; f.err != nil {
		return
	}
	f.sizes = make([]contract.ProductSize, len(f.prog.Args))
	for i, a := range f.prog.Args {
		for s, name := range contract.ProductSizeNames {
			if a.Kind == codegen.ArgInt && a.Name == name {
				f.sizes[i] = contract.ProductSize(s)
			}
		}
	}
	if f.built, f.err = to.build(ctx, f.prog); f.err != nil {
		f.err = fmt.Errorf("ocl: %s: build %s for products: %w", to.facts.Name, f.prog.Name, f.err)
		return
	}
	// A caller now finds a driver that compiles late.
	c, err := f.take()
	if err == nil {
		if f.eng.compilesAtLaunch() {
			p, plan := f.smallest()
			x.launching.Store(true)
			err = c.run(x, p, plan)
			x.launching.Store(false)
		}
		f.giveBack(c)
	}
	f.err = err
}

// smallest is a product of one term, on memory of its own.
func (f *specialized) smallest() (*Product, productPlan) {
	one := func(trans bool) Operand {
		data := cl.Bytes([]float64{1})
		if f.key.DType == tensor.Float32 {
			data = cl.Bytes([]float32{1})
		}
		return Operand{Data: data, LD: 1, Trans: trans}
	}
	p := &Product{DType: f.key.DType, M: 1, N: 1, K: 1, Alpha: 1, A: one(f.key.ATrans), B: one(f.key.BTrans), C: one(false)}
	plan := f.eng.planProduct(contract.ProductShape{Key: f.key, M: 1, N: 1, K: 1})
	s := &plan.Sizes
	s[contract.SizeRowA], s[contract.SizeColumnA], s[contract.SizeLDB] = 1, 1, 1
	return p, plan
}

// take returns a caller that nobody else uses.
func (f *specialized) take() (*productCaller, error) {
	f.mu.Lock()
	if f.closed {
		f.mu.Unlock()
		return nil, engine.ErrClosed
	}
	if n := len(f.idle); n > 0 {
		c := f.idle[n-1]
		f.idle = f.idle[:n-1]
		f.mu.Unlock()
		return c, nil
	}
	f.mu.Unlock()
	k, err := f.built.Kernel(contract.ProductKernels[f.key.Kind])
	if err != nil {
		return nil, err
	}
	c := &productCaller{form: f, kernel: k}
	if n := k.NumArgs(); n != len(f.prog.Args) {
		return nil, errors.Join(fmt.Errorf("ocl: kernel %s takes %d arguments, not %d", f.prog.Name, n, len(f.prog.Args)), k.Close())
	}
	if c.launcher, err = f.runner.open(); err != nil {
		return nil, errors.Join(err, k.Close())
	}
	return c, nil
}

func (f *specialized) giveBack(c *productCaller) {
	f.mu.Lock()
	if !f.closed {
		f.idle = append(f.idle, c)
		c = nil
	}
	f.mu.Unlock()
	if c != nil {
		_ = c.close() // the engine is being closed
	}
}

func (f *specialized) close() error {
	f.mu.Lock()
	f.closed = true
	idle := f.idle
	f.idle = nil
	f.mu.Unlock()
	var err error
	for _, c := range idle {
		err = errors.Join(err, c.close())
	}
	return err
}
