package host

import (
	"errors"

	"github.com/anycl/anycl/frame/column"
	"github.com/anycl/anycl/frame/internal/expr"
	"github.com/anycl/anycl/frame/internal/plan"
	"github.com/anycl/anycl/frame/internal/table"
)

// rolling sorts the rows by keys and time, in which order windows move forward.
func (x *Exec) rolling(p *plan.Plan, f *table.Table) (*table.Table, error) {
	g, err := x.groups(f, p.Keys)
	if err != nil {
		return nil, err
	}
	if err := x.Reserve(32 * int64(f.Rows)); err != nil {
		return nil, err
	}
	order, err := x.partitions(f, g, p.Order)
	if err != nil {
		return nil, err
	}
	w, err := windowsOf(f.Column(p.Step.Rolling.On), p.Step.Rolling.Window, order, func(a, b uint32) bool { return g.IDs[a] == g.IDs[b] })
	if err != nil {
		return nil, err
	}
	c := expr.NewCollector(f.Schema(), f.Schema())
	results, err := bound(c.Outer, p.Exprs)
	if err != nil {
		return nil, err
	}
	return x.added(p, f, c, results, func(a expr.Collected, args []*column.Column) (*column.Column, error) { return w.aggregate(x, a, args) })
}

// windows are ranges of rows in an order in which both their ends only move forward.
type windows struct {
	rows     []uint32
	from, to []uint32 // of each position; equal where there is no window
}

func windowsOf(on *column.Column, window any, order []uint32, together func(a, b uint32) bool) (*windows, error) {
	n := len(order)
	w := &windows{order, make([]uint32, n), make([]uint32, n)}
	whole, part, err := plan.Tolerance(window, on.Type())
	if err != nil {
		return nil, err
	}
	var far func(a, b int) bool // whether a is out of the window of b, which does not come before it
	var equal func(a, b int) bool
	if on.Type().IsFloat() {
		c, err := expr.Cast(on, column.Float64.Of(), true)
		if err != nil {
			return nil, err
		}
		v := column.Values[float64](c)
		far = func(a, b int) bool { return !(v[b]-v[a] < part) && !(v[a] == v[b]) && !(v[a] != v[a] && v[b] != v[b]) }
		equal = func(a, b int) bool { return v[a] == v[b] || v[a] != v[a] && v[b] != v[b] }
	} else {
		c, err := expr.Integers(on)
		if err != nil {
			return nil, err
		}
		v := column.Values[int64](c)
		far = func(a, b int) bool { return uint64(v[b])-uint64(v[a]) >= whole }
		equal = func(a, b int) bool { return v[a] == v[b] }
	}
	from, to := 0, 0
	for i := range n {
		row := int(order[i])
		if i == 0 || !together(order[i-1], order[i]) {
			from, to = i, i
		}
		if on.IsNull(row) {
			w.from[i], w.to[i] = uint32(to), uint32(to)
			continue
		}
		for from < i && far(int(order[from]), row) {
			from++
		}
		for to = max(to, i+1); to < n && together(order[to], order[i]) && !on.IsNull(int(order[to])) && equal(int(order[to]), row); {
			to++
		}
		w.from[i], w.to[i] = uint32(from), uint32(to)
	}
	return w, nil
}

var errRollingSum = errors.New("the sum of a window overflows")

func (w *windows) aggregate(x *Exec, a expr.Collected, args []*column.Column) (*column.Column, error) {
	n := len(w.rows)
	switch a.Node.Op {
	case "rows":
		out := column.Make[int64](n)
		for i, row := range w.rows {
			out[row] = int64(w.to[i] - w.from[i])
		}
		return column.FixedOf(a.Type, out, column.Bitmap{}), nil
	case "count":
		out := column.Make[int64](n)
		for i, v := range foldWindows(w, func(i int) int64 { return btoi(!args[0].IsNull(int(w.rows[i]))) }, 0,
			func(a, b int64) int64 { return a + b }) {
			out[w.rows[i]] = v
		}
		return column.FixedOf(a.Type, out, column.Bitmap{}), nil
	case "min", "max":
		return w.extreme(x, a.Node.Op == "max", args[0])
	}
	return w.sum(a, args[0])
}

func btoi(b bool) int64 {
	if b {
		return 1
	}
	return 0
}

// foldWindows combines the values of each window, from its first to its last position. Each position is combined a few times however long
// windows are: of those before a mark the results up to it are kept, and of those behind it the result of all.
// Source: Tangwongsan, Hirzel and Schneider, Low-Latency Sliding-Window Aggregation in Worst-Case Constant Time (2017), section 2 (two
// stacks).
func foldWindows[T any](w *windows, value func(i int) T, none T, combine func(a, b T) T) []T {
	n := len(w.rows)
	out := make([]T, n)
	suffix := make([]T, n) // from a position up to the mark
	mark, from, to := 0, 0, 0
	back := none
	for i := range n {
		f, t := int(w.from[i]), int(w.to[i])
		if f == t {
			out[i] = none
			continue
		}
		if f < from || f >= to { // another partition
			mark, to, back = f, f, none
		}
		from = f
		for ; to < t; to++ {
			back = combine(back, value(to))
		}
		if from >= mark {
			acc := none
			for k := to - 1; k >= from; k-- {
				acc = combine(value(k), acc)
				suffix[k] = acc
			}
			mark, back = to, none
		}
		out[i] = combine(suffix[from], back)
	}
	return out
}
