package frame

import (
	"errors"
	"fmt"
	"slices"

	"github.com/anycl/anycl/frame/column"
)

// Rolling says which rows are in the window of a row: those of the same keys whose On is above that of the row less Window, and at most that of the row.
type Rolling struct {
	On     string   // a number, date, timestamp or duration; rows need not be sorted by it
	Window any      // how far back a window reaches: a number, or a time.Duration for times
	By     []string // keys
}

// Rolling adds columns that are computed from the window of a row: Sum, Mean, Count, Rows, Min and Max, which may be combined in expressions
// with other columns. Of windows of a number of rows, see [RollingMean]. The rows stay in their order; one whose On is null is in no window, and has none.
func (q *Query) Rolling(r Rolling, exprs ...Expr) *Query {
	s := q.next("rolling", here())
	s.roll = r
	for _, e := range exprs {
		s.exprs = append(s.exprs, operand(e, s.at))
	}
	return &Query{s}
}

var rollingAggregates = []string{"sum", "mean", "count", "rows", "min", "max"}

func (p *plan) rolling(s *step) (errs []error) {
	in, r := p.in[0], s.roll
	t, err := in.typeOf(r.On)
	switch {
	case err != nil:
		return []error{err}
	case !t.IsNumeric() && !t.IsTemporal():
		return []error{fmt.Errorf("%s has no windows", t)}
	}
	whole, part, err := tolerance(r.Window, t)
	if err == nil && (t.IsFloat() && !(part > 0) || !t.IsFloat() && whole == 0) {
		err = fmt.Errorf("a window of %v", r.Window)
	}
	if err != nil {
		errs = append(errs, err)
	}
	for _, name := range r.By {
		if _, err := in.typeOf(name); err != nil {
			errs = append(errs, err)
		}
		p.keys = append(p.keys, named{name, column1(name)})
	}
	p.order = []orderKey{{column1(r.On), false, true}}
	c := newCollector(in.schema, in.schema)
	errs = append(errs, p.replaceOrAdd(c.outer, s.exprs)...)
	for _, a := range c.found {
		if !slices.Contains(rollingAggregates, a.n.op) {
			errs = append(errs, fmt.Errorf("%s is not computed of windows", a.n.op))
		}
	}
	return errs
}

// rolling sorts the rows by keys and time, in which order windows move forward.
func (x *exec) rolling(p *plan, f *Frame) (*Frame, error) {
	g, err := x.groups(f, p.keys)
	if err != nil {
		return nil, err
	}
	if err := x.reserve(32 * int64(f.rows)); err != nil {
		return nil, err
	}
	order, err := x.partitions(f, g, p.order)
	if err != nil {
		return nil, err
	}
	w, err := windowsOf(f.Column(p.step.roll.On), p.step.roll.Window, order, func(a, b uint32) bool { return g.IDs[a] == g.IDs[b] })
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
	cols := slices.Clone(f.cols)
	for _, a := range c.found {
		args, err := x.evaluate(f.cols, f.rows, a.args)
		if err != nil {
			return nil, err
		}
		col, err := w.aggregate(x, a, args)
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
		col := f.Column(field.Name)
		if i := slices.IndexFunc(p.exprs, func(e named) bool { return e.name == field.Name }); i >= 0 {
			col = values[i]
		}
		out.names, out.cols = append(out.names, field.Name), append(out.cols, col)
	}
	return out, nil
}

// windows are ranges of rows in an order in which both their ends only move forward.
type windows struct {
	rows     []uint32
	from, to []uint32 // of each position; equal where there is no window
}

func windowsOf(on *column.Column, window any, order []uint32, together func(a, b uint32) bool) (*windows, error) {
	n := len(order)
	w := &windows{order, make([]uint32, n), make([]uint32, n)}
	whole, part, err := tolerance(window, on.Type())
	if err != nil {
		return nil, err
	}
	var far func(a, b int) bool // whether a is out of the window of b, which does not come before it
	var equal func(a, b int) bool
	if on.Type().IsFloat() {
		c, err := castColumn(on, column.Float64.Of(), true)
		if err != nil {
			return nil, err
		}
		v := column.Values[float64](c)
		far = func(a, b int) bool { return !(v[b]-v[a] < part) && !(v[a] == v[b]) && !(v[a] != v[a] && v[b] != v[b]) }
		equal = func(a, b int) bool { return v[a] == v[b] || v[a] != v[a] && v[b] != v[b] }
	} else {
		c, err := integersOf(on)
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

// integersOf are the integers of a number that is none of floats, a date, timestamp or duration.
func integersOf(c *column.Column) (*column.Column, error) {
	t := c.Type()
	switch {
	case t.Kind == column.Timestamp || t.Kind == column.Duration || t.Kind == column.Uint64: // of which differences are right
		return c.WithType(column.Int64.Of())
	case t.Kind == column.Date32:
		var err error
		if c, err = c.WithType(column.Int32.Of()); err != nil {
			return nil, err
		}
	}
	return castColumn(c, column.Int64.Of(), true)
}

var errRollingSum = errors.New("the sum of a window overflows")

func (w *windows) aggregate(x *exec, a collected, args []*column.Column) (*column.Column, error) {
	n := len(w.rows)
	switch a.n.op {
	case "rows":
		out := column.Make[int64](n)
		for i, row := range w.rows {
			out[row] = int64(w.to[i] - w.from[i])
		}
		return column.FixedOf(a.typ, out, column.Bitmap{}), nil
	case "count":
		out := column.Make[int64](n)
		for i, v := range foldWindows(w, func(i int) int64 { return btoi(!args[0].IsNull(int(w.rows[i]))) }, 0, func(a, b int64) int64 { return a + b }) {
			out[w.rows[i]] = v
		}
		return column.FixedOf(a.typ, out, column.Bitmap{}), nil
	case "min", "max":
		return w.extreme(x, a.n.op == "max", args[0])
	}
	return w.sum(a, args[0])
}

func btoi(b bool) int64 {
	if b {
		return 1
	}
	return 0
}

// foldWindows combines the values of each window, from its first to its last position. Each position is combined a few times however long windows are: of those
// before a mark the results up to it are kept, and of those behind it the result of all.
// Source: Tangwongsan, Hirzel and Schneider, Low-Latency Sliding-Window Aggregation in Worst-Case Constant Time (2017), section 2 (two stacks).
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
