package blas

import gonum "gonum.org/v1/gonum/blas"

// Every routine of level 3 but Gemm is made of products of halves, quarters and so on of its
// triangle, and of small triangles at the diagonal. Arguments that are wrong, and calls
// that compute nothing, are gonum's, which panics as it does.

func (d *device[T]) gemm(tA, tB gonum.Transpose, m, n, k int, alpha T, a []T, lda int, b []T, ldb int, beta T, c []T, ldc int) {
	if m > 0 && n > 0 && k > 0 && alpha != 0 && isTranspose(tA) && isTranspose(tB) {
		ar, ac, br, bc := m, k, k, n
		if transposed(tA) {
			ar, ac = ac, ar
		}
		if transposed(tB) {
			br, bc = bc, br
		}
		if fits(len(a), ar, ac, lda) && fits(len(b), br, bc, ldb) && fits(len(c), m, n, ldc) {
			done := false
			switch { // a vector is one however it lies
			case n == 1:
				done = d.runGemv(transposed(tA), ar, ac, alpha, a, lda, b, step(transposed(tB), ldb), beta, c, ldc)
			case m == 1:
				done = d.runGemv(!transposed(tB), br, bc, alpha, b, ldb, a, step(!transposed(tA), lda), beta, c, 1)
			default:
				done = d.run(transposed(tA), transposed(tB), m, n, k, alpha, a, lda, b, ldb, beta, c, ldc)
			}
			if done {
				return
			}
		}
	}
	d.own.gemm(tA, tB, m, n, k, alpha, a, lda, b, ldb, beta, c, ldc)
}

// gemmPart is a product that is part of another routine. It goes where it is predicted to be faster.
func (d *device[T]) gemmPart(tA, tB gonum.Transpose, m, n, k int, alpha T, a []T, lda int, b []T, ldb int, beta T, c []T, ldc int) {
	if d.routes.Load().gemm(transposed(tA), transposed(tB), m, n, k) {
		d.gemm(tA, tB, m, n, k, alpha, a, lda, b, ldb, beta, c, ldc)
	} else {
		d.own.gemm(tA, tB, m, n, k, alpha, a, lda, b, ldb, beta, c, ldc)
	}
}

// step is from one element of a vector to the next, which is a row of a matrix or a column.
func step(row bool, ld int) int {
	if row {
		return 1
	}
	return ld
}

func isTranspose(t gonum.Transpose) bool {
	return t == gonum.NoTrans || t == gonum.Trans || t == gonum.ConjTrans
}

func isTriangle(ul gonum.Uplo) bool { return ul == gonum.Upper || ul == gonum.Lower }

func isSide(s gonum.Side) bool { return s == gonum.Left || s == gonum.Right }

// half divides n so that halves of halves have few different sizes.
func half(n, block int) int {
	h := block
	for 2*h < n {
		h *= 2
	}
	return h
}

func (d *device[T]) symm(s gonum.Side, ul gonum.Uplo, m, n int, alpha T, a []T, lda int, b []T, ldb int, beta T, c []T, ldc int) {
	k := n
	if s == gonum.Left {
		k = m
	}
	if alpha == 0 || !isSide(s) || !isTriangle(ul) ||
		!fits(len(a), k, k, lda) || !fits(len(b), m, n, ldb) || !fits(len(c), m, n, ldc) || m == 0 || n == 0 {
		d.own.symm(s, ul, m, n, alpha, a, lda, b, ldb, beta, c, ldc)
		return
	}
	d.symmParts(s, ul, m, n, alpha, a, lda, b, ldb, beta, c, ldc)
}

// symmBlock is the order of a symmetric block that is written out in full, in blocks of a
// triangle.
const symmBlock = 32

func (d *device[T]) symmParts(s gonum.Side, ul gonum.Uplo, m, n int, alpha T, a []T, lda int, b []T, ldb int, beta T, c []T, ldc int) {
	left := s == gonum.Left
	k := n
	if left {
		k = m
	}
	product := func(tA bool, m, n, k int, x []T, ldx int, y []T, ldy int, beta T, c []T) {
		if left {
			d.gemmPart(asTrans(tA), gonum.NoTrans, m, n, k, alpha, x, ldx, y, ldy, beta, c, ldc)
		} else {
			d.gemmPart(gonum.NoTrans, asTrans(tA), m, n, k, alpha, y, ldy, x, ldx, beta, c, ldc)
		}
	}
	if k <= symmBlock*d.block {
		full := d.spare(k * k)
		defer d.give(full)
		unfold(*full, ul, k, a, lda)
		product(false, m, n, k, *full, k, b, ldb, beta, c)
		return
	}
	h := half(k, d.block)
	rest := k - h
	corner := a[h*lda+h:]
	off := a[h*lda:] // rest x h
	if ul == gonum.Upper {
		off = a[h:] // h x rest
	}
	lower := ul == gonum.Lower
	if left {
		b2, c2 := b[h*ldb:], c[h*ldc:]
		d.symmParts(s, ul, h, n, alpha, a, lda, b, ldb, beta, c, ldc)
		product(lower, h, n, rest, off, lda, b2, ldb, 1, c)
		d.symmParts(s, ul, rest, n, alpha, corner, lda, b2, ldb, beta, c2, ldc)
		product(!lower, rest, n, h, off, lda, b, ldb, 1, c2)
		return
	}
	b2, c2 := b[h:], c[h:]
	d.symmParts(s, ul, m, h, alpha, a, lda, b, ldb, beta, c, ldc)
	product(!lower, m, h, rest, off, lda, b2, ldb, 1, c)
	d.symmParts(s, ul, m, rest, alpha, corner, lda, b2, ldb, beta, c2, ldc)
	product(lower, m, rest, h, off, lda, b, ldb, 1, c2)
}

// unfold writes a symmetric matrix of order k out in full, in squares that stay in the nearest cache.
func unfold[T number](full []T, ul gonum.Uplo, k int, a []T, lda int) {
	const square = 16
	squares := (k + square - 1) / square
	parts(squares, 16, func(from, to int) {
		for i0 := from * square; i0 < min(to*square, k); i0 += square {
			for j0 := 0; j0 < k; j0 += square {
				rows, columns := min(square, k-i0), min(square, k-j0)
				stored := i0 > j0 == (ul == gonum.Lower)
				switch {
				case i0 == j0:
					for i := i0; i < i0+rows; i++ {
						for j := j0; j < j0+columns; j++ {
							low, high := min(i, j), max(i, j)
							if ul == gonum.Lower {
								low, high = high, low
							}
							full[i*k+j] = a[low*lda+high]
						}
					}
				case stored:
					for i := i0; i < i0+rows; i++ {
						copy(full[i*k+j0:i*k+j0+columns], a[i*lda+j0:])
					}
				default:
					turn(full[i0*k+j0:], k, a[j0*lda+i0:], lda, columns, rows)
				}
			}
		}
	})
}

func (d *device[T]) syrk(ul gonum.Uplo, t gonum.Transpose, n, k int, alpha T, a []T, lda int, beta T, c []T, ldc int) {
	rows, columns := n, k
	if transposed(t) {
		rows, columns = k, n
	}
	if alpha == 0 || n == 0 || k == 0 || !isTriangle(ul) || !isTranspose(t) ||
		!fits(len(a), rows, columns, lda) || !fits(len(c), n, n, ldc) ||
		!d.runHalf(ul, transposed(t), n, k, alpha, a, lda, a, lda, beta, c, ldc) {
		d.own.syrk(ul, t, n, k, alpha, a, lda, beta, c, ldc)
	}
}

func (d *device[T]) syr2k(ul gonum.Uplo, t gonum.Transpose, n, k int, alpha T, a []T, lda int, b []T, ldb int, beta T, c []T, ldc int) {
	rows, columns := n, k
	if transposed(t) {
		rows, columns = k, n
	}
	if alpha == 0 || n == 0 || k == 0 || !isTriangle(ul) || !isTranspose(t) ||
		!fits(len(a), rows, columns, lda) || !fits(len(b), rows, columns, ldb) || !fits(len(c), n, n, ldc) ||
		!d.runHalf(ul, transposed(t), n, k, alpha, a, lda, b, ldb, beta, c, ldc) {
		d.own.syr2k(ul, t, n, k, alpha, a, lda, b, ldb, beta, c, ldc)
		return
	}
	if !d.runHalf(ul, transposed(t), n, k, alpha, b, ldb, a, lda, 1, c, ldc) { // one half of the work is done
		full := d.spare(n * n)
		defer d.give(full)
		d.own.gemm(asTrans(transposed(t)), flip(transposed(t)), n, n, k, alpha, b, ldb, a, lda, 0, *full, n)
		addHalf(*full, ul, n, c, ldc)
	}
}

// addHalf adds a triangle of a matrix to that of C.
func addHalf[T number](full []T, ul gonum.Uplo, n int, c []T, ldc int) {
	for i := range n {
		from, to := 0, i+1
		if ul == gonum.Upper {
			from, to = i, n
		}
		for j := from; j < to; j++ {
			c[i*ldc+j] += full[i*n+j]
		}
	}
}
