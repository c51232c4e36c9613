package ocl

import (
	"context"
	"errors"
	"fmt"
	"sync"

	"github.com/anycl/anycl/engine"
	"github.com/anycl/anycl/kernels"
	"github.com/anycl/anycl/tensor"
)

// ErrCompiling is returned for a product whose kernel is being compiled.
var ErrCompiling = errors.New("ocl: the kernel is being compiled")

// Operand is a matrix in the host's memory, row by row.
type Operand struct {
	Data  []byte // from the first element to the last
	LD    int    // elements from the start of a row to that of the next
	Trans bool   // what is meant is the transpose of what lies there
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
	T, B           Operand // also B may be the transpose of what lies there
}

// Products computes products of matrices in the host's memory, of sizes that nobody
// knows before: where a task has its sizes and its memory when it is prepared,
// they come with each call here, so that a kernel is compiled once for all of them. It
// is safe for concurrent use.
type Products struct {
	eng     *Engine
	copies  bool // operands are copied to the device and back
	ctx     context.Context
	cancel  context.CancelFunc
	builds  sync.WaitGroup
	mu      sync.Mutex
	closed  bool
	forms   map[formKey]*form
	planned map[planKey]productPlan
}

// NewProducts is for products on e's device. Close it before e. It compiles nothing and
// proves nothing: Product does, when it is first asked to wait.
func NewProducts(e *Engine) *Products {
	x := &Products{eng: e, copies: !e.dev.Borrows(), forms: map[formKey]*form{}, planned: map[planKey]productPlan{}}
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
func (x *Products) Units() int { return x.eng.facts.units }

// Copies reports whether operands are copied to the device and back.
func (x *Products) Copies() bool { return x.copies }

// Copy makes all products copy their operands, whatever the device can do.
func (x *Products) Copy() { x.copies = true }

// Run computes p and returns when it is done. Where its kernel is not compiled yet, wait says
// to wait for the compiler; without, the compiler begins and the error is ErrCompiling. After
// an error C is as it was, unless the device was lost while it computed.
func (x *Products) Run(p *Product, wait bool) error {
	if err := x.fits(p); err != nil {
		return err
	}
	k := planKey{form: formKey{kind: x.kind(p), dtype: p.DType, aTrans: p.A.Trans, bTrans: p.B.Trans}, m: p.M, n: p.N, k: p.K}
	flops := 2 * float64(p.M) * float64(p.N) * float64(p.K)
	if p.Half != HalfNone {
		k.form.half, flops = true, flops/2
	}
	k.form.near = x.near(p, flops)
	k.form.length = lengthOf(p.K)
	plan := x.plan(k)
	plan.sizes[sizeLower] = int32(oneIf(p.Half == HalfLower))
	return x.call(p, plan, wait)
}

// TriangleOrder is the largest order that RunTriangle takes on this device: 0 where it takes none.
func (x *Products) TriangleOrder(dt tensor.DType) int {
	const cache = 4096 // a panel of more leaves the cache of a core
	d := x.eng.facts
	if !d.cpu || x.copies {
		return 0
	}
	c := productContraction(d, formKey{dtype: dt}, 1, 1, 1)
	return min(triangleSpace(c)/blockOfProducts(c).shape.Columns(), cache)
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
	k := planKey{form: formKey{kind: productMultiply, dtype: t.DType, bTrans: t.B.Trans}, m: t.Order, n: t.Columns, k: t.Order}
	if t.Solve {
		k.form.kind = productSolve
	}
	k.form.near = x.near(p, float64(t.Order)*float64(t.Order)*float64(t.Columns))
	plan := x.plan(k)
	s := &plan.sizes
	s[sizeRowA], s[sizeColumnA] = int32(t.T.LD), 1
	if t.T.Trans {
		s[sizeRowA], s[sizeColumnA] = 1, int32(t.T.LD)
	}
	s[sizeLDB] = int32(t.B.LD)
	s[sizeLower], s[sizeUnit] = int32(oneIf(t.Lower)), int32(oneIf(t.Unit))
	return x.call(p, plan, wait)
}

// call runs p with its kernel.
func (x *Products) call(p *Product, plan productPlan, wait bool) error {
	f, err := x.form(plan.key, wait)
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
	if max(p.M, p.N, p.K, p.A.LD, p.B.LD, p.C.LD) > idxLimit || int64(max(len(p.A.Data), len(p.B.Data), len(p.C.Data))) > x.eng.facts.maxAlloc {
		return fmt.Errorf("ocl: a product of %d x %d x %d on %s: %w", p.M, p.N, p.K, x.eng.Name(), engine.ErrUnsupported)
	}
	return nil
}

// productEfficiency is the share of the peak rate that large products reach.
const productEfficiency = 0.85

// near reports whether p, which is so many operations, is over sooner on the calling thread than
// threads are woken.
func (x *Products) near(p *Product, flops float64) bool {
	e := x.eng
	if e.near == nil || x.copies {
		return false
	}
	switch forcedName(e.force, siteName) {
	case siteCaller:
		return true
	case siteWorkers:
		return false
	}
	r := e.rates()
	size := float64(p.DType.Size())
	m, n, k := float64(p.M), float64(p.N), float64(p.K)
	one := r.flops * productEfficiency / float64(r.units) // of a core
	work := max(flops/one*size/4, (m*k+k*n+m*n)*size/r.nearMemory)
	near := work + r.nearLaunch.Seconds()
	far := work/float64(r.units) + (r.wake + r.launch).Seconds()
	return near <= patience*far
}

// form returns the compiled form of a key.
func (x *Products) form(k formKey, wait bool) (*form, error) {
	x.mu.Lock()
	if x.closed {
		x.mu.Unlock()
		return nil, engine.ErrClosed
	}
	f := x.forms[k]
	if f == nil {
		f = newForm(x.eng, k)
		x.forms[k] = f
		x.builds.Go(func() { f.build(x.ctx) })
	}
	x.mu.Unlock()
	if wait {
		<-f.done
	}
	select {
	case <-f.done:
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
	for _, f := range x.forms {
		err = errors.Join(err, f.close())
	}
	return err
}

// productPlan is how a product is launched.
type productPlan struct {
	key    formKey
	sizes  productSizes // those that A, B and C do not say
	global [3]int
}

// planKey is what a plan depends on.
type planKey struct {
	form    formKey // without the tile
	m, n, k int
}

// plansKept bounds how many plans are remembered; a plan takes some microseconds.
const plansKept = 4096

func (x *Products) plan(k planKey) productPlan {
	x.mu.Lock()
	plan, ok := x.planned[k]
	x.mu.Unlock()
	if ok {
		return plan
	}
	plan = planProduct(x.facts(k.form.near), k)
	x.mu.Lock()
	if len(x.planned) >= plansKept {
		clear(x.planned)
	}
	x.planned[k] = plan
	x.mu.Unlock()
	return plan
}

func (x *Products) facts(near bool) *deviceFacts {
	if near {
		return x.eng.near.facts
	}
	return x.eng.far.facts
}

// kind is the kernel for p: products with one row or one column read a matrix once, and
// nothing is packed.
func (x *Products) kind(p *Product) productKind {
	switch {
	case !x.eng.facts.cpu:
		return productTile
	case p.Half != HalfNone:
		return productBlock
	case p.N == 1 && !p.A.Trans && p.B.LD == 1 && p.C.LD == 1:
		return productDot
	case p.M == 1 && !p.B.Trans && p.A.LD >= p.K && kernels.StreamSpace(x.eng.facts.localMem, p.DType.Size()) >= 64:
		return productStream
	}
	return productBlock
}
