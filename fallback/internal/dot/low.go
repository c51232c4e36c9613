package dot

import "unsafe"

const lowWidth = 4 // integers of a vector

// MultiplyLow computes C += A·Bᵀ of integers as [Multiply] does of float32, modulo 2³²: only the low 32 bits of an element of C are
// right, as they are in any sum of products of which the low 32 bits are wanted. It must not be called where [Has] is false.
func MultiplyLow[R int64 | uint64](m, n, k int, a []R, lda int, b []R, ldb int, c []R, ldc int) {
	if m == 0 || n == 0 || k == 0 {
		return
	}
	_, _, _ = a[(m-1)*lda+k-1], b[(n-1)*ldb+k-1], c[(m-1)*ldc+n-1]
	whole := k &^ (lowWidth - 1)
	step := max(l1Bytes/(8*k)&^(cols-1), cols)
	for j := 0; j < n; j += step {
		nj := min(step, n-j)
		for i := range m {
			row := c[i*ldc+j:][:nj]
			if whole > 0 {
				lowRow(a[i*lda:], b[j*ldb:], ldb, row, whole)
			}
			for l := range row { // the rest of the rows
				x, y := a[i*lda+whole:][:k-whole], b[(j+l)*ldb+whole:]
				for t, v := range x {
					row[l] += v * y[t]
				}
			}
		}
	}
}

// lowRow adds the products of one row with each of B's to a row of C, of k values, whole vectors of them.
func lowRow[R int64 | uint64](a, b []R, ldb int, c []R, k int) {
	x := args{whole: 8 * k}
	done := x.fullBlocks(len(c), 8*ldb)
	if done > 0 {
		low(&x, bits(a), bits(b), bits(c))
	}
	rest := len(c) - done
	if rest == 0 {
		return
	}
	var sums [cols]R
	x.lastBlock(rest, 8*ldb)
	low(&x, bits(a), bits(b[done*ldb:]), bits(sums[:]))
	for j := range rest {
		c[done+j] += sums[j]
	}
}

// bits points to the first element of a slice, for assembly that does not know its type.
func bits[R int64 | uint64](x []R) *uint64 { return (*uint64)(unsafe.Pointer(unsafe.SliceData(x))) }
