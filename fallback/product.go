package fallback

import (
	"math"

	"github.com/anycl/anycl/engine"
	"github.com/anycl/anycl/fallback/internal/work"
)

// Relative errors of factors add up in whatever order they are multiplied. Products of float32 are therefore taken in
// float64, and those of float64, or of very many, in pairs: off by at most n 2^-53 and by 3 n 2^-106 of themselves
// beside the rounding to their type.

// product is hi + lo, where lo is the error of hi.
type product struct{ hi, lo float64 }

const productBytes = 16

var noFactors = product{hi: 1}

// products is how factors are multiplied.
type products int

const (
	notProducts products = iota // also products of few floats, and of integers
	inDouble
	inPairs
)

const (
	fewFactors  = 64      // are multiplied as they are
	manyFactors = 1 << 30 // float64 holds a product of fewer float32 with an error of one in its last place
)

// productsOf is how m multiplies n values of R.
func productsOf[R reg](m engine.Monoid, n int64) products {
	var zero R
	_, single := any(zero).(float32)
	_, double := any(zero).(float64)
	switch {
	case m != engine.Prod || n <= fewFactors || !single && !double:
		return notProducts
	case single && n <= manyFactors:
		return inDouble
	}
	return inPairs
}

// by multiplies p by q. A product that is infinite or NaN has no error.
// Source: Joldes, Muller and Popescu, Tight and Rigorous Error Bounds for Basic Building Blocks of Double-Word
// Arithmetic (2017).
func (p *product) by(q product) {
	hi := p.hi * q.hi
	low := math.FMA(p.lo, q.hi, math.FMA(p.hi, q.lo, math.FMA(p.hi, q.hi, -hi)))
	if hi-hi != 0 {
		low = 0
	}
	p.hi = hi + low
	p.lo = low - (p.hi - hi)
}

// multiply multiplies p by all xs.
func multiply[R reg](p *product, way products, xs []R) {
	if way == inDouble {
		p0, p1, p2, p3 := 1.0, 1.0, 1.0, 1.0
		for ; len(xs) >= 4; xs = xs[4:] {
			p0, p1, p2, p3 = p0*float64(xs[0]), p1*float64(xs[1]), p2*float64(xs[2]), p3*float64(xs[3])
		}
		for _, x := range xs {
			p0 *= float64(x)
		}
		p.hi *= (p0 * p1) * (p2 * p3)
		return
	}
	// Four chains: each multiplication waits for the one before.
	q := [4]product{noFactors, noFactors, noFactors, noFactors}
	for ; len(xs) >= 4; xs = xs[4:] {
		for k := range q {
			q[k].by(product{hi: float64(xs[k])})
		}
	}
	for _, x := range xs {
		q[0].by(product{hi: float64(x)})
	}
	for k := range q {
		p.by(q[k])
	}
}

// multiplyEach multiplies each of ps by the number beside it.
func multiplyEach[R reg](ps []product, way products, xs []R) {
	xs = xs[:len(ps)]
	if way == inDouble {
		for i, x := range xs {
			ps[i].hi *= float64(x)
		}
		return
	}
	for i, x := range xs {
		ps[i].by(product{hi: float64(x)})
	}
}

// products is the memory for the products of a chunk of n outputs from one on: of a worker, or the memory that finish
// reads.
func (r *reduceTask[R]) products(worker int, c, from, n int64) []product {
	if r.chunks == 1 {
		return work.Scratch[product](r.value.env, worker, r.pairs, r.group)[:n]
	}
	return work.Shared[product](r.value.env, r.pairs, r.outs*r.chunks)[c*r.outs+from:][:n]
}

// multiply multiplies values [lo, hi) of each of n outputs into ps.
func (r *reduceTask[R]) multiply(worker int, from, lo, hi int64, ps []product) {
	n := int64(len(ps))
	fill(ps, noFactors)
	if r.columns {
		r.columnsOf(worker, from, n, lo, hi, func(xs []R, _ int64) { multiplyEach(ps, r.way, xs) })
		return
	}
	f, block := r.value.frame(worker), int64(r.value.block)
	if lo == 0 && hi == r.folds && hi <= block { // several outputs in a block, as in foldRows
		per := block / hi
		for o := int64(0); o < n; o += per {
			k := min(per, n-o)
			b := f.eval((from+o)*r.folds, int(k*hi))
			xs := *lane[R](&b)
			for i := range k {
				multiply(&ps[o+i], r.way, xs[i*hi:][:hi])
			}
		}
		return
	}
	for o := range n {
		for x := lo; x < hi; x += block {
			b := f.eval((from+o)*r.folds+x, int(min(block, hi-x)))
			multiply(&ps[o], r.way, *lane[R](&b))
		}
	}
}

// emitProducts rounds products and passes them through the epilogue.
func (r *reduceTask[R]) emitProducts(worker int, from int64, ps []product) {
	best := work.Scratch[R](r.value.env, worker, r.best, len(ps))
	for i, p := range ps {
		best[i] = R(p.hi)
	}
	r.emit(worker, from, best, nil)
}

// finishProducts multiplies the chunks of n outputs.
func (r *reduceTask[R]) finishProducts(worker int, from, n int64) {
	ps := r.products(worker, 0, from, n)
	for c := int64(1); c < r.chunks; c++ {
		for i, q := range r.products(worker, c, from, n) {
			ps[i].by(q)
		}
	}
	r.emitProducts(worker, from, ps)
}
