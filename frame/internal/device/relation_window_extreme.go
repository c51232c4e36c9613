package device

import (
	"github.com/anycl/anycl/frame/internal/expr"
	"github.com/anycl/anycl/frame/internal/lower"
	"github.com/anycl/anycl/ops"
	"github.com/anycl/anycl/tensor"
)

// extreme finds the least or greatest value up to each place, of blocks' windows or, without blocks, of partitions. Values become scores,
// of which the greatest is the best. The running maximum of scores behind the number of a block or partition is that of the block: a later
// block has a greater number.
func (w *windowed) extreme(a expr.Collected, b *blocks) (added, error) {
	v, err := w.r.Of(a.Args[0])
	if err != nil {
		return added{}, err
	}
	greatest := a.Node.Op == "cummax" || a.Node.Op == "rollmax"
	least, most, known := int64(0), int64(0), false
	if v.Dict == nil && !v.Type.IsFloat() && v.Span != nil {
		least, most, known = v.Span()
		known = known && uint64(most)-uint64(least) < scores-1
	}
	w.r.Note("scores are values %v", known)
	if !known {
		return w.extremeSorted(a, v, greatest, b)
	}
	x, top := w.sorted(ops.Cast(v.X, tensor.Int64)), lower.Scalar(w.r.Graph, most+1)
	bottom := lower.Scalar(w.r.Graph, least-1)
	score := ops.Sub(top, x)
	if greatest {
		score = ops.Sub(x, bottom)
	}
	best := w.best(score, w.sorted(v.OK), b)
	value := ops.Sub(top, best)
	if greatest {
		value = ops.Add(bottom, best)
	}
	found := lower.Value{Type: a.Type, X: w.back(ops.Cast(value, v.X.DType()))}
	if v.OK != nil {
		found.OK = w.back(ops.Greater(best, 0))
	}
	return added{at: w.add(found)}, nil
}

// extremeSorted is extreme with scores that are places in the order of values, so that any have some; of equal ones the first is the best.
func (w *windowed) extremeSorted(a expr.Collected, v lower.Value, greatest bool, b *blocks) (added, error) {
	if v.Dict != nil {
		var err error
		if v, err = w.r.ranked(v); err != nil {
			return added{}, err
		}
	}
	x := v.X
	if x.DType() == tensor.Bool {
		x = ops.Cast(x, tensor.Uint8)
	}
	by := ops.Cast(ops.ArgSort(w.sorted(x), 0, &ops.SortOptions{Descending: greatest}), tensor.Int32)
	best := w.best(ops.Cast(ops.Sub(w.rows, w.inverse(by)), tensor.Int64), w.sorted(v.OK), b)
	rank := ops.Sub(w.rows, ops.Cast(best, tensor.Int32)) // which is the number of rows where there is no value
	return w.valueAt(a, ops.Where(ops.Greater(best, 0), ops.Gather(by, 0, rank), -1))
}

// scores is a power of two above every score.
const scores = 1 << 31

// best is the greatest score, which is above 0, of the values up to each place that are ok; 0 where there are none.
func (w *windowed) best(score, ok *ops.Node, b *blocks) *ops.Node {
	if ok != nil {
		score = ops.Where(ok, score, 0)
	}
	running := func(block *ops.Node, reverse bool) *ops.Node {
		key := ops.Add(ops.Mul(ops.Cast(block, tensor.Int64), scores), score)
		best, _ := ops.CumMax(key, 0, &ops.CumSumOptions{Reverse: reverse})
		return ops.And(best, scores-1)
	}
	if b == nil {
		return running(w.start, false)
	}
	before := ops.Gather(running(ops.Sub(w.rows, b.start), true), 0, b.from)
	return ops.Maximum(running(b.start, false), ops.Where(b.two, before, 0))
}
