// Package dot multiplies matrices of float32 whose rows lie along the summed axis, in assembly for AVX2 with fused multiply-adds: the Go
// compiler makes instructions for one number of them.
package dot

const (
	cols    = 4        // dot products with one row of A that are computed together
	width   = 8        // numbers of a vector
	l1Bytes = 16 << 10 // bytes of B that stay in the first-level cache while all rows of A pass
)

// args are how far apart numbers are, in bytes.
type args struct {
	aRow       int // from a row of A to the next
	b1, b2, b3 int // from the first of four rows of B to the others
	next       int // from the first of four rows of B to the next four
	cRow       int
	blocks     int // of four columns of C, one or more
	whole      int // of a row in whole vectors
}

// masks has, from 8-n on, n lanes that are set before 8 that are not.
var masks = [2 * width]uint32{
	1<<32 - 1, 1<<32 - 1, 1<<32 - 1, 1<<32 - 1, 1<<32 - 1, 1<<32 - 1, 1<<32 - 1, 1<<32 - 1,
}

// Multiply computes C += A·Bᵀ for A of m x k, B of n x k and C of m x n, by rows that are lda, ldb and ldc numbers apart. It must not be
// called where [Has] is false. No factor is left out because the other is 0. Sums have eight partial sums, of every eighth product each.
func Multiply(m, n, k int, a []float32, lda int, b []float32, ldb int, c []float32, ldc int) {
	if m == 0 || n == 0 || k == 0 {
		return
	}
	_, _, _ = a[(m-1)*lda+k-1], b[(n-1)*ldb+k-1], c[(m-1)*ldc+n-1]
	x := args{aRow: 4 * lda, cRow: 4 * ldc, whole: 4 * (k &^ (width - 1))}
	var mask *uint32
	if rest := k % width; rest > 0 {
		mask = &masks[width-rest]
	}
	step := max(l1Bytes/(4*k)&^(cols-1), cols)
	for j := 0; j < n; j += step {
		x.columns(m, min(step, n-j), a, lda, b[j*ldb:], ldb, c[j:], ldc, mask)
	}
}

// columns computes n columns of C. The mask has the lanes of the rest of a row after whole vectors; nil: there is none.
func (x *args) columns(m, n int, a []float32, lda int, b []float32, ldb int, c []float32, ldc int, mask *uint32) {
	done := x.fullBlocks(n, 4*ldb)
	if x.cRow = 4 * ldc; done > 0 {
		x.rows(m, a, lda, &b[0], c, ldc, mask)
	}
	rest := n - done
	if rest == 0 {
		return
	}
	var sums [3 * cols]float32
	x.lastBlock(rest, 4*ldb)
	x.cRow = 4 * cols
	for i := 0; i < m; {
		rows := 1
		if m-i >= 3 {
			rows = 3
		}
		clear(sums[:])
		x.rows(rows, a[i*lda:], lda, &b[done*ldb], sums[:], cols, mask)
		for r := range rows {
			to := c[(i+r)*ldc+done:][:rest]
			for j := range to {
				to[j] += sums[r*cols+j]
			}
		}
		i += rows
	}
}

// fullBlocks sets x to the whole blocks of n columns, of rows of B that lie step bytes apart, and returns how many columns they have.
func (x *args) fullBlocks(n, step int) int {
	x.b1, x.b2, x.b3, x.next, x.blocks = step, 2*step, 3*step, 4*step, n/cols
	return x.blocks * cols
}

// lastBlock sets x to one block of n columns, fewer than a block has: the last row of B stands for those that there are not.
func (x *args) lastBlock(n, step int) {
	last := step * (n - 1)
	x.b1, x.b2, x.b3, x.blocks = min(step, last), min(2*step, last), last, 1
}

// rows computes blocks of m rows.
func (x *args) rows(m int, a []float32, lda int, b *float32, c []float32, ldc int, mask *uint32) {
	for i := 0; i < m; {
		if m-i >= 3 {
			three(x, &a[i*lda], b, &c[i*ldc], mask)
			i += 3
		} else {
			one(x, &a[i*lda], b, &c[i*ldc], mask)
			i++
		}
	}
}
