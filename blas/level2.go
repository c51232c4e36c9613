package blas

import gonum "gonum.org/v1/gonum/blas"

// hasVector reports whether a vector of n elements that lie inc apart lies in a slice of length.
func hasVector(length, n, inc int) bool {
	return inc != 0 && n > 0 && length > (n-1)*max(inc, -inc)
}

func (d *device[T]) gemv(tA gonum.Transpose, m, n int, alpha T, a []T, lda int, x []T, incX int, beta T, y []T, incY int) {
	lenX, lenY := n, m
	if transposed(tA) {
		lenX, lenY = m, n
	}
	if alpha == 0 || !isTranspose(tA) ||
		!fits(len(a), m, n, lda) || !hasVector(len(x), lenX, incX) || !hasVector(len(y), lenY, incY) ||
		!d.runGemv(transposed(tA), m, n, alpha, a, lda, x, incX, beta, y, incY) {
		d.own.gemv(tA, m, n, alpha, a, lda, x, incX, beta, y, incY)
	}
}

// gemvPart is a product that is part of another routine.
func (d *device[T]) gemvPart(tA gonum.Transpose, m, n int, alpha T, a []T, lda int, x []T, incX int, beta T, y []T, incY int) {
	if d.routes.Load().vector(vectorRoute(transposed(tA)), m, n) {
		d.gemv(tA, m, n, alpha, a, lda, x, incX, beta, y, incY)
	} else {
		d.own.gemv(tA, m, n, alpha, a, lda, x, incX, beta, y, incY)
	}
}

func vectorRoute(trans bool) route {
	if trans {
		return routeGemvTrans
	}
	return routeGemv
}

// runGemv lets the device compute y = alpha·op(A)·x + beta·y.
func (d *device[T]) runGemv(trans bool, m, n int, alpha T, a []T, lda int, x []T, incX int, beta T, y []T, incY int) (done bool) {
	lenX, lenY := n, m
	if trans {
		lenX, lenY = m, n
	}
	xs, doneX := d.dense(lenX, x, incX, true)
	ys, doneY := d.dense(lenY, y, incY, beta != 0)
	if trans {
		done = d.run(false, false, 1, n, m, alpha, xs, m, a, lda, beta, ys, n)
	} else {
		done = d.run(false, false, m, 1, n, alpha, a, lda, xs, 1, beta, ys, 1)
	}
	doneX(false)
	doneY(done)
	return done
}

func (d *device[T]) ger(m, n int, alpha T, x []T, incX int, y []T, incY int, a []T, lda int) {
	if alpha != 0 && fits(len(a), m, n, lda) && hasVector(len(x), m, incX) && hasVector(len(y), n, incY) {
		xs, doneX := d.dense(m, x, incX, true)
		ys, doneY := d.dense(n, y, incY, true)
		done := d.run(false, false, m, n, 1, alpha, xs, 1, ys, n, 1, a, lda)
		doneX(false)
		doneY(false)
		if done {
			return
		}
	}
	d.own.ger(m, n, alpha, x, incX, y, incY, a, lda)
}

func (d *device[T]) symv(ul gonum.Uplo, n int, alpha T, a []T, lda int, x []T, incX int, beta T, y []T, incY int) {
	if alpha == 0 || !isTriangle(ul) ||
		!fits(len(a), n, n, lda) || !hasVector(len(x), n, incX) || !hasVector(len(y), n, incY) {
		d.own.symv(ul, n, alpha, a, lda, x, incX, beta, y, incY)
		return
	}
	xs, doneX := d.dense(n, x, incX, true)
	ys, doneY := d.dense(n, y, incY, beta != 0)
	d.symvParts(ul, n, alpha, a, lda, xs, beta, ys)
	doneX(false)
	doneY(true)
}

func (d *device[T]) symvParts(ul gonum.Uplo, n int, alpha T, a []T, lda int, x []T, beta T, y []T) {
	if n <= d.vectorBlock {
		d.own.symv(ul, n, alpha, a, lda, x, 1, beta, y, 1)
		return
	}
	h := half(n, d.vectorBlock)
	rest := n - h
	d.symvParts(ul, h, alpha, a, lda, x, beta, y)
	d.symvParts(ul, rest, alpha, a[h*lda+h:], lda, x[h:], beta, y[h:])
	if ul == gonum.Lower {
		d.gemvPart(gonum.Trans, rest, h, alpha, a[h*lda:], lda, x[h:], 1, 1, y, 1)
		d.gemvPart(gonum.NoTrans, rest, h, alpha, a[h*lda:], lda, x, 1, 1, y[h:], 1)
		return
	}
	d.gemvPart(gonum.NoTrans, h, rest, alpha, a[h:], lda, x[h:], 1, 1, y, 1)
	d.gemvPart(gonum.Trans, h, rest, alpha, a[h:], lda, x, 1, 1, y[h:], 1)
}

// triangleVector is a triangular matrix beside a vector, both cut in halves.
type triangleVector[T number] struct {
	d    *device[T]
	ul   gonum.Uplo
	tA   gonum.Transpose
	diag gonum.Diag
	lda  int
}

func (d *device[T]) trmv(ul gonum.Uplo, tA gonum.Transpose, diag gonum.Diag, n int, a []T, lda int, x []T, incX int) {
	if !d.takesVector(ul, tA, diag, n, a, lda, x, incX) {
		d.own.trmv(ul, tA, diag, n, a, lda, x, incX)
		return
	}
	v, done := d.dense(n, x, incX, true)
	(&triangleVector[T]{d, ul, tA, diag, lda}).multiply(n, a, v)
	done(true)
}

func (d *device[T]) trsv(ul gonum.Uplo, tA gonum.Transpose, diag gonum.Diag, n int, a []T, lda int, x []T, incX int) {
	if !d.takesVector(ul, tA, diag, n, a, lda, x, incX) {
		d.own.trsv(ul, tA, diag, n, a, lda, x, incX)
		return
	}
	v, done := d.dense(n, x, incX, true)
	(&triangleVector[T]{d, ul, tA, diag, lda}).solve(n, a, v)
	done(true)
}

func (d *device[T]) takesVector(ul gonum.Uplo, tA gonum.Transpose, diag gonum.Diag, n int, a []T, lda int, x []T, incX int) bool {
	return isTriangle(ul) && isTranspose(tA) && (diag == gonum.Unit || diag == gonum.NonUnit) &&
		fits(len(a), n, n, lda) && hasVector(len(x), n, incX)
}

// lower reports whether op(A) is lower triangular.
func (t *triangleVector[T]) lower() bool { return (t.ul == gonum.Lower) != transposed(t.tA) }

// off adds scale · (what lies off the diagonal of op(A)) · one half of x to the other.
func (t *triangleVector[T]) off(h, n int, scale T, a, x []T) {
	part, rows, columns := a[h*t.lda:], n-h, h
	if t.ul == gonum.Upper {
		part, rows, columns = a[h:], h, n-h
	}
	if t.lower() {
		t.d.gemvPart(t.tA, rows, columns, scale, part, t.lda, x, 1, 1, x[h:], 1)
	} else {
		t.d.gemvPart(t.tA, rows, columns, scale, part, t.lda, x[h:], 1, 1, x, 1)
	}
}

func (t *triangleVector[T]) multiply(n int, a, x []T) {
	if n <= t.d.vectorBlock {
		t.d.own.trmv(t.ul, t.tA, t.diag, n, a, t.lda, x, 1)
		return
	}
	h := half(n, t.d.vectorBlock)
	corner := a[h*t.lda+h:]
	if t.lower() {
		t.multiply(n-h, corner, x[h:])
		t.off(h, n, 1, a, x)
		t.multiply(h, a, x)
		return
	}
	t.multiply(h, a, x)
	t.off(h, n, 1, a, x)
	t.multiply(n-h, corner, x[h:])
}

func (t *triangleVector[T]) solve(n int, a, x []T) {
	if n <= t.d.vectorBlock {
		t.d.own.trsv(t.ul, t.tA, t.diag, n, a, t.lda, x, 1)
		return
	}
	h := half(n, t.d.vectorBlock)
	corner := a[h*t.lda+h:]
	if t.lower() {
		t.solve(h, a, x)
		t.off(h, n, -1, a, x)
		t.solve(n-h, corner, x[h:])
		return
	}
	t.solve(n-h, corner, x[h:])
	t.off(h, n, -1, a, x)
	t.solve(h, a, x)
}
