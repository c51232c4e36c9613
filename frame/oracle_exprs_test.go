package frame_test

import (
	"math"
	"math/rand/v2"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/anycl/anycl/frame"
	"github.com/anycl/anycl/frame/column"
)

// expression is one in both forms.
type expression struct {
	e     frame.Expr
	f     func(row []any) any
	k     kind
	exact bool
	wide  bool // an int64, so that arithmetic does not wrap at 8 bits
}

// propagate is null where an operand is.
func propagate(f func(v []any) any, args ...expression) func(row []any) any {
	return func(row []any) any {
		v := make([]any, len(args))
		for i, a := range args {
			if v[i] = a.f(row); v[i] == nil {
				return nil
			}
		}
		return f(v)
	}
}

type exprGen struct {
	r *rand.Rand
	t *ref
}

func (g *exprGen) column(k kind) (expression, bool) {
	var at []int
	for i, c := range g.t.kinds {
		if c == k {
			at = append(at, i)
		}
	}
	if len(at) == 0 {
		return expression{}, false
	}
	i := at[g.r.IntN(len(at))]
	return expression{e: frame.Col(g.t.names[i]), f: func(row []any) any { return row[i] }, k: k, exact: g.t.exact[i]}, true
}

func (g *exprGen) constant(k kind) expression {
	var v any
	e := frame.Expr{}
	switch k {
	case isInt:
		i := int64(g.r.IntN(9) - 4)
		v, e = i, frame.Lit(i)
	case isFloat:
		f := float64(g.r.IntN(17)-8) / 4
		v, e = f, frame.Lit(f)
	case isString:
		s := words[g.r.IntN(len(words))]
		v, e = s, frame.Lit(s)
	case isBool:
		b := g.r.IntN(2) == 0
		v, e = b, frame.Lit(b)
	case isDate:
		d := int64(11000 + g.r.IntN(200))
		v, e = d, frame.Lit(time.Unix(d*86400, 0).UTC())
	}
	return expression{e: e, f: func([]any) any { return v }, k: k, exact: true}
}

// of returns an expression of a kind.
func (g *exprGen) of(k kind, depth int) expression {
	if depth <= 0 || g.r.IntN(4) == 0 {
		if c, ok := g.column(k); ok && g.r.IntN(5) > 0 {
			return c
		}
		return g.constant(k)
	}
	if g.r.IntN(6) == 0 {
		return g.choice(k, depth-1)
	}
	switch k {
	case isBool:
		return g.condition(depth - 1)
	case isInt:
		return g.integer(depth - 1)
	case isFloat:
		return g.float(depth - 1)
	case isString:
		return g.text(depth - 1)
	}
	if c, ok := g.column(k); ok {
		return c
	}
	return g.constant(k)
}

func (g *exprGen) choice(k kind, depth int) expression {
	a, b := g.of(k, depth), g.of(k, depth)
	exact := a.exact && b.exact
	switch g.r.IntN(3) {
	case 0:
		c := g.of(isBool, depth)
		return expression{frame.When(c.e).Then(a.e).Otherwise(b.e), func(row []any) any {
			if c.f(row) == true {
				return a.f(row)
			}
			return b.f(row)
		}, k, exact, false}
	case 1:
		return expression{frame.Coalesce(a.e, b.e), func(row []any) any {
			if v := a.f(row); v != nil {
				return v
			}
			return b.f(row)
		}, k, exact, false}
	}
	return expression{a.e.NullIf(b.e), func(row []any) any {
		v, w := a.f(row), b.f(row)
		if v != nil && w != nil && order(v, w) == 0 {
			return nil
		}
		return v
	}, k, exact, false}
}

func not(v any) any {
	if v == nil {
		return nil
	}
	return !v.(bool)
}

func and(v, w any) any {
	switch {
	case v == false || w == false:
		return false
	case v == nil || w == nil:
		return nil
	}
	return true
}

func or(v, w any) any { return not(and(not(v), not(w))) }

func (g *exprGen) condition(depth int) expression {
	b := func(e frame.Expr, f func(row []any) any) expression { return expression{e, f, isBool, true, false} }
	switch g.r.IntN(9) {
	case 0:
		x, y := g.of(isBool, depth), g.of(isBool, depth)
		return b(x.e.And(y.e), func(row []any) any { return and(x.f(row), y.f(row)) })
	case 1:
		x, y := g.of(isBool, depth), g.of(isBool, depth)
		return b(x.e.Or(y.e), func(row []any) any { return or(x.f(row), y.f(row)) })
	case 2:
		x := g.of(isBool, depth)
		return b(x.e.Not(), func(row []any) any { return not(x.f(row)) })
	case 3:
		x := g.of(kind(g.r.IntN(5)), depth)
		if g.r.IntN(2) == 0 {
			return b(x.e.IsNull(), func(row []any) any { return x.f(row) == nil })
		}
		return b(x.e.IsNotNull(), func(row []any) any { return x.f(row) != nil })
	case 4:
		x := g.of(isString, depth)
		s := []string{"a", "b", "", "本", "%"}[g.r.IntN(5)]
		switch g.r.IntN(4) {
		case 0:
			return b(x.e.Contains(s), propagate(func(v []any) any { return strings.Contains(v[0].(string), s) }, x))
		case 1:
			return b(x.e.HasPrefix(s), propagate(func(v []any) any { return strings.HasPrefix(v[0].(string), s) }, x))
		case 2:
			return b(x.e.HasSuffix(s), propagate(func(v []any) any { return strings.HasSuffix(v[0].(string), s) }, x))
		}
		pattern := []string{"a%", "%b%", "_", "a_c", "%", "x\\%y", "日__", "%c"}[g.r.IntN(8)]
		return b(x.e.Like(pattern), propagate(func(v []any) any { return fitsPattern([]rune(v[0].(string)), []rune(pattern)) }, x))
	case 5:
		k := []kind{isInt, isString, isFloat, isDate}[g.r.IntN(4)]
		x := g.of(k, depth)
		var list []any
		var fs []expression
		for range g.r.IntN(4) {
			c := g.constant(k)
			list, fs = append(list, c.e), append(fs, c)
		}
		null := g.r.IntN(4) == 0
		if null {
			list = append(list, nil)
		}
		return b(x.e.IsIn(list...), func(row []any) any {
			v := x.f(row)
			if v == nil {
				return nil
			}
			for _, c := range fs {
				if order(v, c.f(row)) == 0 {
					return true
				}
			}
			if null {
				return nil
			}
			return false
		})
	}
	k := kind(g.r.IntN(5))
	x, y := g.of(k, depth), g.of(k, depth)
	ops := []struct {
		f func(any) frame.Expr
		h func(int) bool
	}{
		{x.e.Eq, func(o int) bool { return o == 0 }}, {x.e.Ne, func(o int) bool { return o != 0 }},
		{x.e.Lt, func(o int) bool { return o < 0 }}, {x.e.Le, func(o int) bool { return o <= 0 }},
		{x.e.Gt, func(o int) bool { return o > 0 }}, {x.e.Ge, func(o int) bool { return o >= 0 }},
	}
	op := ops[g.r.IntN(len(ops))]
	return b(op.f(y.e), propagate(func(v []any) any { return op.h(order(v[0], v[1])) }, x, y))
}

// fitsPattern is SQL's like, by trying everything.
func fitsPattern(s, p []rune) bool {
	switch {
	case len(p) == 0:
		return len(s) == 0
	case p[0] == '%':
		return fitsPattern(s, p[1:]) || len(s) > 0 && fitsPattern(s[1:], p)
	case len(s) == 0:
		return false
	case p[0] == '\\':
		return s[0] == p[1] && fitsPattern(s[1:], p[2:])
	}
	return (p[0] == '_' || p[0] == s[0]) && fitsPattern(s[1:], p[1:])
}

// widened is an int64, whose arithmetic is Go's.
func widened(x expression) expression {
	x.e = x.e.Cast(column.Int64.Of())
	return x
}

func (g *exprGen) integer(depth int) expression {
	i := func(e frame.Expr, f func(row []any) any) expression { return expression{e, f, isInt, true, true} }
	switch g.r.IntN(4) {
	case 0:
		s := g.of(isString, depth)
		return i(s.e.Len(), propagate(func(v []any) any { return int64(utf8.RuneCountInString(v[0].(string))) }, s))
	case 1:
		d := g.of(isDate, depth)
		at := func(v []any) time.Time { return time.Unix(v[0].(int64)*86400, 0).UTC() }
		switch g.r.IntN(6) {
		case 0:
			return i(d.e.Year(), propagate(func(v []any) any { return int64(at(v).Year()) }, d))
		case 1:
			return i(d.e.Month(), propagate(func(v []any) any { return int64(at(v).Month()) }, d))
		case 2:
			return i(d.e.Day(), propagate(func(v []any) any { return int64(at(v).Day()) }, d))
		case 3:
			return i(d.e.Weekday(), propagate(func(v []any) any { return int64(at(v).Weekday()+6)%7 + 1 }, d))
		case 4:
			return i(d.e.YearDay(), propagate(func(v []any) any { return int64(at(v).YearDay()) }, d))
		}
		return i(d.e.Quarter(), propagate(func(v []any) any { return int64(at(v).Month()+2) / 3 }, d))
	}
	x, y := widened(g.of(isInt, depth)), widened(g.of(isInt, depth))
	switch g.r.IntN(7) {
	case 0:
		return i(x.e.Add(y.e), propagate(func(v []any) any { return v[0].(int64) + v[1].(int64) }, x, y))
	case 1:
		return i(x.e.Sub(y.e), propagate(func(v []any) any { return v[0].(int64) - v[1].(int64) }, x, y))
	case 2:
		return i(x.e.Mul(y.e), propagate(func(v []any) any { return v[0].(int64) * v[1].(int64) }, x, y))
	case 3:
		return i(x.e.IntDiv(y.e), propagate(func(v []any) any {
			if v[1] == int64(0) {
				return nil
			}
			return v[0].(int64) / v[1].(int64)
		}, x, y))
	case 4:
		return i(x.e.Mod(y.e), propagate(func(v []any) any {
			if v[1] == int64(0) {
				return nil
			}
			return v[0].(int64) % v[1].(int64)
		}, x, y))
	case 5:
		return i(x.e.Neg().Abs(), propagate(func(v []any) any { return max(v[0].(int64), -v[0].(int64)) }, x))
	}
	low, high := int64(g.r.IntN(5)-5), int64(g.r.IntN(5))
	return i(x.e.Clip(low, high), propagate(func(v []any) any { return min(max(v[0].(int64), low), high) }, x))
}

func (g *exprGen) float(depth int) expression {
	f := func(exact bool, e frame.Expr, fn func(row []any) any) expression {
		return expression{e, fn, isFloat, exact, false}
	}
	x, y := g.of(isFloat, depth), g.of(isFloat, depth)
	n := func(v []any, i int) float64 { return v[i].(float64) }
	switch g.r.IntN(9) {
	case 0:
		return f(x.exact && y.exact, x.e.Add(y.e), propagate(func(v []any) any { return n(v, 0) + n(v, 1) }, x, y))
	case 1:
		return f(x.exact && y.exact, x.e.Sub(y.e), propagate(func(v []any) any { return n(v, 0) - n(v, 1) }, x, y))
	case 2:
		return f(false, x.e.Mul(y.e), propagate(func(v []any) any { return n(v, 0) * n(v, 1) }, x, y))
	case 3:
		return f(false, x.e.Div(y.e), propagate(func(v []any) any { return n(v, 0) / n(v, 1) }, x, y))
	case 4:
		i := widened(g.of(isInt, depth))
		return f(false, i.e.Div(2), propagate(func(v []any) any { return float64(v[0].(int64)) / 2 }, i))
	case 5:
		return f(x.exact, x.e.Floor(), propagate(func(v []any) any { return math.Floor(n(v, 0)) }, x))
	case 6:
		return f(x.exact, x.e.Round(0), propagate(func(v []any) any { return math.Round(n(v, 0)) }, x))
	case 7:
		return f(x.exact, x.e.Abs(), propagate(func(v []any) any { return math.Abs(n(v, 0)) }, x))
	}
	return f(false, x.e.Sqrt(), propagate(func(v []any) any { return math.Sqrt(n(v, 0)) }, x))
}

func (g *exprGen) text(depth int) expression {
	t := func(e frame.Expr, f func(row []any) any) expression { return expression{e, f, isString, true, false} }
	x := g.of(isString, depth)
	s := func(v []any) string { return v[0].(string) }
	switch g.r.IntN(7) {
	case 0:
		return t(x.e.Upper(), propagate(func(v []any) any { return strings.ToUpper(s(v)) }, x))
	case 1:
		return t(x.e.Lower(), propagate(func(v []any) any { return strings.ToLower(s(v)) }, x))
	case 2:
		return t(x.e.Replace("a", "ö"), propagate(func(v []any) any { return strings.ReplaceAll(s(v), "a", "ö") }, x))
	case 3:
		i := g.r.IntN(5) - 2
		return t(x.e.Split(",", i), propagate(func(v []any) any {
			parts := strings.Split(s(v), ",")
			k := i
			if k < 0 {
				k += len(parts)
			}
			if k < 0 || k >= len(parts) {
				return nil
			}
			return parts[k]
		}, x))
	case 4:
		from, n := g.r.IntN(5)-2, g.r.IntN(4)
		return t(x.e.Substring(from, n), propagate(func(v []any) any {
			chars := []rune(s(v))
			k := from
			if k < 0 {
				k = max(0, len(chars)+k)
			}
			k = min(k, len(chars))
			return string(chars[k:min(k+n, len(chars))])
		}, x))
	case 5:
		return t(x.e.ReplaceMatches("[ab]+", "<$0>"), propagate(func(v []any) any {
			var out strings.Builder
			run := ""
			for _, c := range s(v) + "\x00" {
				if c == 'a' || c == 'b' {
					run += string(c)
					continue
				}
				if run != "" {
					out.WriteString("<" + run + ">")
					run = ""
				}
				if c != 0 {
					out.WriteRune(c)
				}
			}
			return out.String()
		}, x))
	}
	y := g.of(isString, depth)
	return t(frame.ConcatStrings(x.e, "-", y.e), propagate(func(v []any) any { return v[0].(string) + "-" + v[1].(string) }, x, y))
}
