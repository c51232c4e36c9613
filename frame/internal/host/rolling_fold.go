package host

import (
	"cmp"
	"fmt"
	"math"
	"strings"

	"github.com/anycl/anycl/frame/column"
	"github.com/anycl/anycl/frame/internal/expr"
	"github.com/anycl/anycl/frame/internal/take"
)

// windowSum is a sum of values that are not null, and how many they are.
type windowSum[T any] struct {
	sum  T
	n    int64
	over bool
}

// sum computes sums and means.
func (w *windows) sum(a expr.Collected, c *column.Column) (*column.Column, error) {
	t := c.Type()
	valid := column.NewBitmap(len(w.rows))
	if t.IsFloat() || a.Node.Op == "mean" {
		v, err := expr.Cast(c, column.Float64.Of(), true)
		if err != nil {
			return nil, err
		}
		x := column.Values[float64](v)
		out := column.Make[float64](len(w.rows))
		for i, s := range foldWindows(w, func(i int) windowSum[float64] {
			if row := int(w.rows[i]); !v.IsNull(row) {
				return windowSum[float64]{sum: x[row], n: 1}
			}
			return windowSum[float64]{}
		}, windowSum[float64]{}, func(a, b windowSum[float64]) windowSum[float64] {
			return windowSum[float64]{sum: a.sum + b.sum, n: a.n + b.n}
		}) {
			row := w.rows[i]
			valid.Set(int(row), s.n > 0)
			if out[row] = s.sum; a.Node.Op == "mean" {
				out[row] /= float64(s.n)
			}
		}
		return column.FixedOf(a.Type, out, valid), nil
	}
	if t.Kind == column.Decimal128 || t.Kind == column.Uint64 {
		return nil, fmt.Errorf("%s has no sum of windows: cast it", t)
	}
	v, err := expr.Integers(c)
	if err != nil {
		return nil, err
	}
	x := column.Values[int64](v)
	out := column.Make[int64](len(w.rows))
	for i, s := range foldWindows(w, func(i int) windowSum[int64] {
		if row := int(w.rows[i]); !v.IsNull(row) {
			return windowSum[int64]{sum: x[row], n: 1}
		}
		return windowSum[int64]{}
	}, windowSum[int64]{}, func(a, b windowSum[int64]) windowSum[int64] {
		sum := a.sum + b.sum
		return windowSum[int64]{sum, a.n + b.n, a.over || b.over || (a.sum^sum)&(b.sum^sum) < 0}
	}) {
		row := w.rows[i]
		valid.Set(int(row), s.n > 0)
		if out[row] = s.sum; s.over {
			return nil, errRollingSum
		}
	}
	return column.FixedOf(column.Int64.Of(), out, valid).WithType(a.Type)
}

// extreme finds the rows of the least or greatest values, the first of equal ones.
func (w *windows) extreme(x *Exec, greatest bool, c *column.Column) (*column.Column, error) {
	compare, err := comparer(c)
	if err != nil {
		return nil, err
	}
	rows := make([]uint32, len(w.rows))
	for i, r := range foldWindows(w, func(i int) uint32 {
		if row := w.rows[i]; !c.IsNull(int(row)) {
			return row + 1
		}
		return 0
	}, 0, func(a, b uint32) uint32 {
		switch {
		case a == 0:
			return b
		case b == 0:
			return a
		}
		if d := compare(int(a-1), int(b-1)); d > 0 && !greatest || d < 0 && greatest {
			return b
		}
		return a
	}) {
		rows[w.rows[i]] = r
	}
	return take.GatherFound(x.Pool, c, rows)
}

// comparer orders values that are not null, NaN above every number.
func comparer(c *column.Column) (func(i, j int) int, error) {
	t := c.Type()
	switch {
	case t.IsString():
		return func(i, j int) int { return strings.Compare(c.Text(i), c.Text(j)) }, nil
	case t.IsFloat():
		v, err := expr.Cast(c, column.Float64.Of(), true)
		if err != nil {
			return nil, err
		}
		x := column.Values[float64](v)
		return func(i, j int) int { return compareFloats(x[i], x[j]) }, nil
	case t.Kind == column.Uint64:
		x := column.Values[uint64](c)
		return func(i, j int) int { return cmp.Compare(x[i], x[j]) }, nil
	case t.Kind == column.Decimal128:
		x := column.Values[column.Decimal](c)
		return func(i, j int) int {
			if x[i].Hi != x[j].Hi {
				return cmp.Compare(x[i].Hi, x[j].Hi)
			}
			return cmp.Compare(x[i].Lo, x[j].Lo)
		}, nil
	}
	v, err := expr.Integers(c)
	if err != nil {
		return nil, err
	}
	x := column.Values[int64](v)
	return func(i, j int) int { return cmp.Compare(x[i], x[j]) }, nil
}

func compareFloats(a, b float64) int {
	switch {
	case math.IsNaN(a) || math.IsNaN(b):
		return int(btoi(math.IsNaN(a)) - btoi(math.IsNaN(b)))
	case a < b:
		return -1
	case a > b:
		return 1
	}
	return 0
}
