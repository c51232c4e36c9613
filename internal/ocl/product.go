package ocl

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"sync/atomic"

	"github.com/anycl/anycl/cl"
	"github.com/anycl/anycl/engine"
	"github.com/anycl/anycl/internal/ocl/access"
	"github.com/anycl/anycl/internal/ocl/codegen"
	"github.com/anycl/anycl/internal/ocl/contract"
	"github.com/anycl/anycl/kernels"
	"github.com/anycl/anycl/tensor"
)

// ErrCompiling is returned for a product whose kernel is being compiled, or that could only begin when another is.
var ErrCompiling = errors.New("ocl: the kernel is being compiled")

// Operand is a matrix in the host's memory, row by row.
type Operand struct {
	Data  []byte // from the first element to the last
	LD    int    // elements from the start of a row to that of the next
	Trans bool   // the operand is the transpose of the stored matrix
}

// Half says of which part of a square C there is anything.
type Half uint8

// The halves of a matrix, each with the diagonal.
const (
	HalfNone  Half = iota // all of it
	HalfLower             // on and below the diagonal
	HalfUpper
)

// Product is C = alpha·A·B + beta·C for A of M x K, B of K x N and C of M x N, of which none
// is empty. C is not transposed, and not read where Beta is 0.
type Product struct {
	DType       tensor.DType // Float32 or Float64
	M, N, K     int
	Alpha, Beta float64
	A, B, C     Operand
	Half        Half // of C: nothing else of it is computed, read or written
}

// Triangle is B = X where T·X = Alpha·B, or B = Alpha·T·B, for T of order Order and B of Order x
// Columns, of which none is empty.
type Triangle struct {
	DType          tensor.DType
	Solve          bool
	Lower, Unit    bool // of T, as it is meant
	Order, Columns int
	Alpha          float64
	T, B           Operand // also B may be the transpose of the stored matrix
}

// Products computes products of matrices in the host's memory, of sizes that nobody
// knows before: where a task has its sizes and its memory when it is prepared,
// they come with each call here, so that a kernel is compiled once for all of them. It
// is safe for concurrent use.
type Products struct {
	eng    *Engine
	copies bool // operands are copied to the device and back
	ctx    context.Context
	cancel context.CancelFunc
	builds sync.WaitGroup
	// A kernel is being launched for the first time, by a driver that compiles then and begins no other launch meanwhile.
	launching atomic.Bool
	compiler  sync.Mutex // held while one is compiled: several would take cores from those that compute meanwhile
	mu        sync.Mutex
	closed    bool
	kernels   map[contract.ProductKey]*specialized
	planned   map[contract.ProductShape]productPlan
}

// NewProducts is for products on e's device. Close it before e. It compiles nothing and
// proves nothing: Product does, when it is first asked to wait.
func NewProducts(e *Engine) *Products {
	x := &Products{eng: e, copies: !e.dev.Borrows(), kernels: map[contract.ProductKey]*specialized{},
		planned: map[contract.ProductShape]productPlan{}}
	x.ctx, x.cancel = context.WithCancel(context.Background())
	return x
}

// Check says why the device has no products of dtype dt.
func (x *Products) Check(dt tensor.DType) error {
	if dt == tensor.Float64 && !x.eng.dev.Caps().FP64 {
		return fmt.Errorf("ocl: %s has no float64: %w", x.eng.Name(), engine.ErrUnsupported)
	}
	return nil
}

// Units is how many cores or the like the device has.
func (x *Products) Units() int { return x.eng.facts.Units }

// Lanes is how many elements of dt a vector of a core's has.
func (x *Products) Lanes(dt tensor.DType) int {
	return max(1, x.eng.facts.VectorLanes*tensor.Float32.Size()/dt.Size())
}

// Copies reports whether operands are copied to the device and back.
func (x *Products) Copies() bool { return x.copies }

// Copy makes all products copy their operands, whatever the device can do.
func (x *Products) Copy() { x.copies = true }

// Run computes p and returns when it is done. Where its kernel is not compiled yet, or the driver is busy compiling another, wait
// says to wait for the compiler; without, the compiler begins and the error is ErrCompiling. After an error C is as it was, unless
// the device was lost while it computed.
func (x *Products) Run(p *Product, wait bool) error {
	if err := x.fits(p); err != nil {
		return err
	}
	k := contract.ProductShape{Key: contract.ProductKey{Kind: x.kind(p), DType: p.DType, ATrans: p.A.Trans, BTrans: p.B.Trans}, M: p.M,
		N: p.N, K: p.K}
	flops := 2 * float64(p.M) * float64(p.N) * float64(p.K)
	if p.Half != HalfNone {
		k.Key.Half, flops = true, flops/2
	}
	k.Key.Inline = x.inline(p, flops)
	k.Key.Length = contract.LengthOf(p.K)
	plan := x.plan(k)
	plan.Sizes[contract.SizeLower] = int32(codegen.OneIf(p.Half == HalfLower))
	return x.call(p, plan, wait)
}

// TriangleOrder is the largest order that RunTriangle takes on this device: 0 where it takes none.
func (x *Products) TriangleOrder(dt tensor.DType) int {
	const cache = 4096 // a panel of more leaves the cache of a core
	d := x.eng.facts
	if !d.CPU || x.copies {
		return 0
	}
	c := contract.ProductContraction(d, contract.ProductKey{DType: dt}, 1, 1, 1)
	return min(contract.TriangleSpace(c)/contract.BlockOfProducts(c).Shape.Columns(), cache)
}

// RunTriangle is Run for a triangle.
func (x *Products) RunTriangle(t *Triangle, wait bool) error {
	if t.Order > x.TriangleOrder(t.DType) {
		return fmt.Errorf("ocl: a triangle of order %d on %s: %w", t.Order, x.eng.Name(), engine.ErrUnsupported)
	}
	p := &Product{DType: t.DType, M: t.Order, N: t.Columns, K: t.Order, Alpha: t.Alpha, A: t.T, B: t.T, C: t.B}
	if err := x.fits(p); err != nil {
		return err
	}
	k := contract.ProductShape{Key: contract.ProductKey{Kind: contract.ProductMultiply, DType: t.DType, BTrans: t.B.Trans}, M: t.Order,
		N: t.Columns, K: t.Order}
	if t.Solve {
		k.Key.Kind = contract.ProductSolve
	}
	k.Key.Inline = x.inline(p, float64(t.Order)*float64(t.Order)*float64(t.Columns))
	plan := x.plan(k)
	s := &plan.Sizes
	s[contract.SizeRowA], s[contract.SizeColumnA] = int32(t.T.LD), 1
	if t.T.Trans {
		s[contract.SizeRowA], s[contract.SizeColumnA] = 1, int32(t.T.LD)
	}
	s[contract.SizeLDB] = int32(t.B.LD)
	s[contract.SizeLower], s[contract.SizeUnit] = int32(codegen.OneIf(t.Lower)), int32(codegen.OneIf(t.Unit))
	return x.call(p, plan, wait)
}

// call runs p with its kernel.
func (x *Products) call(p *Product, plan productPlan, wait bool) error {
	f, err := x.kernel(plan.Key, wait)
	if err != nil {
		return err
	}
	c, err := f.take()
	if err != nil {
		return err
	}
	err = c.run(x, p, plan)
	f.giveBack(c)
	return err
}

// fits reports whether every size can be passed to a kernel.
func (x *Products) fits(p *Product) error {
	if max(p.M, p.N, p.K, p.A.LD, p.B.LD, p.C.LD) > access.IndexLimit ||
		int64(max(len(p.A.Data), len(p.B.Data), len(p.C.Data))) > x.eng.facts.MaxAlloc {
		return fmt.Errorf("ocl: a product of %d x %d x %d on %s: %w", p.M, p.N, p.K, x.eng.Name(), engine.ErrUnsupported)
	}
	return nil
}

// inline reports whether p, which takes flops operations, is for the calling thread.
func (x *Products) inline(p *Product, flops float64) bool {
	return x.eng.host != nil && !x.copies && x.eng.host.takes(p, flops)
}

// productRunner is the runner of a product.
func (e *Engine) productRunner(inline bool) runner {
	if inline {
		return e.host.inline
	}
	return e.queue
}

// kernel returns the compiled form of a key.
func (x *Products) kernel(k contract.ProductKey, wait bool) (*specialized, error) {
	x.mu.Lock()
	if x.closed {
		x.mu.Unlock()
		return nil, engine.ErrClosed
	}
	f := x.kernels[k]
	if f == nil {
		f = newSpecialized(x.eng, k)
		x.kernels[k] = f
		x.builds.Go(func() { f.build(x.ctx, x) })
	}
	x.mu.Unlock()
	if wait {
		<-f.done
	}
	select {
	case <-f.done:
		if !wait && f.err == nil && x.launching.Load() {
			return nil, ErrCompiling
		}
		return f, f.err
	default:
		return nil, ErrCompiling
	}
}

// Close waits for the compiler and releases the kernels. Calls must be over.
func (x *Products) Close() error {
	x.mu.Lock()
	if x.closed {
		x.mu.Unlock()
		return nil
	}
	x.closed = true
	x.mu.Unlock()
	x.cancel()
	x.builds.Wait()
	var err error
	for _, f := range x.kernels {
		err = errors.Join(err, f.close())
	}
	return err
}

// plansKept bounds how many plans are remembered; a plan takes some microseconds.
const plansKept = 4096

func (x *Products) plan(k contract.ProductShape) productPlan {
	x.mu.Lock()
	plan, ok := x.planned[k]
	x.mu.Unlock()
	if ok {
		return plan
	}
	plan = x.eng.planProduct(k)
	x.mu.Lock()
	if len(x.planned) >= plansKept {
		clear(x.planned)
	}
	x.planned[k] = plan
	x.mu.Unlock()
	return plan
}

// productPlan is a plan and its launch, as the runner is given it.
type productPlan struct {
	contract.ProductPlan
	launch cl.Range
}

// planProduct plans for the runner that the key says, or for the device's queue where there are too many groups for the calling thread.
func (e *Engine) planProduct(k contract.ProductShape) productPlan {
	r := e.productRunner(k.Key.Inline)
	plan := contract.PlanProduct(r.target().facts, k)
	launch, err := r.ranged(productRange(&plan))
	if errors.Is(err, errQueueOnly) {
		k.Key.Inline = false
		return e.planProduct(k)
	}
	return productPlan{plan, launch}
}

// kind is the kernel for p: products with one row or one column read a matrix once, and
// nothing is packed.
func (x *Products) kind(p *Product) contract.ProductKind {
	switch {
	case !x.eng.facts.CPU:
		return contract.ProductTile
	case p.Half != HalfNone:
		return contract.ProductBlock
	case p.N == 1 && !p.A.Trans && p.B.LD == 1 && p.C.LD == 1:
		return contract.ProductDot
	case p.M == 1 && !p.B.Trans && p.A.LD >= p.K && kernels.StreamSpace(x.eng.facts.LocalMem, p.DType.Size()) >= 64:
		return contract.ProductStream
	}
	return contract.ProductBlock
}
