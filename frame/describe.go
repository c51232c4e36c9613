package frame

import (
	"context"
	"fmt"
	"math"

	"github.com/anycl/anycl/frame/column"
	"github.com/anycl/anycl/frame/internal/expr"
	"github.com/anycl/anycl/frame/internal/table"
)

// Describe has a row for each column: its type, how many values are null and how many are not, how many different ones there are, the least
// and the greatest as text, and of numbers the mean, the standard deviation and the quartiles. Errors: the context ends.
func (f *Frame) Describe(ctx context.Context) (*Frame, error) {
	n := len(f.t.Cols)
	names, types, least, greatest := make([]string, n), make([]string, n), make([]string, n), make([]string, n)
	count, nulls, distinct := make([]int64, n), make([]int64, n), make([]int64, n)
	has := make([]bool, n) // a least value
	stats := [5][]float64{}
	known := [5][]bool{}
	for k := range stats {
		stats[k], known[k] = make([]float64, n), make([]bool, n)
	}
	for i, c := range f.t.Cols {
		names[i], types[i] = f.t.Names[i], c.Type().String()
		count[i], nulls[i] = int64(c.Len()-c.Nulls()), int64(c.Nulls())
		x := Col("x")
		aggs := []Expr{NUnique(x).As("distinct"), Min(x).As("min"), Max(x).As("max")}
		number := c.Type().IsNumeric() || c.Type().Kind == column.Decimal128
		if number {
			aggs = append(aggs, Mean(x).As("0"), Std(x).As("1"), Quantile(x, 0.25).As("2"), Median(x).As("3"), Quantile(x, 0.75).As("4"))
		}
		one := frameOf(&table.Table{Names: []string{"x"}, Cols: []*column.Column{c}, Rows: f.t.Rows})
		r, err := one.Query().Agg(aggs...).Collect(ctx)
		if err != nil {
			return nil, fmt.Errorf("column %q: %w", f.t.Names[i], err)
		}
		distinct[i] = column.Values[int64](r.t.Cols[0])[0]
		if has[i] = !r.t.Cols[1].IsNull(0); has[i] {
			least[i], greatest[i] = r.t.Cols[1].Format(0), r.t.Cols[2].Format(0)
		}
		for k := range stats {
			if number && !r.t.Cols[3+k].IsNull(0) {
				stats[k][i], known[k][i] = column.Values[float64](r.t.Cols[3+k])[0], true
			}
		}
	}
	cols := []Named{Of("column", names), Of("type", types), Of("count", count), Of("nulls", nulls), Of("distinct", distinct)}
	for k, name := range []string{"mean", "std"} {
		cols = append(cols, Named{name, column.OfNullable(stats[k], known[k])})
	}
	cols = append(cols, Named{"min", column.OfNullable(least, has)})
	for k, name := range []string{"q25", "median", "q75"} {
		cols = append(cols, Named{name, column.OfNullable(stats[2+k], known[2+k])})
	}
	return New(append(cols, Named{"max", column.OfNullable(greatest, has)})...)
}

// ValueCounts has each combination of values of the columns with the number of its rows, as "count", the most frequent first.
func (q *Query) ValueCounts(names ...string) *Query {
	at := expr.Here()
	g := &Grouped{q: q, at: at}
	for _, n := range names {
		g.keys = append(g.keys, columnOperand(n, at))
	}
	return g.Agg(Rows().As("count")).Sort(Desc("count"))
}

// Histogram counts the values of a column of numbers, dates or times in bins of equal width from the least value to the
// greatest: the columns lower and upper are the ends of a bin, of which upper belongs to the next one but in the last, and
// count is how many values it has. Nulls, NaN and infinities are in none. Times are in their units. Errors: a column that is
// missing or has no numbers, fewer than one bin or more than a frame has rows.
func (f *Frame) Histogram(name string, bins int) (*Frame, error) {
	c := f.Column(name)
	switch {
	case c == nil:
		return nil, fmt.Errorf("frame: %w %q", expr.ErrNoColumn, name)
	case bins < 1 || uint64(bins) > table.MaxRows:
		return nil, fmt.Errorf("frame: a histogram of %d bins", bins)
	}
	if c.Type().IsTemporal() {
		var err error
		if c, err = expr.Integers(c); err != nil {
			return nil, fmt.Errorf("frame: column %q: %w", name, err)
		}
	}
	values, err := numbers(c)
	if err != nil {
		return nil, fmt.Errorf("frame: column %q: %w", name, err)
	}
	least, most := math.Inf(1), math.Inf(-1)
	use := func(i int) bool { return !c.IsNull(i) && !math.IsNaN(values[i]) && !math.IsInf(values[i], 0) }
	for i, v := range values {
		if use(i) {
			least, most = min(least, v), max(most, v)
		}
	}
	if least > most { // nothing is counted
		bins, least, most = 0, 0, 0
	}
	lower, upper, count := make([]float64, bins), make([]float64, bins), make([]int64, bins)
	edge := func(k int) float64 { // the ends exactly, and no difference that may be infinite
		t := float64(k) / float64(bins)
		return least*(1-t) + most*t
	}
	for k := range bins {
		lower[k], upper[k] = edge(k), edge(k+1)
	}
	for i, v := range values {
		if !use(i) {
			continue
		}
		k := 0
		if most > least {
			k = min(int((v/2-least/2)/(most/2-least/2)*float64(bins)), bins-1) // halves, so that the width is finite
		}
		for k > 0 && v < lower[k] { // values that rounding put on the wrong side of an edge
			k--
		}
		for k < bins-1 && v >= upper[k] {
			k++
		}
		count[k]++
	}
	return New(Of("lower", lower), Of("upper", upper), Of("count", count))
}
