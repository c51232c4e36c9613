package plans

import (
	"fmt"

	"github.com/anycl/anycl/frame"
	"github.com/anycl/anycl/frame/column"
)

// aggregate returns an aggregate of a random expression.
func (p *Plan) aggregate() expr {
	number := func() expr {
		k := []kind{isInt, isFloat}[p.r.IntN(2)]
		x := p.expr(k, 1)
		if k == isInt {
			return expr{k, x.e.Cast(column.Int64.Of()).Mod(1000), fmt.Sprintf("((%s)::bigint %% 1000)", x.sql)}
		}
		// Without infinities, where the order of additions decides the result, and with few digits, so that their order does not matter.
		finite := frame.When(x.e.Abs().Lt(1e6)).Then(x.e).Otherwise(nil)
		return expr{k, finite, fmt.Sprintf("(case when abs(%s) < 1e6 then %s end)", x.sql, x.sql)}
	}
	any := func() expr { return p.expr(kind(p.r.IntN(5)), 1) }
	switch p.r.IntN(14) {
	case 0:
		return expr{isInt, frame.Rows(), "count(*)"}
	case 1:
		a := any()
		return expr{isInt, frame.Count(a.e), fmt.Sprintf("count(%s)", a.sql)}
	case 2:
		a := number()
		if a.k == isInt {
			return expr{isInt, frame.Sum(a.e), fmt.Sprintf("sum(%s)::bigint", a.sql)}
		}
		return expr{isFloat, frame.Sum(a.e), fmt.Sprintf("sum(%s)", a.sql)}
	case 3:
		a := number()
		return expr{isFloat, frame.Mean(a.e), fmt.Sprintf("avg(%s)", a.sql)}
	case 4:
		a := any()
		return expr{a.k, frame.Min(a.e), fmt.Sprintf("min(%s)", a.sql)}
	case 5:
		a := any()
		return expr{a.k, frame.Max(a.e), fmt.Sprintf("max(%s)", a.sql)}
	case 6:
		a := any()
		return expr{isInt, frame.NUnique(a.e), fmt.Sprintf("count(distinct %s)", a.sql)}
	case 7:
		a := number()
		return expr{isFloat, frame.Var(a.e), fmt.Sprintf("var_samp(%s)", a.sql)}
	case 8:
		a := number()
		return expr{isFloat, frame.Std(a.e), fmt.Sprintf("stddev_samp(%s)", a.sql)}
	case 9:
		a := number()
		return expr{isFloat, frame.Median(a.e), fmt.Sprintf("quantile_cont((%s)::double, 0.5)", a.sql)}
	case 10:
		a := number()
		return expr{isFloat, frame.Quantile(a.e, 0.9), fmt.Sprintf("quantile_cont((%s)::double, 0.9)", a.sql)}
	case 11:
		a := p.condition(1)
		return expr{isBool, frame.Any(a.e), fmt.Sprintf("bool_or(%s)", a.sql)}
	case 12:
		a := p.condition(1)
		return expr{isBool, frame.All(a.e), fmt.Sprintf("bool_and(%s)", a.sql)}
	}
	if p.id == "" {
		a := number()
		return expr{isFloat, frame.Max(a.e).Sub(frame.Min(a.e)).Cast(column.Float64.Of()),
			fmt.Sprintf("(max(%s) - min(%s))::double", a.sql, a.sql)}
	}
	a := any()
	if p.r.IntN(2) == 0 {
		return expr{a.k, frame.ArgMin(a.e, p.id), fmt.Sprintf("arg_min_null(%s, %s)", a.sql, p.id)}
	}
	return expr{a.k, frame.ArgMax(a.e, p.id), fmt.Sprintf("arg_max_null(%s, %s)", a.sql, p.id)}
}

// windowFunction returns a function of a window, in whose SQL WINDOW stands for the window without its last parenthesis.
func (p *Plan) windowFunction() expr {
	x := p.expr(isInt, 1)
	a := expr{isInt, x.e.Cast(column.Int64.Of()).Mod(1000), fmt.Sprintf("((%s)::bigint %% 1000)", x.sql)}
	n := 1 + p.r.IntN(3)
	frame1 := fmt.Sprintf(" rows between %d preceding and current row)", n-1)
	switch p.r.IntN(8) {
	case 0:
		return expr{isInt, frame.RowNumber(), "row_number() WINDOW)"}
	case 1:
		return expr{isInt, frame.Lag(a.e, n), fmt.Sprintf("lag(%s, %d) WINDOW)", a.sql, n)}
	case 2:
		return expr{isInt, frame.Lead(a.e, n), fmt.Sprintf("lead(%s, %d) WINDOW)", a.sql, n)}
	case 3:
		return expr{isInt, frame.CumSum(a.e), fmt.Sprintf("(sum(%s) WINDOW))::bigint", a.sql)}
	case 4:
		return expr{isFloat, frame.RollingMean(a.e, n), fmt.Sprintf("avg(%s) WINDOW%s", a.sql, frame1)}
	case 5:
		return expr{isInt, frame.RollingMax(a.e, n), fmt.Sprintf("max(%s) WINDOW%s", a.sql, frame1)}
	case 6:
		return expr{isFloat, frame.RollingSum(a.e, n), fmt.Sprintf("(sum(%s) WINDOW%s)::double", a.sql, frame1)}
	}
	return expr{isInt, frame.Count(a.e), fmt.Sprintf("count(%s) WINDOW rows between unbounded preceding and unbounded following)", a.sql)}
}
