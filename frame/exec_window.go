package frame

import (
	"errors"
	"fmt"
	"slices"

	"github.com/anycl/anycl/frame/column"
	"github.com/anycl/anycl/frame/internal/keys"
	"github.com/anycl/anycl/frame/internal/take"
)

// windowType returns the type of a function of windows.
func windowType(n *node, args []column.Type) (column.Type, error) {
	rows, _ := n.value.(int)
	switch n.op {
	case "rownumber", "cumcount":
		return column.Int64.Of(), nil
	case "rank":
		switch n.value.(Ties) {
		case RankAverage:
			return column.Float64.Of(), nil
		case RankMin, RankMax, RankDense, RankOrdinal:
			return column.Int64.Of(), nil
		}
		return column.Type{}, fmt.Errorf("there is no rank %q", n.value)
	case "cumsum":
		return aggregateType("sum", args)
	case "rollsum", "rollmean", "rollmin", "rollmax":
		if rows < 1 {
			return args[0], fmt.Errorf("a window of %d rows", rows)
		}
		if n.op == "rollsum" || n.op == "rollmean" {
			return aggregateType("mean", args)
		}
	}
	return args[0], nil
}

func (p *plan) window(s *step) (errs []error) {
	in := p.in[0]
	b := &binder{schema: in.schema}
	for i, n := range s.keys {
		if _, err := b.bind(n); err != nil {
			errs = append(errs, err)
		}
		p.keys = append(p.keys, label(n, i))
	}
	errs = append(errs, p.setOrder(s.order)...)
	c := newCollector(in.schema, in.schema)
	errs = append(errs, p.replaceOrAdd(c.outer, s.exprs)...)
	return errs
}

// replaceOrAdd binds expressions, each of which replaces the column of its name or is a new one.
func (p *plan) replaceOrAdd(b *binder, exprs []*node) (errs []error) {
	for i, n := range exprs {
		e := label(n, i)
		x, err := b.bind(n)
		if err != nil {
			errs = append(errs, err)
			continue
		}
		p.exprs = append(p.exprs, e)
		if k := slices.IndexFunc(p.schema, func(f Field) bool { return f.Name == e.name }); k >= 0 {
			p.schema[k].Type = x.typ
		} else {
			p.schema = append(p.schema, Field{e.name, x.typ})
		}
	}
	return errs
}

// partitioned is rows in the order of partitions, and within each in the window's order.
type partitioned struct {
	*exec
	rows   []uint32
	starts []int    // of partitions in rows, and the end
	ties   []uint32 // equal for rows that are equal in the window's order
}

func (x *exec) window(p *plan, f *Frame) (*Frame, error) {
	digits, _, _, err := x.digits(f, p.keys, keys.Order{})
	if err != nil {
		return nil, err
	}
	if err := x.reserve(24 * int64(f.rows)); err != nil {
		return nil, err
	}
	g, err := keys.Group(x.pool, digits, f.rows)
	if err != nil {
		return nil, err
	}
	c := newCollector(f.Schema(), f.Schema())
	var results []bound
	for _, e := range p.exprs {
		b, err := c.outer.bind(e.n)
		if err != nil {
			return nil, err
		}
		results = append(results, b)
	}
	w, err := x.partition(p, f, g, c.found)
	if err != nil {
		return nil, err
	}
	cols := slices.Clone(f.cols)
	for _, a := range c.found {
		args, err := x.evaluate(f.cols, f.rows, a.args)
		if err != nil {
			return nil, err
		}
		var col *column.Column
		if windowFunctions[a.n.op] {
			col, err = w.function(a.n, a.typ, args)
		} else {
			col, err = x.repeated(a, args, g, w, f.rows)
		}
		if err != nil {
			return nil, wrong(a.n.op, a.n.at, err)
		}
		cols = append(cols, col)
	}
	values, err := x.evaluate(cols, f.rows, results)
	if err != nil {
		return nil, err
	}
	out := &Frame{rows: f.rows}
	for _, field := range p.schema {
		i := slices.IndexFunc(p.exprs, func(e named) bool { return e.name == field.Name })
		col := f.Column(field.Name)
		if i >= 0 {
			col = values[i]
		}
		out.names, out.cols = append(out.names, field.Name), append(out.cols, col)
	}
	return out, nil
}

// partition sorts rows, if a function depends on their order.
func (x *exec) partition(p *plan, f *Frame, g *keys.Groups, found []collected) (*partitioned, error) {
	w := &partitioned{exec: x}
	needed := false
	for _, a := range found {
		needed = needed || windowFunctions[a.n.op] || len(p.order) > 0 && (a.n.op == "first" || a.n.op == "last")
	}
	if !needed {
		return w, nil
	}
	var err error
	if w.rows, err = x.partitions(f, g, p.order); err != nil {
		return nil, err
	}
	for i, row := range w.rows {
		if i == 0 || g.IDs[row] != g.IDs[w.rows[i-1]] {
			w.starts = append(w.starts, i)
		}
	}
	w.starts = append(w.starts, len(w.rows))
	digits, err := x.sortDigits(f, p.order)
	if err != nil {
		return nil, err
	}
	ties, err := keys.Group(x.pool, digits, f.rows)
	if err != nil {
		return nil, err
	}
	w.ties = ties.IDs
	return w, nil
}

// repeated computes an aggregate of each partition and repeats it for each of its rows.
func (x *exec) repeated(a collected, args []*column.Column, g *keys.Groups, w *partitioned, n int) (*column.Column, error) {
	if w.rows != nil && (a.n.op == "first" || a.n.op == "last") {
		at := make([]uint32, n)
		for i, start := range w.starts[:len(w.starts)-1] {
			end := w.starts[i+1]
			row := w.rows[start]
			if a.n.op == "last" {
				row = w.rows[end-1]
			}
			for _, r := range w.rows[start:end] {
				at[r] = row
			}
		}
		return take.Gather(x.pool, args[0], at)
	}
	gx := &grouped{x, g, n}
	c, err := gx.aggregate(a.n, a.typ, args)
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
	err = x.pool.Morsels(n, func(_, lo, hi int) error {
		for i, id := range g.IDs[lo:hi] {
			at[lo+i] = to[id]
		}
		return nil
	})
	if err != nil {
		return nil, err
	}
	return take.Gather(x.pool, c, at)
}

// each calls f for the partitions: the rows of one, in order.
func (w *partitioned) each(f func(rows []uint32) error) error {
	const block = 64
	n := max(len(w.starts)-1, 0)
	return w.pool.Items((n+block-1)/block, func(_, k int) error {
		for i := k * block; i < min((k+1)*block, n); i++ {
			if err := f(w.rows[w.starts[i]:w.starts[i+1]]); err != nil {
				return err
			}
		}
		return nil
	})
}

var errOverflow = errors.New("the sum overflows int64; cast to float64 first")

func (w *partitioned) function(n *node, typ column.Type, args []*column.Column) (*column.Column, error) {
	rows := len(w.rows)
	param, _ := n.value.(int)
	switch n.op {
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
		return w.rank(n.value.(Ties), typ)
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
		return take.GatherFound(w.pool, args[0], at)
	case "cumcount":
		out := make([]int64, rows)
		err := w.each(func(part []uint32) error {
			var k int64
			for _, row := range part {
				k += int64(bit(!args[0].IsNull(int(row))))
				out[row] = k
			}
			return nil
		})
		return column.FixedOf(typ, out, column.Bitmap{}), err
	case "cumsum":
		return w.cumulative(typ, args[0])
	case "cummin", "cummax":
		return w.extremes(args[0], rows, n.op == "cummax")
	case "rollmin", "rollmax":
		return w.extremes(args[0], param, n.op == "rollmax")
	}
	return w.rolling(args[0], param, n.op == "rollmean")
}

func (w *partitioned) rank(ties Ties, typ column.Type) (*column.Column, error) {
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
				case RankMin:
					out[row] = int64(i + 1)
				case RankMax:
					out[row] = int64(j)
				case RankDense:
					out[row] = dense
				case RankOrdinal:
					out[row] = int64(i + k + 1)
				default:
					average[row] = float64(i+1+j) / 2
				}
			}
			i = j
		}
		return nil
	})
	if ties == RankAverage {
		return column.FixedOf(typ, average, column.Bitmap{}), err
	}
	return column.FixedOf(typ, out, column.Bitmap{}), err
}

// cumulative adds the values up to each row.
func (w *partitioned) cumulative(typ column.Type, c *column.Column) (*column.Column, error) {
	valid := make([]bool, len(w.rows))
	c, err := castColumn(c, map[bool]column.Type{true: typ, false: column.Float64.Of()}[typ.Kind != column.Decimal128], true)
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
		return castColumn(f, typ, true)
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

// extremes finds the least or greatest value of the last size rows up to each, by a queue of rows that may still be it.
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
	return take.GatherFound(w.pool, c, at)
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
