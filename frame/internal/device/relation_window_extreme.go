package device

import (
	"fmt"

	"github.com/anycl/anycl/frame/internal/expr"
	"github.com/anycl/anycl/ops"
	"github.com/anycl/anycl/tensor"
)

// extreme finds the least or greatest value up to each place, of blocks' windows or, without blocks, of partitions. Values become integers that
// differ, by sorting them; of equal ones the first is the better one. The running maximum of these integers behind the number of a block or
// partition is that of the block: a later block has a greater number.
func (w *windowed) extreme(a expr.Collected, b *blocks) (added, error) {
	v, err := w.r.Of(a.Args[0])
	if err != nil {
		return added{}, err
	}
	if v.Type.IsString() && v.Dict == nil {
		return added{}, fmt.Errorf("%s of strings has no form as ops", a.Node.Op)
	}
	ok := v.OK
	if v.Dict != nil {
		if v, err = w.r.ranked(v); err != nil {
			return added{}, err
		}
	}
	x := v.X
	if x.DType() == tensor.Bool {
		x = ops.Cast(x, tensor.Uint8)
	}
	by := ops.Cast(ops.ArgSort(w.sorted(x), 0, &ops.SortOptions{Descending: a.Node.Op == "cummax" || a.Node.Op == "rollmax"}), tensor.Int32)
	score := ops.Cast(ops.Sub(w.rows, w.inverse(by)), tensor.Int64) // from 1, the worst
	if ok != nil {
		score = ops.Where(w.sorted(ok), score, 0)
	}
	behind := func(number *ops.Node) *ops.Node {
		return ops.Add(ops.Mul(ops.Cast(number, tensor.Int64), scores), score)
	}
	start := w.start
	if b != nil {
		start = b.start
	}
	best, _ := ops.CumMax(behind(start), 0, nil)
	best = ops.Rem(best, scores)
	if b != nil {
		before, _ := ops.CumMax(behind(ops.Sub(w.rows, start)), 0, &ops.CumSumOptions{Reverse: true})
		before = ops.Gather(ops.Rem(before, scores), 0, b.from)
		best = ops.Maximum(best, ops.Where(b.two, before, 0))
	}
	rank := ops.Sub(w.rows, ops.Cast(best, tensor.Int32)) // which is the number of rows where there is no value
	place := ops.Where(ops.Greater(best, 0), ops.Gather(by, 0, rank), -1)
	return w.valueAt(a, place)
}

// scores is more than the integers of values, of which there is one for each row.
const scores = 1 << 31
