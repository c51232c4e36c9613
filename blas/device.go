package blas

import (
	"sync"
	"sync/atomic"

	gonum "gonum.org/v1/gonum/blas"

	"github.com/anycl/anycl/cl"
	"github.com/anycl/anycl/internal/ocl"
	"github.com/anycl/anycl/internal/procs"
	"github.com/anycl/anycl/tensor"
)

// device computes the routines of a BLAS for one type of elements, each on the device or by gonum.
type device[T number] struct {
	blas   *BLAS
	own    reference[T]
	dtype  tensor.DType
	routes atomic.Pointer[routes]

	// Smaller calls always go to gonum: a device gains little there, and loses where many goroutines call at once.
	leastWork, leastSide, leastVector int
	block                             int  // order of a triangle that gonum computes
	vectorBlock                       int  // the same beside vectors
	whole                             int  // order of a triangle that the device takes at once
	waits                             bool // for the compiler
	spares                            sync.Pool

	table    table
	warmups  warmups[T]
	compiled atomic.Bool   // all kernels, by the measurement
	missed   atomic.Uint64 // products that the device should have computed and has not
}

func (d *device[T]) prepare(b *BLAS, own reference[T], dt tensor.DType) {
	d.blas, d.own, d.dtype = b, own, dt
	d.leastWork, d.leastSide, d.leastVector, d.block, d.vectorBlock = 100_000, 24, 1<<15, 32, 256
	// Halves of what is larger are products, which use more of the machine.
	d.whole = min(b.products.TriangleOrder(dt), 1024)
	r := &guess
	if !b.products.Copies() {
		r = &guessInPlace
	}
	if b.force {
		d.whole = min(d.whole, 20) // tests have halves too
		d.leastWork, d.leastSide, d.leastVector, d.block, d.vectorBlock = 0, 0, 0, 2, 2
		d.waits, r = true, &always
	}
	if b.products.Check(dt) != nil {
		r = &never
	}
	d.routes.Store(r)
}

// off leaves everything to gonum.
func (d *device[T]) off() { d.routes.Store(&never) }

// A call that gonum does goes there from the exported method: every frame between costs time, and a new
// goroutine its first stack.

// Small calls are found by functions that the compiler inlines, since gonum's smallest calls are short themselves.

func (d *device[T]) small3(m, n, k int) bool { return d.blas == nil || m*n*k < d.leastWork }
func (d *device[T]) small(m, n int) bool {
	return d.blas == nil || m < d.leastSide || n < d.leastSide
}
func (d *device[T]) thin(m, n int) bool { return d.blas == nil || m*n < d.leastVector }

// transposed reports whether t is a transposition, conjugate or not: for real numbers both are one.
func transposed(t gonum.Transpose) bool { return t != gonum.NoTrans }

// flip returns NoTrans for a transposition, and Trans for none.
func flip(trans bool) gonum.Transpose {
	if trans {
		return gonum.NoTrans
	}
	return gonum.Trans
}

// asTrans returns Trans if trans, else NoTrans.
func asTrans(trans bool) gonum.Transpose { return flip(!trans) }

// fits reports whether a matrix of rows x columns lies in a slice of n elements.
func fits(n, rows, columns, ld int) bool {
	return rows >= 0 && columns >= 0 && ld >= max(1, columns) && (rows == 0 || columns == 0 || n >= (rows-1)*ld+columns)
}

// matrix is the part of s that holds rows x columns.
func matrix[T number](s []T, rows, columns, ld int) []byte {
	return cl.Bytes(s[:(rows-1)*ld+columns])
}

// run lets the device compute C = alpha·op(A)·op(B) + beta·C and reports whether it has.
// Arguments are right, and nothing is empty.
func (d *device[T]) run(tA, tB bool, m, n, k int, alpha T, a []T, lda int, b []T, ldb int, beta T, c []T, ldc int) bool {
	return d.runPart(ocl.HalfNone, tA, tB, m, n, k, alpha, a, lda, b, ldb, beta, c, ldc)
}

func (d *device[T]) runPart(half ocl.Half, tA, tB bool, m, n, k int, alpha T, a []T, lda int, b []T, ldb int, beta T, c []T, ldc int) bool {
	p := calls.Get().(*ocl.Product)
	defer calls.Put(p)
	ar, ac, br, bc := m, k, k, n
	if tA {
		ar, ac = ac, ar
	}
	if tB {
		br, bc = bc, br
	}
	*p = ocl.Product{
		DType: d.dtype, Half: half, M: m, N: n, K: k, Alpha: float64(alpha), Beta: float64(beta),
		A: ocl.Operand{Data: matrix(a, ar, ac, lda), LD: lda, Trans: tA},
		B: ocl.Operand{Data: matrix(b, br, bc, ldb), LD: ldb, Trans: tB},
		C: ocl.Operand{Data: matrix(c, m, n, ldc), LD: ldc},
	}
	err := d.blas.products.Run(p, d.waits || longerThanCompiling(m, n, k))
	*p = ocl.Product{}
	if err != nil {
		d.missed.Add(1)
		d.blas.failed(err)
	}
	return err == nil
}

// runHalf lets the device compute a triangle of C = alpha·op(A)·op(B)ᵀ + beta·C.
func (d *device[T]) runHalf(ul gonum.Uplo, trans bool, n, k int, alpha T, a []T, lda int, b []T, ldb int, beta T, c []T, ldc int) bool {
	half := ocl.HalfLower
	if ul == gonum.Upper {
		half = ocl.HalfUpper
	}
	return d.runPart(half, trans, !trans, n, n, k, alpha, a, lda, b, ldb, beta, c, ldc)
}

// runTriangle lets the device solve or multiply with a triangle and reports whether it has.
func (d *device[T]) runTriangle(t *ocl.Triangle) bool {
	err := d.blas.products.RunTriangle(t, d.waits || longerThanCompiling(t.Order, t.Order, t.Columns))
	if err != nil {
		d.missed.Add(1)
		d.blas.failed(err)
	}
	return err == nil
}

// calls is a pool of products, so that a call allocates none.
var calls = sync.Pool{New: func() any { return new(ocl.Product) }}

// compilingWork is the number of multiplications for which gonum takes longer than any compiler.
const compilingWork = 4e11

// longerThanCompiling reports whether a caller had better wait for the compiler than leave a product to gonum.
func longerThanCompiling(m, n, k int) bool {
	return float64(m)*float64(n)*float64(k) > compilingWork
}

// spare returns n elements of any value, for give.
func (d *device[T]) spare(n int) *[]T {
	s, ok := d.spares.Get().(*[]T)
	if !ok {
		s = new([]T)
	}
	if cap(*s) < n {
		*s = make([]T, n)
	}
	*s = (*s)[:n]
	return s
}

func (d *device[T]) give(s *[]T) { d.spares.Put(s) }

// parts calls f with parts of [0, n) at the same time, one for each processor, none
// shorter than least.
func parts(n, least int, f func(from, to int)) {
	count := min(procs.Count(), n/max(least, 1))
	if count < 2 {
		f(0, n)
		return
	}
	var wg sync.WaitGroup
	for i := 1; i < count; i++ {
		wg.Go(func() { f(n*i/count, n*(i+1)/count) })
	}
	f(0, n/count)
	wg.Wait()
}

// dense returns n elements of x that lie inc apart as ones that adjoin: where they lie, or
// copied. Done ends their use, and writes them back if it is told to.
func (d *device[T]) dense(n int, x []T, inc int, read bool) (v []T, done func(write bool)) {
	if inc == 1 {
		return x[:n], func(bool) {}
	}
	at := 0
	if inc < 0 {
		at = (1 - n) * inc
	}
	s := d.spare(n)
	if read {
		for i := range *s {
			(*s)[i] = x[at+i*inc]
		}
	}
	return *s, func(write bool) {
		if write {
			for i, v := range *s {
				x[at+i*inc] = v
			}
		}
		d.give(s)
	}
}
