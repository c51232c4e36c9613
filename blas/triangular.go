package blas

import (
	gonum "gonum.org/v1/gonum/blas"

	"github.com/anycl/anycl/internal/ocl"
)

// triangleOf is a triangular matrix beside a rectangular one, both cut in halves.
type triangleOf[T number] struct {
	d     *device[T]
	side  gonum.Side
	ul    gonum.Uplo
	tA    gonum.Transpose
	diag  gonum.Diag
	lda   int
	ldb   int
	small func(x *triangleOf[T], m, n int, alpha T, a, b []T) // what gonum does
	whole int                                                 // order up to which the device takes the triangle at once
}

// atOnce lets the device solve or multiply with a whole triangle, and reports whether it has.
func (x *triangleOf[T]) atOnce(solve bool, m, n int, alpha T, a, b []T) bool {
	order, columns := x.order(m, n), m+n-x.order(m, n)
	if order > x.whole {
		return false
	}
	right := x.side == gonum.Right // X·op(A) = B is op(A)ᵀ·Xᵀ = Bᵀ
	return x.d.runTriangle(&ocl.Triangle{
		DType: x.d.dtype, Solve: solve, Lower: x.lower() != right, Unit: x.diag == gonum.Unit, Order: order, Columns: columns,
		Alpha: float64(alpha),
		T:     ocl.Operand{Data: matrix(a, order, order, x.lda), LD: x.lda, Trans: transposed(x.tA) != right},
		B:     ocl.Operand{Data: matrix(b, m, n, x.ldb), LD: x.ldb, Trans: right},
	})
}

func (d *device[T]) trmm(s gonum.Side, ul gonum.Uplo, tA gonum.Transpose, diag gonum.Diag, m, n int, alpha T, a []T, lda int, b []T,
	ldb int) {
	if !d.takesTriangle(s, ul, tA, diag, m, n, alpha, a, lda, b, ldb) {
		d.own.trmm(s, ul, tA, diag, m, n, alpha, a, lda, b, ldb)
		return
	}
	x := &triangleOf[T]{d: d, side: s, ul: ul, tA: tA, diag: diag, lda: lda, ldb: ldb, small: (*triangleOf[T]).multiplySmall, whole: d.whole}
	x.multiply(m, n, alpha, a, b)
}

func (d *device[T]) trsm(s gonum.Side, ul gonum.Uplo, tA gonum.Transpose, diag gonum.Diag, m, n int, alpha T, a []T, lda int, b []T,
	ldb int) {
	if !d.takesTriangle(s, ul, tA, diag, m, n, alpha, a, lda, b, ldb) {
		d.own.trsm(s, ul, tA, diag, m, n, alpha, a, lda, b, ldb)
		return
	}
	x := &triangleOf[T]{d: d, side: s, ul: ul, tA: tA, diag: diag, lda: lda, ldb: ldb, small: (*triangleOf[T]).solveSmall, whole: d.whole}
	x.solve(m, n, alpha, a, b)
}

// takesTriangle reports whether arguments are right, and there is something to compute.
func (d *device[T]) takesTriangle(s gonum.Side, ul gonum.Uplo, tA gonum.Transpose, diag gonum.Diag, m, n int, alpha T, a []T, lda int,
	b []T, ldb int) bool {
	k := m
	if s == gonum.Right {
		k = n
	}
	return alpha != 0 && isSide(s) && isTriangle(ul) && isTranspose(tA) && (diag == gonum.Unit || diag == gonum.NonUnit) &&
		fits(len(a), k, k, lda) && fits(len(b), m, n, ldb) && m > 0 && n > 0
}

// order is that of the triangle.
func (x *triangleOf[T]) order(m, n int) int {
	if x.side == gonum.Left {
		return m
	}
	return n
}

// lower reports whether op(A) is lower triangular.
func (x *triangleOf[T]) lower() bool { return (x.ul == gonum.Lower) != transposed(x.tA) }

// off adds scale · (the part of op(A) off the diagonal, between halves h and the rest) · one
// half of B to the other, which it first multiplies by beta. With toRest it is the rest of B
// that is added to.
func (x *triangleOf[T]) off(toRest bool, h, m, n int, scale T, a, b []T, beta T) {
	part := a[h*x.lda:] // of A, as it lies
	if x.ul == gonum.Upper {
		part = a[h:]
	}
	rest := x.order(m, n) - h
	if x.side == gonum.Left {
		from, to, rows, sum := b[h*x.ldb:], b, h, rest
		if toRest {
			from, to, rows, sum = b, b[h*x.ldb:], rest, h
		}
		x.d.gemmPart(x.tA, gonum.NoTrans, rows, n, sum, scale, part, x.lda, from, x.ldb, beta, to, x.ldb)
		return
	}
	from, to, columns, sum := b[h:], b, h, rest
	if toRest {
		from, to, columns, sum = b, b[h:], rest, h
	}
	x.d.gemmPart(gonum.NoTrans, x.tA, m, columns, sum, scale, from, x.ldb, part, x.lda, beta, to, x.ldb)
}

// halves calls f with the half of A and B that ends at h, and with that which begins there.
func (x *triangleOf[T]) halves(h, m, n int, a, b []T) (first, rest func(f func(m, n int, alpha T, a, b []T), alpha T)) {
	corner := a[h*x.lda+h:]
	if x.side == gonum.Left {
		return func(f func(m, n int, alpha T, a, b []T), alpha T) { f(h, n, alpha, a, b) },
			func(f func(m, n int, alpha T, a, b []T), alpha T) { f(m-h, n, alpha, corner, b[h*x.ldb:]) }
	}
	return func(f func(m, n int, alpha T, a, b []T), alpha T) { f(m, h, alpha, a, b) },
		func(f func(m, n int, alpha T, a, b []T), alpha T) { f(m, n-h, alpha, corner, b[h:]) }
}

// solve is op(A)·X = alpha·B, or X·op(A) = alpha·B. What depends on nothing is solved first.
func (x *triangleOf[T]) solve(m, n int, alpha T, a, b []T) {
	if x.atOnce(true, m, n, alpha, a, b) {
		return
	}
	k := x.order(m, n)
	if k <= x.d.block {
		x.small(x, m, n, alpha, a, b)
		return
	}
	h := half(k, x.d.block)
	first, rest := x.halves(h, m, n, a, b)
	if x.lower() == (x.side == gonum.Left) {
		first(x.solve, alpha)
		x.off(true, h, m, n, -1, a, b, alpha)
		rest(x.solve, 1)
		return
	}
	rest(x.solve, alpha)
	x.off(false, h, m, n, -1, a, b, alpha)
	first(x.solve, 1)
}

// multiply is B = alpha·op(A)·B, or B = alpha·B·op(A). What nothing else needs is replaced first.
func (x *triangleOf[T]) multiply(m, n int, alpha T, a, b []T) {
	if x.atOnce(false, m, n, alpha, a, b) {
		return
	}
	k := x.order(m, n)
	if k <= x.d.block {
		x.small(x, m, n, alpha, a, b)
		return
	}
	h := half(k, x.d.block)
	first, rest := x.halves(h, m, n, a, b)
	if x.lower() == (x.side == gonum.Left) {
		rest(x.multiply, alpha)
		x.off(true, h, m, n, alpha, a, b, 1)
		first(x.multiply, alpha)
		return
	}
	first(x.multiply, alpha)
	x.off(false, h, m, n, alpha, a, b, 1)
	rest(x.multiply, alpha)
}

// smallPart is how many right-hand sides are worth a goroutine.
const smallPart = 64

func (x *triangleOf[T]) solveSmall(m, n int, alpha T, a, b []T) {
	x.spread(m, n, b, func(side gonum.Side, tA gonum.Transpose, m, n int, b []T, ldb int) {
		x.d.own.trsm(side, x.ul, tA, x.diag, m, n, alpha, a, x.lda, b, ldb)
	})
}

func (x *triangleOf[T]) multiplySmall(m, n int, alpha T, a, b []T) {
	x.spread(m, n, b, func(side gonum.Side, tA gonum.Transpose, m, n int, b []T, ldb int) {
		x.d.own.trmm(side, x.ul, tA, x.diag, m, n, alpha, a, x.lda, b, ldb)
	})
}

// spread lets each processor take some right-hand sides, which do not depend on each other. Beside a
// triangle on the right they are rows, as short as the triangle: they become columns of a
// copy, where gonum has vectors as long as there are of them.
func (x *triangleOf[T]) spread(m, n int, b []T, f func(side gonum.Side, tA gonum.Transpose, m, n int, b []T, ldb int)) {
	if x.side == gonum.Left {
		parts(n, smallPart, func(from, to int) { f(gonum.Left, x.tA, m, to-from, b[from:], x.ldb) })
		return
	}
	parts(m, smallPart, func(from, to int) {
		rows := to - from
		turned := x.d.spare(n * rows)
		defer x.d.give(turned)
		turn(*turned, rows, b[from*x.ldb:], x.ldb, rows, n)
		f(gonum.Left, flip(transposed(x.tA)), n, rows, *turned, rows)
		turn(b[from*x.ldb:], x.ldb, *turned, rows, n, rows)
	})
}

// turn copies the transpose of rows x columns numbers, in squares that stay in the nearest cache.
func turn[T number](to []T, ldTo int, from []T, ldFrom, rows, columns int) {
	const square = 16
	for i0 := 0; i0 < rows; i0 += square {
		for j0 := 0; j0 < columns; j0 += square {
			for j := j0; j < min(j0+square, columns); j++ {
				row := to[j*ldTo:]
				for i := i0; i < min(i0+square, rows); i++ {
					row[i] = from[i*ldFrom+j]
				}
			}
		}
	}
}
