package plans

import (
	"fmt"
	"strings"
	"time"

	"github.com/anycl/anycl/frame"
	"github.com/anycl/anycl/frame/column"
)

// expr is an expression in both forms.
type expr struct {
	k   kind
	e   frame.Expr
	sql string
}

func (p *Plan) column(k kind) (expr, bool) {
	for _, i := range p.r.Perm(len(p.names)) {
		if p.kinds[i] == k {
			return expr{k, frame.Col(p.names[i]), p.names[i]}, true
		}
	}
	return expr{}, false
}

func (p *Plan) constant(k kind) expr {
	switch k {
	case isInt:
		v := int64(p.r.IntN(12)) - 2
		return expr{k, frame.Lit(v), fmt.Sprintf("(%d)::bigint", v)}
	case isFloat:
		v := []float64{0, 1.5, -2, 3.25}[p.r.IntN(4)]
		return expr{k, frame.Lit(v), fmt.Sprintf("(%v)::double", v)}
	case isText:
		v := texts[p.r.IntN(len(texts))]
		return expr{k, frame.Lit(v), "'" + strings.ReplaceAll(v, "'", "''") + "'"}
	case isBool:
		v := p.r.IntN(2) == 0
		return expr{k, frame.Lit(v), fmt.Sprint(v)}
	}
	v := time.Unix(0, 0).UTC().AddDate(0, 0, p.r.IntN(1000))
	return expr{k, frame.Lit(v).Cast(column.Date32.Of()), "date '" + v.Format(time.DateOnly) + "'"}
}

// expr returns a random expression of a kind.
func (p *Plan) expr(k kind, depth int) expr {
	if depth == 0 || p.r.IntN(4) == 0 {
		if c, ok := p.column(k); ok && p.r.IntN(5) > 0 {
			return c
		}
		return p.constant(k)
	}
	sub := func(k kind) expr { return p.expr(k, depth-1) }
	switch p.r.IntN(8) {
	case 0:
		c, a, b := p.condition(depth-1), sub(k), sub(k)
		return expr{k, frame.When(c.e).Then(a.e).Otherwise(b.e), fmt.Sprintf("(case when %s then %s else %s end)", c.sql, a.sql, b.sql)}
	case 1:
		a, b := sub(k), sub(k)
		return expr{k, frame.Coalesce(a.e, b.e), fmt.Sprintf("coalesce(%s, %s)", a.sql, b.sql)}
	}
	switch k {
	case isInt:
		return p.integer(sub)
	case isFloat:
		return p.float(sub)
	case isText:
		return p.text(sub)
	case isBool:
		return p.condition(depth)
	}
	a := sub(isDate)
	if p.r.IntN(2) == 0 {
		n, period := p.r.IntN(60)-30, []string{"year", "month", "week", "day"}[p.r.IntN(4)]
		return expr{isDate, a.e.Offset(n, period), fmt.Sprintf("(%s + %d * interval 1 %s)::date", a.sql, n, period)}
	}
	period := []string{"year", "month", "week", "quarter"}[p.r.IntN(4)]
	return expr{isDate, a.e.Truncate(period), fmt.Sprintf("date_trunc('%s', %s)::date", period, a.sql)}
}

func (p *Plan) integer(sub func(kind) expr) expr {
	a := sub(isInt)
	wide := fmt.Sprintf("(%s)::bigint", a.sql)
	e := a.e.Cast(column.Int64.Of())
	small := expr{isInt, e.Mod(1000), "(" + wide + " % 1000)"} // so that nothing overflows
	b := sub(isInt)
	other := expr{isInt, b.e.Cast(column.Int64.Of()).Mod(1000), fmt.Sprintf("((%s)::bigint %% 1000)", b.sql)}
	switch p.r.IntN(9) {
	case 0:
		return expr{isInt, small.e.Add(other.e), fmt.Sprintf("(%s + %s)", small.sql, other.sql)}
	case 1:
		return expr{isInt, small.e.Sub(other.e), fmt.Sprintf("(%s - %s)", small.sql, other.sql)}
	case 2:
		return expr{isInt, small.e.Mul(other.e), fmt.Sprintf("(%s * %s)", small.sql, other.sql)}
	case 3:
		return expr{isInt, small.e.IntDiv(other.e), fmt.Sprintf("(%s // %s)", small.sql, other.sql)}
	case 4:
		return expr{isInt, small.e.Mod(other.e), fmt.Sprintf("(%s %% %s)", small.sql, other.sql)}
	case 5:
		return expr{isInt, small.e.Neg().Abs(), fmt.Sprintf("abs(-%s)", small.sql)}
	case 6:
		s := sub(isText)
		return expr{isInt, s.e.Len().Cast(column.Int64.Of()), fmt.Sprintf("length(%s)", s.sql)}
	case 7:
		part := []string{"year", "month", "day", "quarter", "isodow", "dayofyear"}
		of := []func(frame.Expr) frame.Expr{frame.Expr.Year, frame.Expr.Month, frame.Expr.Day, frame.Expr.Quarter, frame.Expr.Weekday,
			frame.Expr.YearDay}
		i, d := p.r.IntN(len(part)), sub(isDate)
		return expr{isInt, of[i](d.e).Cast(column.Int64.Of()), fmt.Sprintf("%s(%s)", part[i], d.sql)}
	}
	return small
}

func (p *Plan) float(sub func(kind) expr) expr {
	a, b := sub(isFloat), sub(isFloat)
	switch p.r.IntN(8) {
	case 0:
		return expr{isFloat, a.e.Add(b.e), fmt.Sprintf("(%s + %s)", a.sql, b.sql)}
	case 1:
		return expr{isFloat, a.e.Sub(b.e), fmt.Sprintf("(%s - %s)", a.sql, b.sql)}
	case 2:
		return expr{isFloat, a.e.Mul(b.e), fmt.Sprintf("(%s * %s)", a.sql, b.sql)}
	case 3:
		c := sub(isInt)
		return expr{isFloat, c.e.Cast(column.Float64.Of()), fmt.Sprintf("(%s)::double", c.sql)}
	case 4:
		return expr{isFloat, a.e.Abs().Floor(), fmt.Sprintf("floor(abs(%s))", a.sql)}
	case 5:
		return expr{isFloat, a.e.Neg(), fmt.Sprintf("(-%s)", a.sql)}
	case 6:
		return expr{isFloat, a.e.Abs().Sqrt(), fmt.Sprintf("sqrt(abs(%s))", a.sql)}
	}
	return expr{isFloat, a.e.Ceil(), fmt.Sprintf("ceil(%s)", a.sql)}
}

func (p *Plan) text(sub func(kind) expr) expr {
	a := sub(isText)
	switch p.r.IntN(6) {
	case 0:
		return expr{isText, a.e.Upper(), fmt.Sprintf("upper(%s)", a.sql)}
	case 1:
		return expr{isText, a.e.Lower(), fmt.Sprintf("lower(%s)", a.sql)}
	case 2:
		from, n := p.r.IntN(3), p.r.IntN(4)
		return expr{isText, a.e.Substring(from, n), fmt.Sprintf("substring(%s, %d, %d)", a.sql, from+1, n)}
	case 3:
		b := sub(isText)
		return expr{isText, frame.ConcatStrings(a.e, b.e), fmt.Sprintf("(%s || %s)", a.sql, b.sql)}
	case 4:
		return expr{isText, a.e.Replace("a", "xy"), fmt.Sprintf("replace(%s, 'a', 'xy')", a.sql)}
	}
	return a
}

func (p *Plan) condition(depth int) expr {
	if depth <= 0 {
		if c, ok := p.column(isBool); ok {
			return c
		}
		return p.constant(isBool)
	}
	sub := func(k kind) expr { return p.expr(k, depth-1) }
	k := kind(p.r.IntN(5))
	switch p.r.IntN(9) {
	case 0:
		a, b := p.condition(depth-1), p.condition(depth-1)
		return expr{isBool, a.e.And(b.e), fmt.Sprintf("(%s and %s)", a.sql, b.sql)}
	case 1:
		a, b := p.condition(depth-1), p.condition(depth-1)
		return expr{isBool, a.e.Or(b.e), fmt.Sprintf("(%s or %s)", a.sql, b.sql)}
	case 2:
		a := p.condition(depth - 1)
		return expr{isBool, a.e.Not(), fmt.Sprintf("(not %s)", a.sql)}
	case 3:
		a := sub(k)
		return expr{isBool, a.e.IsNull(), fmt.Sprintf("(%s is null)", a.sql)}
	case 4:
		a := sub(isText)
		ways := []struct {
			e   frame.Expr
			sql string
		}{
			{a.e.Contains("a"), fmt.Sprintf("contains(%s, 'a')", a.sql)}, {a.e.HasPrefix("A"), fmt.Sprintf("starts_with(%s, 'A')", a.sql)},
			{a.e.HasSuffix("o"), fmt.Sprintf("ends_with(%s, 'o')", a.sql)}, {a.e.Like("%a_"), fmt.Sprintf("(%s like '%%a_' escape '\\')", a.sql)},
		}
		w := ways[p.r.IntN(len(ways))]
		return expr{isBool, w.e, w.sql}
	case 5:
		a, b, c := sub(isInt), p.constant(isInt), p.constant(isInt)
		return expr{isBool, a.e.IsIn(b.e, c.e), fmt.Sprintf("(%s in (%s, %s))", a.sql, b.sql, c.sql)}
	}
	ops := []struct {
		f   func(frame.Expr, any) frame.Expr
		sql string
	}{{frame.Expr.Eq, "="}, {frame.Expr.Ne, "<>"}, {frame.Expr.Lt, "<"}, {frame.Expr.Le, "<="}, {frame.Expr.Gt, ">"}, {frame.Expr.Ge, ">="}}
	o := ops[p.r.IntN(len(ops))]
	a, b := sub(k), p.constant(k)
	if p.r.IntN(2) == 0 {
		b = sub(k)
	}
	return expr{isBool, o.f(a.e, b.e), fmt.Sprintf("(%s %s %s)", a.sql, o.sql, b.sql)}
}
