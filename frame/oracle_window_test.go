package frame_test

import (
	"slices"

	"github.com/anycl/anycl/frame"
)

// window adds functions of windows; each is computed from its definition, row by row.
func (p *planGen) window(last bool) {
	at := p.some(p.r.IntN(3))
	var by []sorting
	w := frame.Over(p.keyNames(at)...)
	if p.r.IntN(4) > 0 {
		var keys []any
		keys, by = p.sortKeys()
		w = w.OrderBy(keys...)
	}
	out := p.t.head()
	out.rows = make([][]any, len(p.t.rows))
	for i, row := range p.t.rows {
		out.rows[i] = slices.Clone(row)
	}
	// places[k] lists the rows of partition k in the window's order
	places := map[string][]int{}
	for i, row := range p.t.rows {
		id := identity(pickRow(row, at)...)
		places[id] = append(places[id], i)
	}
	var exprs []frame.Expr
	for range 1 + p.r.IntN(3) {
		e, k, exact, f := p.windowFunction(by, last)
		name := p.name()
		exprs = append(exprs, e.As(name))
		out.add(name, k, exact)
		for _, rows := range places {
			rows = slices.Clone(rows)
			slices.SortStableFunc(rows, func(a, b int) int { return compareRows(p.t.rows[a], p.t.rows[b], by) })
			part := make([][]any, len(rows))
			for i, r := range rows {
				part[i] = p.t.rows[r]
			}
			for i, r := range rows {
				v, err := f(part, i)
				if err != nil {
					p.err = err
				}
				out.rows[r] = append(out.rows[r], v)
			}
		}
	}
	p.note("window over %v order %v: %v", p.keyNames(at), by, exprs)
	p.q, p.t = p.q.Window(w, exprs...), out
}

func (p *planGen) windowFunction(by []sorting, last bool) (frame.Expr, kind, bool, func(part [][]any, i int) (any, error)) {
	x := p.exprs().of(kind(p.r.IntN(5)), 1)
	n := 1 + p.r.IntN(5)
	number1 := func() expression {
		if y := p.exprs().of(isFloat, 1); y.exact {
			return y
		}
		return p.exprs().constant(isFloat)
	}
	before := func(part [][]any, i, n int) [][]any { return part[max(0, i+1-n) : i+1] }
	switch p.r.IntN(9) {
	case 0:
		return frame.RowNumber(), isInt, true, func(_ [][]any, i int) (any, error) { return int64(i + 1), nil }
	case 1:
		ties := []frame.Ties{frame.RankMin, frame.RankMax, frame.RankDense, frame.RankAverage, frame.RankOrdinal}[p.r.IntN(5)]
		k := isInt
		if ties == frame.RankAverage {
			k = isFloat
		}
		return frame.Rank(ties), k, true, func(part [][]any, i int) (any, error) {
			first, lastRow, dense := i, i, int64(1)
			for j := range part {
				o := compareRows(part[j], part[i], by)
				if o == 0 {
					first, lastRow = min(first, j), max(lastRow, j)
				}
				if o < 0 && compareRows(part[j], part[j+1], by) != 0 {
					dense++
				}
			}
			switch ties {
			case frame.RankMin:
				return int64(first + 1), nil
			case frame.RankMax:
				return int64(lastRow + 1), nil
			case frame.RankDense:
				return dense, nil
			case frame.RankOrdinal:
				return int64(i + 1), nil
			}
			return float64(first+lastRow+2) / 2, nil
		}
	case 2:
		n := p.r.IntN(7) - 3
		return frame.Lag(x.e, n), x.k, x.exact, func(part [][]any, i int) (any, error) {
			if i-n < 0 || i-n >= len(part) {
				return nil, nil
			}
			return x.f(part[i-n]), nil
		}
	case 3:
		y := number1()
		if p.r.IntN(2) == 0 {
			y = p.exprs().of(isInt, 1)
		}
		return frame.CumSum(y.e), y.k, true, func(part [][]any, i int) (any, error) { return sumOf(present(y, part[:i+1])) }
	case 4:
		return frame.CumCount(x.e), isInt, true, func(part [][]any, i int) (any, error) { return int64(len(present(x, part[:i+1]))), nil }
	case 5:
		sign := 1 - 2*p.r.IntN(2)
		e := frame.CumMax(x.e)
		if sign < 0 {
			e = frame.CumMin(x.e)
		}
		return e, x.k, x.exact, func(part [][]any, i int) (any, error) { return extremeOf(present(x, part[:i+1]), sign), nil }
	case 6:
		sign := 1 - 2*p.r.IntN(2)
		e := frame.RollingMax(x.e, n)
		if sign < 0 {
			e = frame.RollingMin(x.e, n)
		}
		return e, x.k, x.exact, func(part [][]any, i int) (any, error) { return extremeOf(present(x, before(part, i, n)), sign), nil }
	case 7:
		y := number1()
		mean := p.r.IntN(2) == 0
		e := frame.RollingSum(y.e, n)
		if mean {
			e = frame.RollingMean(y.e, n)
		}
		return e, isFloat, !mean, func(part [][]any, i int) (any, error) {
			v := present(y, before(part, i, n))
			s, err := sumOf(v)
			if s == nil || !mean {
				return s, err
			}
			return s.(float64) / float64(len(v)), nil
		}
	}
	a := p.exprs().aggregate(last)
	if a.k == isFloat && a.exact && p.r.IntN(2) == 0 { // combined with a column of the row
		if y, ok := p.exprs().column(isFloat); ok {
			return a.e.Sub(y.e), isFloat, y.exact, func(part [][]any, i int) (any, error) {
				v, err := a.f(part)
				w := y.f(part[i])
				if v == nil || w == nil {
					return nil, err
				}
				return v.(float64) - w.(float64), err
			}
		}
	}
	return a.e, a.k, a.exact, func(part [][]any, _ int) (any, error) { return a.f(part) }
}

func (p *planGen) asof(bool) {
	f, other := randomTable(p.r, "c")
	a := frame.AsOf{On: []string{"c0", "c1", "c6"}[p.r.IntN(3)], Forward: p.r.IntN(2) == 0}
	if p.r.IntN(2) == 0 {
		a.By = []string{"c4"}
	}
	need := append([]string{a.On}, a.By...)
	var left, right []int
	for _, name := range need {
		i, j := slices.Index(p.t.names, name), slices.Index(other.names, name)
		if i < 0 || p.t.kinds[i] != other.kinds[j] {
			return
		}
		left, right = append(left, i), append(right, j)
	}
	if a.On == "c0" && p.r.IntN(2) == 0 {
		a.Tolerance = 2
	}
	out := p.t.head()
	var keep []int
	for j, name := range other.names {
		if slices.Contains(right, j) {
			continue
		}
		if slices.Contains(p.t.names, name) {
			name += "_right"
		}
		if slices.Contains(out.names, name) {
			return
		}
		keep = append(keep, j)
		out.add(name, other.kinds[j], other.exact[j])
	}
	p.note("as of %+v, %d rows", a, len(other.rows))
	for _, l := range p.t.rows {
		var best []any
		for _, r := range other.rows {
			x, y := l[left[0]], r[right[0]]
			if x == nil || y == nil || x != x || y != y {
				continue
			}
			if len(left) > 1 && (l[left[1]] == nil || r[right[1]] == nil || l[left[1]] != r[right[1]]) {
				continue
			}
			o := order(y, x)
			if a.Forward && o < 0 || !a.Forward && o > 0 {
				continue
			}
			if a.Tolerance != nil && max(x.(int64)-y.(int64), y.(int64)-x.(int64)) > 2 {
				continue
			}
			if best != nil {
				b := order(y, best[right[0]])
				if a.Forward && b >= 0 || !a.Forward && b < 0 {
					continue
				}
			}
			best = r
		}
		if best == nil {
			best = make([]any, len(other.names))
		}
		out.rows = append(out.rows, append(slices.Clone(l), pickRow(best, keep)...))
	}
	p.q, p.t = p.q.JoinAsOf(f.Query(), a), out
}
