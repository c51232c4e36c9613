package fallback

import (
	"context"
	"fmt"
	"math"

	"github.com/anycl/anycl/engine"
	"github.com/anycl/anycl/fallback/internal/work"
	"github.com/anycl/anycl/tensor"
)

// Tiles of attention: products stay below the size that gonum shares among goroutines,
// and the data of a tile in the second-level cache.
const (
	attentionRows = 64
	attentionKeys = 128
	// A given number of tiles of the other side are added up before their sum goes to a total whose
	// rounding errors are carried along: one after the other, millions would lose most digits.
	attentionSteps = 16
)

// attentionTask computes attention tile by tile of queries, or for the gradient
// of keys and values of keys, against all that they see on the other side.
type attentionTask[R float32 | float64] struct {
	env             *work.Env
	task            *engine.Task
	a               *engine.AttentionTask
	batch, rows, m  int64 // rows are the queries of all groups
	n, d, e         int64
	q, k, v, do     *program // by rows
	qt, kt, vt, dot *program // by columns
	top, share      *program
	delta, mask     *program
	outs            []sink
	tile, tiles     int64
	scratch         []reserved
	work.Cost
	wide bool
	long bool // some sums go to totals
	work work.Job
}

// The buffers in the scratch memory of a worker.
const (
	bufQ = iota
	bufQT
	bufDO
	bufDOT
	bufK
	bufKT
	bufV
	bufVT
	bufS  // scores, then weights
	bufDP // their slopes
	bufST
	bufDPT
	bufO // the first result
	bufO2
	bufShare // the sum of weights, then one over it
	bufDelta
	bufRow
	bufTop
	bufTotal // of the first result, and its rounding error, where the other side is long
	bufTotal2
	bufFaded // the factor of a row of the first result since it went to its total
	bufLost  // by the sums of weights
	bufCount
)

func newAttention(c *compiler) (work.Runner, error) {
	if engine.ClassOf(c.Task.Acc) == engine.ClassF64 {
		return makeAttention[float64](c)
	}
	return makeAttention[float32](c)
}

func makeAttention[R float32 | float64](c *compiler) (work.Runner, error) {
	t := c.Task
	x := &attentionTask[R]{env: c.Env, task: t, a: t.Attention, batch: t.Size(0), m: t.Size(2), n: t.Size(3), d: t.Size(4), e: t.Size(5)}
	x.rows = t.Size(1) * x.m
	if err := x.compile(c); err != nil {
		return nil, err
	}
	for i, o := range t.Outs {
		x.outs = append(x.outs, sinkOf(o.DType, c.Outs[i]))
	}
	var zero R
	rows, keys := min(x.rows, attentionRows), min(x.n, attentionKeys)
	if x.a.Pass == engine.AttentionGradKV {
		keys = min(x.n, attentionRows)
	}
	sizes := [bufCount]int64{
		bufQ: rows * x.d, bufQT: rows * x.d, bufDO: rows * x.e, bufDOT: rows * x.e,
		bufK: keys * x.d, bufKT: keys * x.d, bufV: keys * x.e, bufVT: keys * x.e,
		bufS: rows * keys, bufDP: rows * keys, bufST: rows * keys, bufDPT: rows * keys,
		bufO: max(rows, keys) * max(x.d, x.e), bufO2: max(rows, keys) * x.e,
		bufShare: rows, bufDelta: rows, bufRow: keys, bufTop: rows,
	}
	if x.long = max(x.rows/attentionRows, x.n/attentionKeys) > attentionSteps; x.long {
		sizes[bufTotal], sizes[bufTotal2] = 2*sizes[bufO], 2*sizes[bufO2]
		sizes[bufFaded] = rows
	}
	sizes[bufLost] = rows
	for _, n := range sizes {
		x.scratch = append(x.scratch, reserved{offset: c.Reserve(int(n) * sizeOf(zero)), bytes: int(n)})
	}
	x.tile, x.tiles = attentionRows, x.batch*((x.rows+attentionRows-1)/attentionRows)
	x.work = x.forward
	switch x.a.Pass {
	case engine.AttentionGradQ:
		x.work = x.gradQ
	case engine.AttentionGradKV:
		x.tiles, x.work = x.batch*((x.n+attentionRows-1)/attentionRows), x.gradKV
	}
	x.predict()
	x.wide = x.Ns() > c.Limits.WideNs
	return x, nil
}

// compile makes the programs that the pass needs.
func (x *attentionTask[R]) compile(c *compiler) error {
	t, a := c.Task, x.a
	var err error
	make := func(to **program, e *engine.Expr, groups ...int) {
		if err == nil && e != nil {
			*to, err = c.compile(axesOf(t, groups...), []tensor.DType{t.Acc}, e)
		}
	}
	make(&x.q, a.Q, 0, 1, 2, 4)
	make(&x.k, a.K, 0, 3, 4)
	make(&x.mask, a.Mask, 0, 1, 2, 3)
	make(&x.top, a.Top, 0, 1, 2)
	make(&x.share, a.Share, 0, 1, 2)
	make(&x.delta, a.D, 0, 1, 2)
	make(&x.do, a.DO, 0, 1, 2, 5)
	switch a.Pass {
	case engine.AttentionForward:
		make(&x.vt, a.V, 0, 5, 3)
	case engine.AttentionGradQ:
		make(&x.v, a.V, 0, 3, 5)
		make(&x.kt, a.K, 0, 4, 3)
	case engine.AttentionGradKV:
		make(&x.v, a.V, 0, 3, 5)
		make(&x.qt, a.Q, 0, 4, 1, 2)
		make(&x.dot, a.DO, 0, 5, 1, 2)
	}
	return err
}

// predict sets the cost: products, exponentials, and operands that are read
// again for every tile.
func (x *attentionTask[R]) predict() {
	factor := 0.085
	if engine.ClassOf(x.task.Acc) == engine.ClassF64 {
		factor = 0.17
	}
	flops := x.task.Cost().Flops
	x.Cost = productCost(x.task.Acc, flops/2*factor)
	x.Chain += flops / float64(max(2*(x.d+x.e), 1)) * 8
	other := x.n
	if x.a.Pass == engine.AttentionGradKV {
		other = x.rows
	}
	x.Chain += float64(x.tiles*other*(x.d+x.e)) * 2
}

func (x *attentionTask[R]) Run(ctx context.Context, p *work.Pool) error {
	return p.Run(ctx, x.tiles, x.wide, x.work)
}

func (x *attentionTask[R]) Plan() engine.Plan {
	why := "short: on the caller's goroutine"
	if x.wide {
		why = "long: shared among workers"
	}
	return engine.Plan{
		Variant: fmt.Sprintf("attention %d x %d queries, %d keys, %d and %d features", x.batch, x.rows, x.n, x.d, x.e),
		Why:     why,
		Launch:  []string{fmt.Sprintf("%d tiles of %d", x.tiles, x.tile)},
	}
}

// buf is the first n values of a scratch buffer.
func (x *attentionTask[R]) buf(worker, which int, n int64) []R {
	return work.Scratch[R](x.env, worker, x.scratch[which].offset, x.scratch[which].bytes)[:n]
}

// panel is nr rows of an operand with the given number of columns, from row at on.
func (x *attentionTask[R]) panel(worker, which int, p *program, at, nr, columns int64) []R {
	dst := x.buf(worker, which, nr*columns)
	p.frame(worker).evalTo(at*columns, len(dst), blockOf(dst))
	return dst
}

// across is the same by columns: rows is how many the operand has in a batch.
func (x *attentionTask[R]) across(worker, which int, p *program, batch, rows, r0, nr, columns int64) []R {
	dst := x.buf(worker, which, nr*columns)
	f := p.frame(worker)
	for c := range columns {
		f.evalTo((batch*columns+c)*rows+r0, int(nr), blockOf(dst[c*nr:][:nr]))
	}
	return dst
}

// seen is which keys the queries of rows [r0, r0+nr) see at most.
func (x *attentionTask[R]) seen(r0, nr int64) (from, to int64) {
	first, last := r0%x.m, r0%x.m+nr-1
	if last >= x.m {
		first, last = 0, x.m-1
	}
	return max(first+x.a.Low, 0), min(last+x.a.High+1, x.n)
}

// scores computes the scores of nr rows and nk keys, row by row, as powers of two. Each pass has the same to the last bit.
func (x *attentionTask[R]) scores(worker int, batch, r0, nr, n0, nk int64, q, k []R) []R {
	s := x.buf(worker, bufS, nr*nk)
	clear(s)
	gemm(int(nr), int(nk), int(x.d), q, int(x.d), k, int(x.d), s, int(nk))
	scale, unseen := R(x.a.Scale*math.Log2E), R(math.Inf(-1))
	for r := range nr {
		row := s[r*nk:][:nk]
		for j := range row {
			row[j] *= scale
		}
		if x.mask != nil {
			mask := x.buf(worker, bufRow, nk)
			x.mask.frame(worker).evalTo((batch*x.rows+r0+r)*x.n+n0, int(nk), blockOf(mask))
			for j, v := range mask {
				if x.a.Mask.DType != tensor.Bool {
					row[j] += R(v * math.Log2E)
				} else if v == 0 {
					row[j] = unseen
				}
			}
		}
		from, to := x.seen(r0+r, 1)
		for j := range row[:max(min(from-n0, nk), 0)] {
			row[j] = unseen
		}
		for j := max(to-n0, 0); j < nk; j++ {
			row[j] = unseen
		}
	}
	return s
}

// forward computes a tile of the result with the running maximum and sum of
// each row. Source: Milakov and Gimelshein, Online Normalizer Calculation for
// Softmax (2018).
func (x *attentionTask[R]) forward(worker int, i int64) {
	batch, r0, nr := x.cut(i, x.rows)
	q := x.panel(worker, bufQ, x.q, batch*x.rows+r0, nr, x.d)
	o, top, sum := x.buf(worker, bufO, nr*x.e), x.buf(worker, bufTop, nr), x.buf(worker, bufShare, nr)
	clear(o)
	clear(sum)
	for r := range top {
		top[r] = R(math.Inf(-1))
	}
	lost := x.buf(worker, bufLost, nr)
	clear(lost)
	t := x.totals(worker, bufTotal, nr*x.e)
	var faded []R
	if x.long {
		faded = x.buf(worker, bufFaded, nr)
		fill(faded, 1)
	}
	from, to := x.seen(r0, nr)
	for n0 := from; n0 < to; n0 += attentionKeys {
		if t.step() {
			for r, f := range faded {
				for e := int64(r) * x.e; e < int64(r+1)*x.e; e++ {
					t.sums[e] *= f
					t.lost[e] *= f
				}
				faded[r] = 1
			}
			t.add(o)
		}
		nk := min(attentionKeys, to-n0)
		k := x.panel(worker, bufK, x.k, batch*x.n+n0, nk, x.d)
		s := x.scores(worker, batch, r0, nr, n0, nk, q, k)
		for r := range nr {
			fade := online(s[r*nk:][:nk], &top[r], &sum[r], &lost[r])
			if x.long {
				faded[r] *= fade
			}
			for e := range o[r*x.e:][:x.e] {
				o[r*x.e+int64(e)] *= fade
			}
		}
		vt := x.across(worker, bufVT, x.vt, batch, x.n, n0, nk, x.e)
		gemm(int(nr), int(x.e), int(nk), s, int(nk), vt, int(nk), o, int(x.e))
	}
	for r, f := range faded {
		for e := int64(r) * x.e; e < int64(r+1)*x.e; e++ {
			t.sums[e] *= f
			t.lost[e] *= f
		}
	}
	t.end(o)
	for r := range nr {
		sum[r] += lost[r]
		if sum[r] != 0 {
			sum[r] = 1 / sum[r]
			top[r] = R(engine.RoundedDown(x.task.Acc, float64(top[r])))
		} else { // no key
			top[r] = R(math.Inf(1))
		}
		row := o[r*x.e:][:x.e]
		for e := range row {
			row[e] *= sum[r]
		}
	}
	x.outs[0].store((batch*x.rows+r0)*x.e, blockOf(o))
	if len(x.outs) > 1 {
		x.outs[1].store(batch*x.rows+r0, blockOf(top))
		x.outs[2].store(batch*x.rows+r0, blockOf(sum))
	}
}

// pow2 is 2^x. Exp is assembly on most processors, and Exp2 is not.
func pow2(x float64) float64 { return math.Exp(x * math.Ln2) }

// online turns scores into weights relative to the new maximum, adds them to
// sum, of which lost is the rounding error, and gives the factor of the sum before.
func online[R float32 | float64](s []R, top, sum, lost *R) (fade R) {
	most := *top
	for _, v := range s {
		if v > most {
			most = v
		}
	}
	safe := most
	if math.IsInf(float64(most), -1) {
		safe = 0
	}
	fade = R(pow2(float64(*top - safe)))
	var here R
	for j, v := range s {
		s[j] = R(pow2(float64(v - safe)))
		here += s[j]
	}
	*top, *sum, *lost = most, *sum*fade, *lost*fade
	*sum, *lost = carryOne(*sum, *lost, here)
	return fade
}

// attentionTotals are the totals of a result that is the sum of many tiles; its zero value
// leaves sums as they are.
type attentionTotals[R float32 | float64] struct {
	sums, lost []R
	steps      int
}

// totals begins them in a scratch buffer for n sums, where the other side is long.
func (x *attentionTask[R]) totals(worker, which int, n int64) attentionTotals[R] {
	if !x.long {
		return attentionTotals[R]{}
	}
	all := x.buf(worker, which, 2*n)
	clear(all)
	return attentionTotals[R]{sums: all[:n], lost: all[n:]}
}

// step counts a tile, and reports whether sums are to be added first.
func (t *attentionTotals[R]) step() bool {
	t.steps++
	if t.sums == nil || t.steps <= attentionSteps {
		return false
	}
	t.steps = 1
	return true
}

// add adds sums to the totals, and makes them 0.
func (t *attentionTotals[R]) add(sums []R) {
	carry(t.sums, t.lost, sums)
	clear(sums)
}

// end makes sums the whole sums.
func (t *attentionTotals[R]) end(sums []R) {
	if t.sums == nil {
		return
	}
	carry(t.sums, t.lost, sums)
	for i, v := range t.sums {
		sums[i] = v + t.lost[i]
	}
}

// cut is the batch of tile i and its part of n rows or keys.
func (x *attentionTask[R]) cut(i, n int64) (batch, from, count int64) {
	per := (n + x.tile - 1) / x.tile
	from = i % per * x.tile
	return i / per, from, min(x.tile, n-from)
}

// slopes turns scores into weights and gives the gradient by the scores.
func (x *attentionTask[R]) slopes(worker int, batch, r0, nr, nk int64, s, do, v []R) []R {
	t := x.buf(worker, bufDP, nr*nk)
	clear(t)
	gemm(int(nr), int(nk), int(x.e), do, int(x.e), v, int(x.e), t, int(nk))
	top := x.panel(worker, bufTop, x.top, batch*x.rows+r0, nr, 1)
	share := x.panel(worker, bufShare, x.share, batch*x.rows+r0, nr, 1)
	delta := x.panel(worker, bufDelta, x.delta, batch*x.rows+r0, nr, 1)
	for r := range nr {
		for j := r * nk; j < (r+1)*nk; j++ {
			s[j] = R(pow2(min(float64(s[j]-top[r]), 0))) * share[r]
			t[j] = s[j] * (t[j] - delta[r])
		}
	}
	return t
}

func (x *attentionTask[R]) gradQ(worker int, i int64) {
	batch, r0, nr := x.cut(i, x.rows)
	q := x.panel(worker, bufQ, x.q, batch*x.rows+r0, nr, x.d)
	do := x.panel(worker, bufDO, x.do, batch*x.rows+r0, nr, x.e)
	dq := x.buf(worker, bufO, nr*x.d)
	clear(dq)
	all := x.totals(worker, bufTotal, nr*x.d)
	from, to := x.seen(r0, nr)
	for n0 := from; n0 < to; n0 += attentionKeys {
		if all.step() {
			all.add(dq)
		}
		nk := min(attentionKeys, to-n0)
		k := x.panel(worker, bufK, x.k, batch*x.n+n0, nk, x.d)
		v := x.panel(worker, bufV, x.v, batch*x.n+n0, nk, x.e)
		s := x.scores(worker, batch, r0, nr, n0, nk, q, k)
		t := x.slopes(worker, batch, r0, nr, nk, s, do, v)
		kt := x.across(worker, bufKT, x.kt, batch, x.n, n0, nk, x.d)
		gemm(int(nr), int(x.d), int(nk), t, int(nk), kt, int(nk), dq, int(x.d))
	}
	all.end(dq)
	x.scaleTo(0, (batch*x.rows+r0)*x.d, dq)
}

func (x *attentionTask[R]) gradKV(worker int, i int64) {
	batch, n0, nk := x.cut(i, x.n)
	k := x.panel(worker, bufK, x.k, batch*x.n+n0, nk, x.d)
	v := x.panel(worker, bufV, x.v, batch*x.n+n0, nk, x.e)
	dk, dv := x.buf(worker, bufO, nk*x.d), x.buf(worker, bufO2, nk*x.e)
	clear(dk)
	clear(dv)
	allK, allV := x.totals(worker, bufTotal, nk*x.d), x.totals(worker, bufTotal2, nk*x.e)
	for r0 := int64(0); r0 < x.rows; r0 += attentionRows {
		nr := min(attentionRows, x.rows-r0)
		if from, to := x.seen(r0, nr); from >= n0+nk || to <= n0 {
			continue
		}
		if allK.step() {
			allK.add(dk)
		}
		if allV.step() {
			allV.add(dv)
		}
		q := x.panel(worker, bufQ, x.q, batch*x.rows+r0, nr, x.d)
		do := x.panel(worker, bufDO, x.do, batch*x.rows+r0, nr, x.e)
		p := x.scores(worker, batch, r0, nr, n0, nk, q, k)
		t := x.slopes(worker, batch, r0, nr, nk, p, do, v)
		dot := x.across(worker, bufDOT, x.dot, batch, x.rows, r0, nr, x.e)
		gemm(int(nk), int(x.e), int(nr), turn(x.buf(worker, bufST, nr*nk), p, nr, nk), int(nr), dot, int(nr), dv, int(x.e))
		qt := x.across(worker, bufQT, x.qt, batch, x.rows, r0, nr, x.d)
		gemm(int(nk), int(x.d), int(nr), turn(x.buf(worker, bufDPT, nr*nk), t, nr, nk), int(nr), qt, int(nr), dk, int(x.d))
	}
	allK.end(dk)
	allV.end(dv)
	x.scaleTo(0, (batch*x.n+n0)*x.d, dk)
	x.outs[1].store((batch*x.n+n0)*x.e, blockOf(dv))
}

// scaleTo stores the gradient g times the scale.
func (x *attentionTask[R]) scaleTo(out int, at int64, g []R) {
	for i := range g {
		g[i] *= R(x.a.Scale)
	}
	x.outs[out].store(at, blockOf(g))
}

// turn transposes src of rows x columns.
func turn[R reg](dst, src []R, rows, columns int64) []R {
	for r := range rows {
		for c, v := range src[r*columns:][:columns] {
			dst[int64(c)*rows+r] = v
		}
	}
	return dst
}
