package frame_test

import (
	"errors"
	"math"
	"math/big"
	"slices"

	"github.com/anycl/anycl/frame"
)

var errSum = errors.New("the sum overflows")

// aggregation is one in both forms: f gets the rows of a group.
type aggregation struct {
	e     frame.Expr
	f     func(rows [][]any) (any, error)
	k     kind
	exact bool
	rough bool // its last digits depend on the method
}

func present(x expression, rows [][]any) (out []any) {
	for _, r := range rows {
		if v := x.f(r); v != nil {
			out = append(out, v)
		}
	}
	return out
}

func number(v any) float64 {
	switch x := v.(type) {
	case int64:
		return float64(x)
	case bool:
		if x {
			return 1
		}
		return 0
	}
	return v.(float64)
}

func sumOf(values []any) (any, error) {
	if len(values) == 0 {
		return nil, nil
	}
	if _, ok := values[0].(float64); ok {
		s := 0.0
		for _, v := range values {
			s += v.(float64)
		}
		return s, nil
	}
	s := new(big.Int)
	for _, v := range values {
		switch x := v.(type) {
		case int64:
			s.Add(s, big.NewInt(x))
		case bool:
			if x {
				s.Add(s, big.NewInt(1))
			}
		}
	}
	if !s.IsInt64() {
		return nil, errSum
	}
	return s.Int64(), nil
}

func varianceOf(values []any) any {
	if len(values) < 2 {
		return nil
	}
	mean := 0.0
	for _, v := range values {
		mean += number(v)
	}
	mean /= float64(len(values))
	s := 0.0
	for _, v := range values {
		s += (number(v) - mean) * (number(v) - mean)
	}
	return s / float64(len(values)-1)
}

func extremeOf(values []any, sign int) any {
	var best any
	for _, v := range values {
		if best == nil || sign*order(v, best) > 0 {
			best = v
		}
	}
	return best
}

func (g *exprGen) aggregate(last bool) aggregation {
	k := kind(g.r.IntN(5))
	x := g.of(k, 1)
	on := func(f func(v []any) any) func([][]any) (any, error) {
		return func(rows [][]any) (any, error) { return f(present(x, rows)), nil }
	}
	summable := x.exact || last
	switch g.r.IntN(15) {
	case 0:
		return aggregation{frame.Count(x.e), on(func(v []any) any { return int64(len(v)) }), isInt, true, false}
	case 1:
		return aggregation{frame.Rows(), func(rows [][]any) (any, error) { return int64(len(rows)), nil }, isInt, true, false}
	case 2:
		return aggregation{frame.Min(x.e), on(func(v []any) any { return extremeOf(v, -1) }), k, x.exact, false}
	case 3:
		return aggregation{frame.Max(x.e), on(func(v []any) any { return extremeOf(v, 1) }), k, x.exact, false}
	case 4:
		return aggregation{frame.NUnique(x.e), on(func(v []any) any {
			seen := map[string]bool{}
			for _, w := range v {
				seen[identity(w)] = true
			}
			return int64(len(seen))
		}), isInt, true, false}
	case 5, 6:
		at := func(rows [][]any, i int) (any, error) {
			if len(rows) == 0 {
				return nil, nil
			}
			return x.f(rows[i*(len(rows)-1)]), nil
		}
		if g.r.IntN(2) == 0 {
			return aggregation{frame.First(x.e), func(rows [][]any) (any, error) { return at(rows, 0) }, k, x.exact, false}
		}
		return aggregation{frame.Last(x.e), func(rows [][]any) (any, error) { return at(rows, 1) }, k, x.exact, false}
	case 7:
		y := g.of(kind(g.r.IntN(5)), 1)
		sign := 1 - 2*g.r.IntN(2)
		e := frame.ArgMax(x.e, y.e)
		if sign < 0 {
			e = frame.ArgMin(x.e, y.e)
		}
		return aggregation{e, func(rows [][]any) (any, error) {
			var best, value any
			for _, r := range rows {
				if w := y.f(r); w != nil && (best == nil || sign*order(w, best) > 0) {
					best, value = w, x.f(r)
				}
			}
			return value, nil
		}, k, x.exact, false}
	case 8:
		b := g.of(isBool, 1)
		every := g.r.IntN(2) == 0
		e := frame.Any(b.e)
		if every {
			e = frame.All(b.e)
		}
		return aggregation{e, func(rows [][]any) (any, error) {
			v := present(b, rows)
			if len(v) == 0 {
				return nil, nil
			}
			return slices.Contains(v, any(!every)) != every, nil
		}, isBool, true, false}
	}
	if k == isString || k == isDate {
		x = g.of(isInt, 1)
		k, summable = isInt, true
	}
	if !summable {
		x, _ = g.column(isInt)
		if x.f == nil {
			x = g.constant(isInt)
		}
		k = isInt
	}
	switch g.r.IntN(6) {
	case 0:
		return aggregation{frame.Mean(x.e), on(func(v []any) any {
			if len(v) == 0 {
				return nil
			}
			s := 0.0
			for _, w := range v {
				s += number(w)
			}
			return s / float64(len(v))
		}), isFloat, false, !x.exact || k == isInt}
	case 1:
		if last {
			return aggregation{frame.Std(x.e), on(func(v []any) any {
				if w := varianceOf(v); w != nil {
					return math.Sqrt(w.(float64))
				}
				return nil
			}), isFloat, false, true}
		}
	case 2:
		if last {
			y := g.of(isInt, 1)
			x := g.of(isInt, 1)
			return aggregation{frame.Corr(x.e, y.e), func(rows [][]any) (any, error) {
				var a, b []float64
				for _, r := range rows {
					if v, w := x.f(r), y.f(r); v != nil && w != nil {
						a, b = append(a, number(v)), append(b, number(w))
					}
				}
				if len(a) < 2 {
					return nil, nil
				}
				return correlation(a, b), nil
			}, isFloat, false, true}
		}
	case 3:
		q := []float64{0, 0.25, 0.5, 0.9, 1}[g.r.IntN(5)]
		return aggregation{frame.Quantile(x.e, q), on(func(v []any) any {
			if len(v) == 0 {
				return nil
			}
			f := make([]any, len(v))
			for i := range v {
				f[i] = number(v[i])
			}
			slices.SortFunc(f, order)
			at := q * float64(len(f)-1)
			k := int(at)
			low := f[k].(float64)
			if float64(k) == at || k+1 == len(f) {
				return low
			}
			high := f[k+1].(float64)
			if low == high {
				return low
			}
			return low + (high-low)*(at-float64(k))
		}), isFloat, false, false}
	}
	sum := func(rows [][]any) (any, error) { return sumOf(present(x, rows)) }
	if k == isBool {
		return aggregation{frame.Sum(x.e), sum, isInt, true, false}
	}
	return aggregation{frame.Sum(x.e), sum, k, x.exact && k != isInt || k == isInt, !x.exact}
}

func correlation(a, b []float64) float64 {
	var ma, mb, aa, bb, ab float64
	for i := range a {
		ma, mb = ma+a[i], mb+b[i]
	}
	ma, mb = ma/float64(len(a)), mb/float64(len(a))
	for i := range a {
		aa, bb, ab = aa+(a[i]-ma)*(a[i]-ma), bb+(b[i]-mb)*(b[i]-mb), ab+(a[i]-ma)*(b[i]-mb)
	}
	return ab / (math.Sqrt(aa) * math.Sqrt(bb))
}
