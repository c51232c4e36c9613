package fallback

import (
	"github.com/anycl/anycl/engine"
	"github.com/anycl/anycl/fallback/internal/work"
	"github.com/anycl/anycl/tensor"
)

// cut divides the work of a contraction into tiles, pieces and chunks.
func (x *contractTask[R]) cut(c *compiler) {
	l := c.Limits
	var zero R
	size := int64(sizeOf(zero))
	x.mt, x.nt, x.kt = max(min(x.m, l.TileRows), 1), max(min(x.n, l.TileCols), 1), x.k
	if x.k > l.TileK+l.TileK/2 {
		x.kt = l.TileK
	}
	if x.b.layout == byCols { // rows of B are read in pieces as long as a tile
		x.nt = max(min(x.n, 8*l.TileCols), 1)
	}
	if x.a.layout == byCols {
		x.mt = max(min(x.m, 8*l.TileRows), 1)
	}
	x.mts, x.nts = (x.m+x.mt-1)/x.mt, (x.n+x.nt-1)/x.nt
	x.tiles = x.batch * x.mts * x.nts
	x.chunk, x.chunks = max(x.k, 1), 1
	if n := min(wantTiles/max(x.tiles, 1), x.k/(2*l.TileK)); n > 1 && x.tiles > 0 {
		x.chunk = ((x.k+n-1)/n + l.TileK - 1) / l.TileK * l.TileK
		x.chunks = (x.k + x.chunk - 1) / x.chunk
	}
	x.a.reserve(c, x.batch, x.mt, x.kt, x.nts, size)
	x.b.reserve(c, x.batch, x.nt, x.kt, x.mts, size)
	if x.thin = x.isThin(); x.thin {
		x.side = c.Reserve(int(x.mt * x.nt * size))
	}
	x.predict()
	x.per, _ = c.Limits.Pieces(x.tiles, x.Ns()/float64(max(x.tiles, 1)), 1)
	x.wide = x.Ns() > c.Limits.WideNs
	if !x.direct || x.chunks > 1 {
		x.tileC = c.Reserve(int(x.mt * x.nt * size))
	}
	if x.spanK = x.span(); x.spanK > 0 {
		x.totals = c.Reserve(int(2 * x.mt * x.nt * size))
	}
	if x.k > fewTerms && (x.a.layout == byCols || x.b.layout == byCols) {
		x.blockN = int(x.mt * x.nt)
		x.block = c.Reserve(x.blockN * int(size))
	}
	if x.chunks > 1 {
		x.parts = c.ReserveShared(int(x.chunks * x.batch * x.m * x.n * size))
	}
}

// predict sets the cost of the task: of the products, by the times of a factor and of
// starting a dot product, and of the chains that compute operands and
// epilogue.
func (x *contractTask[R]) predict() {
	factor, start := 0.085, 3.0
	switch {
	case engine.ClassOf(x.task.Acc) == engine.ClassF64:
		factor = 0.17
	case engine.ClassOf(x.task.Acc) != engine.ClassF32:
		factor = 0.45
	}
	if x.thin {
		factor, start = 1.5*factor, 1.5
	}
	outs := float64(x.batch * x.m * x.n)
	x.Cost = productCost(x.task.Acc, outs*(float64(x.k)*factor+start))
	x.Chain += outs*x.out.prog.nsPer + float64(x.tiles)*100 +
		x.a.packNs(x.batch, x.nts) + x.b.packNs(x.batch, x.mts)
}

// productCost is the cost of products with sums of type acc that take ns: only products in float32 are as fast as the product by which
// processors are compared.
func productCost(acc tensor.DType, ns float64) work.Cost {
	if engine.ClassOf(acc) == engine.ClassF32 {
		return work.Cost{Product: ns}
	}
	return work.Cost{Chain: ns}
}

// packNs is the time of computing o, in nanoseconds, when users tiles need each row of it.
func (o *operand[R]) packNs(batches, users int64) float64 {
	if o.layout != packed {
		return 0
	}
	if o.once {
		batches, users = o.batches, 1
	}
	ns := o.prog.nsPer
	if o.across {
		ns += 0.8
	}
	return float64(batches*users*o.rows*o.k) * ns
}
