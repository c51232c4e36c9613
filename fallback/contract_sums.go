package fallback

import "github.com/anycl/anycl/fallback/internal/work"

// Sums of very many terms are taken block by block: one after the other, k terms would lose up to
// k units in the last place. A dot product of a tile is some lanes of TileK terms at most; where rows
// are added to a vector, a block is vectorTerms of them. Sums of blocks go to a total whose
// rounding errors are carried along, as often as is no cost.
const (
	fewTerms    = 512  // up to which sums are taken as they come
	vectorTerms = 32   // rows that are added up before they are added to a sum of vectors
	dotSteps    = 16   // tiles of k between two times that sums go to a total
	vectorSpan  = 1024 // rows between two such times
)

// span is how many values of k are summed before their sum goes to a total; 0 stands for all.
func (x *contractTask[R]) span() int64 {
	var zero R
	if !isFloat(zero) {
		return 0
	}
	span := dotSteps * x.kt
	if x.a.layout == byCols || x.b.layout == byCols {
		span = vectorSpan
	}
	if x.chunk <= span {
		return 0
	}
	return span
}

// multiplyLong is multiply where sums go to totals.
func (x *contractTask[R]) multiplyLong(worker int, tile, k0, k1, mi, nj int64, dst []R, ld int64) {
	all := work.Scratch[R](x.env, worker, x.totals, 2*int(x.mt*x.nt))
	total, rest := all[:mi*nj], all[mi*nj:2*mi*nj]
	clear(all[:2*mi*nj])
	for ; k0 < k1; k0 += x.spanK {
		x.multiplySpan(worker, tile, k0, min(k0+x.spanK, k1), dst, ld)
		for i := range mi {
			carry(total[i*nj:][:nj], rest[i*nj:][:nj], dst[i*ld:][:nj])
		}
	}
	for i := range mi {
		for j := range dst[i*ld:][:nj] {
			dst[i*ld+int64(j)] = total[i*nj+int64(j)] + rest[i*nj+int64(j)]
		}
	}
}

// carry adds xs to totals whose rounding errors are in rest. Numbers that are not finite have none: Inf - Inf
// would be NaN. Source: Kahan, Further remarks on reducing truncation errors (1965).
func carry[R reg](total, rest, xs []R) {
	rest, xs = rest[:len(total)], xs[:len(total)]
	for i, v := range xs {
		total[i], rest[i] = carryOne(total[i], rest[i], v)
	}
}

// carryOne is carry for one number.
func carryOne[R reg](total, rest, v R) (R, R) {
	more := v + rest
	after := total + more
	lost := more - (after - total)
	if lost-lost != 0 {
		lost = 0
	}
	return after, lost
}

// gemvBlocks is gemv by blocks of rows, each added up in block first where there is one.
func gemvBlocks[R reg](k, n int, a []R, lda int, x, y, block []R) {
	var zero R
	if len(block) == 0 || k <= vectorTerms || !isFloat(zero) {
		gemv(k, n, a, lda, x, y)
		return
	}
	block = block[:n]
	for l := 0; l < k; l += vectorTerms {
		clear(block)
		gemv(min(vectorTerms, k-l), n, a[l*lda:], lda, x[l:], block)
		addTo(y[:n], block)
	}
}

// addTo adds xs to ys, by gonum's vectors.
func addTo[R reg](ys, xs []R) {
	switch yb, xb := blockOf(ys), blockOf(xs); {
	case yb.F32 != nil:
		gonumBLAS.Saxpy(len(ys), 1, xb.F32, 1, yb.F32, 1)
	case yb.F64 != nil:
		gonumBLAS.Daxpy(len(ys), 1, xb.F64, 1, yb.F64, 1)
	}
}
