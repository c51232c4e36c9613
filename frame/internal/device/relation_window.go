package device

import (
	"math"
	"slices"

	"github.com/anycl/anycl/frame/column"
	"github.com/anycl/anycl/frame/internal/expr"
	"github.com/anycl/anycl/frame/internal/lower"
	"github.com/anycl/anycl/frame/internal/plan"
	"github.com/anycl/anycl/frame/internal/table"
	"github.com/anycl/anycl/frame/internal/take"
	"github.com/anycl/anycl/ops"
	"github.com/anycl/anycl/tensor"
)

// windowed is rows in the order of partitions, and within each in the window's order. Rows have places in that order; where a name says
// nothing else, nodes have an element for each place. Rows that are left out are last, apart from the others.
type windowed struct {
	r     *relation
	n     *numbered // partitions
	rows  *ops.Node // int32: scalar, how many there are
	index *ops.Node // int32: the place itself
	row   *ops.Node // int32: the row at a place; nil: the same
	place *ops.Node // int32, for each row: its place; nil: the same
	head  *ops.Node // bool: the first place of a partition
	start *ops.Node // int32: the first place of the partition
	end   *ops.Node // int32: the place after its last one
	order []sortKey // of the window
	key   *ops.Node // int64, for each row: by which they were sorted; nil: there is no such integer
}

// added is where a function of windows, or an aggregate, comes from when the graph has run.
type added struct {
	at   int            // a column of the relation
	of   *column.Column // not nil: the column has numbers of rows of this one, -1 for none
	fold fold           // not nil: the column has numbers of partitions, of which this makes the values
}

// window is a step that adds functions of the partitions of rows. No row moves: values computed in the window's order are brought back to
// that of the rows.
func (r *relation) window(p *plan.Plan) (*outcome, error) {
	r.Note("%s", p.Masked())
	fields := len(r.schema)
	c := expr.NewCollector(r.schema, r.schema)
	var results []expr.Bound
	for _, e := range p.Exprs {
		b, err := c.Outer.Bind(e.Node)
		if err != nil {
			return nil, err
		}
		results = append(results, b)
	}
	w, err := r.windowed(p, c.Found)
	if err != nil {
		return nil, err
	}
	all := make([]added, len(c.Found))
	for i, a := range c.Found {
		if !w.ordered(p, a) {
			continue
		}
		if all[i], err = w.function(a); err != nil {
			return nil, err
		}
	}
	partition := w.add(lower.Value{Type: column.Int32.Of(), X: w.n.ids})
	o, err := r.result()
	if err != nil {
		return nil, err
	}
	w.n.o = o
	for i, a := range c.Found {
		if !w.ordered(p, a) {
			f, err := w.n.fold(a)
			if err != nil {
				return nil, err
			}
			all[i] = added{at: partition, fold: f}
		}
	}
	r.work++
	inner := o.finish
	o.finish = func(out []*tensor.Tensor) (*table.Table, error) {
		f, err := inner(out)
		if err != nil {
			return nil, err
		}
		cols := slices.Clone(f.Cols[:fields])
		for i, a := range all {
			col, err := w.finished(a, f, out)
			if err == nil && col.Type() != c.Found[i].Type {
				col, err = expr.Cast(col, c.Found[i].Type, true)
			}
			if err != nil {
				return nil, err
			}
			cols = append(cols, col)
		}
		values, err := r.x.Evaluate(cols, f.Rows, results)
		if err != nil {
			return nil, err
		}
		g := &table.Table{Names: p.Names(), Rows: f.Rows}
		for _, name := range g.Names {
			if i := slices.IndexFunc(p.Exprs, func(e plan.Named) bool { return e.Name == name }); i >= 0 {
				g.Cols = append(g.Cols, values[i])
			} else {
				g.Cols = append(g.Cols, cols[slices.Index(f.Names, name)])
			}
		}
		return g, nil
	}
	return o, nil
}

// ordered is whether a function depends on the order of rows, or an aggregate on that of the window.
func (w *windowed) ordered(p *plan.Plan, a expr.Collected) bool {
	return expr.WindowFunctions[a.Node.Op] || len(p.Order) > 0 && (a.Node.Op == "first" || a.Node.Op == "last")
}

// windowed divides rows into partitions, and sorts them if a function depends on their order.
func (r *relation) windowed(p *plan.Plan, found []expr.Collected) (*windowed, error) {
	n, err := r.number(p.Keys, false)
	if err != nil {
		return nil, err
	}
	w := &windowed{r: r, n: n}
	if !slices.ContainsFunc(found, func(a expr.Collected) bool { return w.ordered(p, a) }) {
		return w, nil
	}
	if w.order, err = r.orderKeys(p.Order); err != nil {
		return nil, err
	}
	by := w.order
	part := n.ids
	switch {
	case part != nil:
		most := int64(math.MaxInt32)
		if n.parts != nil {
			most = int64(n.slots) - 1
		}
		key := sortKey{v: lower.Value{Type: column.Int32.Of(), X: part}, least: -1, most: most, known: true}
		by = slices.Insert(slices.Clone(by), 0, key)
	case r.Mask != nil:
		part = ops.Cast(r.Mask, tensor.Int32)
	}
	w.rows, w.index = lower.Scalar(r.Graph, int32(r.base.Rows)), r.Ops.Iota(tensor.Int32, 0, r.Rows)
	var position *ops.Node
	if position, w.key = r.positions(by); position != nil {
		w.row = ops.Cast(position, tensor.Int32)
		w.place = w.inverse(w.row)
	}
	w.head = ops.Equal(w.index, 0)
	if part == nil {
		w.start, w.end = r.Ops.Zeros(tensor.Int32, r.Rows), r.Spread(w.rows)
		return w, nil
	}
	w.head = ops.Or(w.head, w.changes(w.sorted(part)))
	w.start = w.since(w.head)
	w.end = w.until(w.head)
	return w, nil
}

// inverse is the inverse of a permutation of places.
func (w *windowed) inverse(x *ops.Node) *ops.Node {
	return ops.ScatterReduce(w.r.Ops.Zeros(tensor.Int32, w.r.Rows), 0, x, w.index, "set", &ops.ScatterOptions{Distinct: true})
}

// sorted reorders x, with an element for each row, to one for each place in the window's order.
func (w *windowed) sorted(x *ops.Node) *ops.Node {
	if x = w.r.Spread(x); x == nil || w.row == nil {
		return x
	}
	return ops.Gather(x, 0, w.row)
}

// back reorders x, with an element for each place in the window's order, to one for each row.
func (w *windowed) back(x *ops.Node) *ops.Node {
	if x == nil || w.place == nil {
		return x
	}
	return ops.Gather(x, 0, w.place)
}

// before is the value one place before, and zero at the first place.
func (w *windowed) before(x *ops.Node) *ops.Node { return ops.Gather(x, 0, ops.Sub(w.index, 1)) }

// changes is true where a value, which is no NaN, differs from the value one place before; at the first place it is undefined.
func (w *windowed) changes(x *ops.Node) *ops.Node { return ops.NotEqual(x, w.before(x)) }

// since is the last place up to each where mark is true, which it is at the first one.
func (w *windowed) since(mark *ops.Node) *ops.Node {
	at, _ := ops.CumMax(ops.Where(mark, w.index, 0), 0, nil)
	return at
}

// until is, for each place, the first place behind it where mark is true, or else the number of rows.
func (w *windowed) until(mark *ops.Node) *ops.Node {
	at, _ := ops.CumMin(ops.Where(mark, w.index, w.rows), 0, &ops.CumSumOptions{Exclusive: true, Reverse: true})
	return ops.Minimum(at, w.rows)
}

// add adds a column to the relation, with an element for each row, and says which one it is; -1 without a value.
func (w *windowed) add(v lower.Value) int {
	if v.X == nil {
		return -1
	}
	w.r.schema = append(slices.Clone(w.r.schema), table.Field{Type: v.Type})
	w.r.cols = append(w.r.cols, source{v: &v})
	return len(w.r.cols) - 1
}

// finished returns the column of a function or an aggregate, of the relation's rows.
func (w *windowed) finished(a added, f *table.Table, out []*tensor.Tensor) (*column.Column, error) {
	switch {
	case a.of != nil:
		return take.GatherFound(w.r.Pool, a.of, rowsOf(f.Cols[a.at], 1))
	case a.fold == nil:
		return f.Cols[a.at], nil
	}
	slots := 1
	at := make([]uint32, f.Rows)
	if a.at >= 0 {
		var err error
		if slots, err = w.n.size(); err != nil {
			return nil, err
		}
		at = rowsOf(f.Cols[a.at], 0)
	}
	order := make([]uint32, slots)
	for i := range order {
		order[i] = uint32(i)
	}
	c, err := a.fold(out, order)
	if err != nil {
		return nil, err
	}
	return take.Gather(w.r.Pool, c, at)
}

// rowsOf are a column's numbers, of which one may be added.
func rowsOf(c *column.Column, one uint32) []uint32 {
	rows := make([]uint32, c.Len())
	for i, v := range column.Values[int32](c) {
		rows[i] = uint32(v) + one
	}
	return rows
}

// baseColumn is the column of the relation's frame that an expression names, nil if it is not such a column.
func (r *relation) baseColumn(e expr.Bound) *column.Column {
	if e.Column >= 0 && r.cols[e.Column].side == 0 {
		return r.cols[e.Column].c
	}
	return nil
}
