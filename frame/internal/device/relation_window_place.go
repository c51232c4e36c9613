package device

import (
	"fmt"

	"github.com/anycl/anycl/frame/column"
	"github.com/anycl/anycl/frame/internal/expr"
	"github.com/anycl/anycl/frame/internal/lower"
	"github.com/anycl/anycl/ops"
	"github.com/anycl/anycl/tensor"
)

// function is a function of windows, or the first or last value in their order. Errors: it has no form as ops.
func (w *windowed) function(a expr.Collected) (added, error) {
	param, _ := a.Node.Value.(int)
	switch a.Node.Op {
	case "rownumber":
		return w.whole(a.Type, w.counted(nil, w.start)), nil
	case "rank":
		return w.rank(a), nil
	case "first":
		return w.valueAt(a, w.start)
	case "last":
		return w.valueAt(a, ops.Sub(w.end, 1))
	case "lag":
		param = min(max(param, -w.r.base.Rows), w.r.base.Rows)
		at := ops.Sub(ops.Cast(w.index, tensor.Int64), lower.Scalar(w.r.Graph, int64(param)))
		there := ops.And(ops.GreaterEqual(at, ops.Cast(w.start, tensor.Int64)), ops.Less(at, ops.Cast(w.end, tensor.Int64)))
		return w.valueAt(a, ops.Cast(ops.Where(there, at, -1), tensor.Int32))
	case "cumcount":
		ok, err := w.ok(a.Args[0])
		if err != nil {
			return added{}, err
		}
		return w.whole(a.Type, w.counted(ok, w.start)), nil
	case "cumsum":
		return w.cumulative(a)
	case "rollsum", "rollmean":
		return w.rolling(a, w.blocks(param))
	case "cummin", "cummax":
		return w.extreme(a, nil)
	case "rollmin", "rollmax":
		return w.extreme(a, w.blocks(param))
	}
	return added{}, fmt.Errorf("%s has no form as ops", a.Node.Op)
}

// whole is a column of whole numbers, given as int32.
func (w *windowed) whole(t column.Type, x *ops.Node) added {
	return added{at: w.add(lower.Value{Type: t, X: ops.Cast(w.back(x), tensor.Int64)})}
}

// rank counts the rows of a partition up to those that are equal to a row in the window's order.
func (w *windowed) rank(a expr.Collected) added {
	tie := w.ties()
	first := w.since(tie)
	switch a.Node.Value {
	case "min":
		return w.whole(a.Type, ops.Add(ops.Sub(first, w.start), 1))
	case "max":
		return w.whole(a.Type, ops.Sub(w.until(tie), w.start))
	case "dense":
		k := ops.CumSum(ops.Cast(tie, tensor.Int32), 0, nil)
		return w.whole(a.Type, ops.Add(ops.Sub(k, ops.Gather(k, 0, w.start)), 1))
	case "ordinal":
		return w.whole(a.Type, w.counted(nil, w.start))
	default: // average
		of := func(x *ops.Node) *ops.Node { return ops.Cast(ops.Sub(x, w.start), tensor.Float64) }
		x := ops.Div(ops.Add(ops.Add(of(first), of(w.until(tie))), 1), 2)
		return added{at: w.add(lower.Value{Type: a.Type, X: w.back(x)})}
	}
}

// ties is true where a row is the first of the rows that are equal in the window's order.
func (w *windowed) ties() *ops.Node {
	if w.key != nil {
		return ops.Or(w.head, w.changes(w.sorted(w.key)))
	}
	tie := w.head
	for _, k := range w.order {
		x, ok := k.v.X, w.sorted(k.v.OK)
		if k.v.OK != nil {
			x = ops.Where(k.v.OK, x, ops.ZerosLike(x))
		}
		x = w.sorted(x)
		other := w.changes(x)
		if k.v.Type.IsFloat() && !k.v.Number { // NaN equals itself
			other = ops.And(other, ops.Not(ops.And(ops.IsNaN(x), ops.IsNaN(w.before(x)))))
		}
		if ok != nil {
			other = ops.Or(other, w.changes(ok))
		}
		tie = ops.Or(tie, other)
	}
	return tie
}

// ok is where an operand is not null; nil: everywhere.
func (w *windowed) ok(e expr.Bound) (*ops.Node, error) {
	if c := w.r.baseColumn(e); c != nil && c.Nulls() == 0 { // of strings too
		return nil, nil
	}
	v, err := w.r.Of(e)
	return w.sorted(v.OK), err
}

// counted is how many values that are ok there are from a place up to each; ok may be nil.
func (w *windowed) counted(ok, from *ops.Node) *ops.Node {
	if ok == nil {
		return ops.Add(ops.Sub(w.index, from), 1)
	}
	return w.difference(ops.Cast(ok, tensor.Int32), from)
}

// difference is the sum of whole numbers from a place up to each: of running sums that may wrap, which does not matter to their difference.
func (w *windowed) difference(x, from *ops.Node) *ops.Node {
	sums := ops.CumSum(x, 0, nil)
	return ops.Sub(sums, ops.Gather(ops.Sub(sums, x), 0, from))
}

// valueAt is the operand's value at a place for each place, null where that is -1.
func (w *windowed) valueAt(a expr.Collected, place *ops.Node) (added, error) {
	if w.row != nil {
		place = ops.Where(ops.Less(place, 0), -1, ops.Gather(w.row, 0, place))
	}
	return w.valueOf(a, w.back(place))
}

// valueOf is the operand's value of a row for each row, null where that is -1. Columns of frames stay on the host.
func (w *windowed) valueOf(a expr.Collected, row *ops.Node) (added, error) {
	if c := w.r.baseColumn(a.Args[0]); c != nil {
		return added{at: w.add(lower.Value{Type: column.Int32.Of(), X: row}), of: c}, nil
	}
	v, err := w.r.Of(a.Args[0])
	if err != nil {
		return added{}, err
	}
	v.X = ops.Gather(w.r.Spread(v.X), 0, row)
	if v.OK != nil {
		v.OK = ops.Gather(w.r.Spread(v.OK), 0, row)
	} else {
		v.OK = ops.GreaterEqual(row, 0)
	}
	return added{at: w.add(v)}, nil
}
