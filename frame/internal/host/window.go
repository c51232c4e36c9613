package host

import (
	"errors"

	"github.com/anycl/anycl/frame/column"
	"github.com/anycl/anycl/frame/internal/expr"
	"github.com/anycl/anycl/frame/internal/keys"
	"github.com/anycl/anycl/frame/internal/plan"
	"github.com/anycl/anycl/frame/internal/table"
	"github.com/anycl/anycl/frame/internal/take"
)

// partitioned is rows in the order of partitions, and within each in the window's order.
type partitioned struct {
	*Exec
	rows   []uint32
	starts []int    // of partitions in rows, and the end
	ties   []uint32 // equal for rows that are equal in the window's order
}

func (x *Exec) window(p *plan.Plan, f *table.Table) (*table.Table, error) {
	digits, _, _, err := x.Digits(f, p.Keys, keys.Order{})
	if err != nil {
		return nil, err
	}
	if err := x.Reserve(24 * int64(f.Rows)); err != nil {
		return nil, err
	}
	g, err := keys.Group(x.Pool, digits, f.Rows)
	if err != nil {
		return nil, err
	}
	c := expr.NewCollector(f.Schema(), f.Schema())
	results, err := bound(c.Outer, p.Exprs)
	if err != nil {
		return nil, err
	}
	w, err := x.partition(p, f, g, c.Found)
	if err != nil {
		return nil, err
	}
	return x.added(p, f, c, results, func(a expr.Collected, args []*column.Column) (*column.Column, error) {
		if expr.WindowFunctions[a.Node.Op] {
			return w.function(a.Node, a.Type, args)
		}
		return x.repeated(a, args, g, w, f.Rows)
	})
}

// partition sorts rows, if a function depends on their order.
func (x *Exec) partition(p *plan.Plan, f *table.Table, g *keys.Groups, found []expr.Collected) (*partitioned, error) {
	w := &partitioned{Exec: x}
	needed := false
	for _, a := range found {
		needed = needed || expr.WindowFunctions[a.Node.Op] || len(p.Order) > 0 && oneRow[a.Node.Op]
	}
	if !needed {
		return w, nil
	}
	var err error
	if w.rows, err = x.partitions(f, g, p.Order); err != nil {
		return nil, err
	}
	for i, row := range w.rows {
		if i == 0 || g.IDs[row] != g.IDs[w.rows[i-1]] {
			w.starts = append(w.starts, i)
		}
	}
	w.starts = append(w.starts, len(w.rows))
	digits, err := x.sortDigits(f, p.Order)
	if err != nil {
		return nil, err
	}
	ties, err := keys.Group(x.Pool, digits, f.Rows)
	if err != nil {
		return nil, err
	}
	w.ties = ties.IDs
	return w, nil
}

// repeated computes an aggregate of each partition and repeats it for each of its rows.
func (x *Exec) repeated(a expr.Collected, args []*column.Column, g *keys.Groups, w *partitioned, n int) (*column.Column, error) {
	if w.rows != nil && oneRow[a.Node.Op] {
		return w.ofOneRow(a.Node.Op, args, n)
	}
	gx := &grouped{Exec: x, g: g, n: n}
	c, err := gx.aggregate(a.Node, a.Type, args)
	if err != nil {
		return nil, err
	}
	to := make([]uint32, max(g.Slots, 1))
	for i := range g.Len() {
		if g.Order != nil {
			to[g.Order[i]] = uint32(i)
		} else {
			to[i] = uint32(i)
		}
	}
	at := make([]uint32, n)
	err = x.Pool.Morsels(n, func(_, lo, hi int) error {
		for i, id := range g.IDs[lo:hi] {
			at[lo+i] = to[id]
		}
		return nil
	})
	if err != nil {
		return nil, err
	}
	return take.Gather(x.Pool, c, at)
}

// each calls f for the partitions: the rows of one, in order.
func (w *partitioned) each(f func(rows []uint32) error) error {
	const block = 64
	n := max(len(w.starts)-1, 0)
	return w.Pool.Items((n+block-1)/block, func(_, k int) error {
		for i := k * block; i < min((k+1)*block, n); i++ {
			if err := f(w.rows[w.starts[i]:w.starts[i+1]]); err != nil {
				return err
			}
		}
		return nil
	})
}

var errOverflow = errors.New("the sum overflows int64; cast to float64 first")

func (w *partitioned) function(n *expr.Node, typ column.Type, args []*column.Column) (*column.Column, error) {
	rows := len(w.rows)
	param, _ := n.Value.(int)
	switch n.Op {
	case "rownumber":
		out := make([]int64, rows)
		err := w.each(func(part []uint32) error {
			for i, row := range part {
				out[row] = int64(i + 1)
			}
			return nil
		})
		return column.FixedOf(typ, out, column.Bitmap{}), err
	case "rank":
		return w.rank(n.Value.(string), typ)
	case "lag":
		at := make([]uint32, rows)
		err := w.each(func(part []uint32) error {
			for i, row := range part {
				if j := i - param; j >= 0 && j < len(part) && (param < 0) == (j > i) || param == 0 {
					at[row] = part[i-param] + 1
				}
			}
			return nil
		})
		if err != nil {
			return nil, err
		}
		return take.GatherFound(w.Pool, args[0], at)
	case "cumcount":
		out := make([]int64, rows)
		err := w.each(func(part []uint32) error {
			var k int64
			for _, row := range part {
				k += btoi(!args[0].IsNull(int(row)))
				out[row] = k
			}
			return nil
		})
		return column.FixedOf(typ, out, column.Bitmap{}), err
	case "cumsum":
		return w.cumulative(typ, args[0])
	case "cummin", "cummax":
		return w.extremes(args[0], rows, n.Op == "cummax")
	case "rollmin", "rollmax":
		return w.extremes(args[0], param, n.Op == "rollmax")
	}
	return w.rolling(args[0], param, n.Op == "rollmean")
}

func (w *partitioned) rank(ties string, typ column.Type) (*column.Column, error) {
	out, average := make([]int64, len(w.rows)), make([]float64, len(w.rows))
	err := w.each(func(part []uint32) error {
		dense := int64(0)
		for i := 0; i < len(part); {
			j := i + 1
			for j < len(part) && w.ties[part[j]] == w.ties[part[i]] {
				j++
			}
			dense++
			for k, row := range part[i:j] {
				switch ties {
				case "min":
					out[row] = int64(i + 1)
				case "max":
					out[row] = int64(j)
				case "dense":
					out[row] = dense
				case "ordinal":
					out[row] = int64(i + k + 1)
				default:
					average[row] = float64(i+1+j) / 2
				}
			}
			i = j
		}
		return nil
	})
	if ties == "average" {
		return column.FixedOf(typ, average, column.Bitmap{}), err
	}
	return column.FixedOf(typ, out, column.Bitmap{}), err
}

// cumulative adds the values up to each row.
func (w *partitioned) cumulative(typ column.Type, c *column.Column) (*column.Column, error) {
	valid := make([]bool, len(w.rows))
	c, err := expr.Cast(c, map[bool]column.Type{true: typ, false: column.Float64.Of()}[typ.Kind != column.Decimal128], true)
	if err != nil {
		return nil, err
	}
	if c.Type().IsFloat() {
		v, out := column.Values[float64](c), make([]float64, len(w.rows))
		err := w.each(func(part []uint32) error {
			sum, seen := 0.0, false
			for _, row := range part {
				if !c.IsNull(int(row)) {
					sum, seen = sum+v[row], true
				}
				out[row], valid[row] = sum, seen
			}
			return nil
		})
		if err != nil {
			return nil, err
		}
		f := column.FixedOf(column.Float64.Of(), out, column.BitmapOfBools(valid))
		return expr.Cast(f, typ, true)
	}
	v, out := column.Values[int64](c), make([]int64, len(w.rows))
	err = w.each(func(part []uint32) error {
		sum, seen := int64(0), false
		for _, row := range part {
			if !c.IsNull(int(row)) {
				s := sum + v[row]
				if typ.IsUnsigned() && uint64(s) < uint64(sum) || !typ.IsUnsigned() && (s > sum) != (v[row] > 0) && v[row] != 0 {
					return errOverflow
				}
				sum, seen = s, true
			}
			out[row], valid[row] = sum, seen
		}
		return nil
	})
	return column.FixedOf(typ, out, column.BitmapOfBools(valid)), err
}

// extremes finds, for each row, the least or greatest value of the last size rows up to it, by a queue of the rows that may still hold it.
func (w *partitioned) extremes(c *column.Column, size int, greatest bool) (*column.Column, error) {
	ranks, err := w.ranks(c)
	if err != nil {
		return nil, err
	}
	at := make([]uint32, len(w.rows))
	err = w.each(func(part []uint32) error {
		var queue []int // positions whose values get worse
		for i, row := range part {
			if len(queue) > 0 && i-queue[0] >= size {
				queue = queue[1:]
			}
			if !c.IsNull(int(row)) {
				for len(queue) > 0 {
					last := ranks[part[queue[len(queue)-1]]]
					if greatest && last >= ranks[row] || !greatest && last <= ranks[row] {
						break
					}
					queue = queue[:len(queue)-1]
				}
				queue = append(queue, i)
			}
			if len(queue) > 0 {
				at[row] = part[queue[0]] + 1
			}
		}
		return nil
	})
	if err != nil {
		return nil, err
	}
	return take.GatherFound(w.Pool, c, at)
}

// rolling adds the last size values by sums from the beginnings and ends of blocks of that size, so that nothing is subtracted.
// Source: van Herk, A Fast Algorithm for Local Minimum and Maximum Filters on Rectangular and Octagonal Kernels (1992).
func (w *partitioned) rolling(c *column.Column, size int, mean bool) (*column.Column, error) {
	c, err := w.asFloats(c)
	if err != nil {
		return nil, err
	}
	v := column.Values[float64](c)
	out, valid := make([]float64, len(w.rows)), make([]bool, len(w.rows))
	err = w.each(func(part []uint32) error {
		n := len(part)
		size := min(size, n)
		back, count := make([]float64, n+1), make([]int32, n+1) // sums to the end of a block; values before a row
		for i := n - 1; i >= 0; i-- {
			if (i+1)%size != 0 && i+1 < n {
				back[i] = back[i+1]
			}
			if !c.IsNull(int(part[i])) {
				back[i] += v[part[i]]
			}
		}
		front := 0.0
		for i, row := range part {
			count[i+1] = count[i]
			if i%size == 0 {
				front = 0
			}
			if !c.IsNull(int(row)) {
				front += v[row]
				count[i+1]++
			}
			from := max(i-size+1, 0)
			sum := front
			if from/size != i/size {
				sum += back[from]
			}
			k := count[i+1] - count[from]
			if mean {
				sum /= float64(k)
			}
			out[row], valid[row] = sum, k > 0
		}
		return nil
	})
	return column.FixedOf(column.Float64.Of(), out, column.BitmapOfBools(valid)), err
}
