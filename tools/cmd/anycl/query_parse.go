package main

import (
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/anycl/anycl/frame"
)

// parseQuery adds the steps of a text to a query.
func parseQuery(q *frame.Query, text string) (*frame.Query, error) {
	for i, step := range cutAt(text, "|") {
		step = strings.TrimSpace(step)
		word, rest, _ := strings.Cut(step, " ")
		if step == "" && i == 0 {
			continue
		}
		var err error
		if q, err = addStep(q, word, strings.TrimSpace(rest), step, i == 0); err != nil {
			return nil, fmt.Errorf("step %d, %q: %w", i+1, step, err)
		}
	}
	return q, nil
}

func addStep(q *frame.Query, word, rest, step string, first bool) (*frame.Query, error) {
	switch word {
	case "filter":
		e, err := parseExpr(rest)
		return q.Filter(e), err
	case "select", "with", "agg":
		list, err := parseItems(rest)
		if err != nil {
			return nil, err
		}
		switch word {
		case "with":
			return q.With(list...), nil
		case "agg":
			return q.Agg(list...), nil
		}
		return q.Select(anys(list)...), nil
	case "group":
		parts := cutAt(rest, ":")
		if len(parts) != 2 {
			return nil, fmt.Errorf("keys and aggregates are separated by one colon")
		}
		keys, err := parseItems(parts[0])
		if err != nil {
			return nil, err
		}
		list, err := parseItems(parts[1])
		return q.GroupBy(anys(keys)...).Agg(list...), err
	case "sort":
		keys, err := parseKeys(rest)
		return q.Sort(keys...), err
	case "top":
		count, keys, _ := strings.Cut(rest, " ")
		n, err := strconv.Atoi(count)
		if err != nil {
			return nil, fmt.Errorf("%q is no number of rows", count)
		}
		by, err := parseKeys(keys)
		return q.TopK(n, by...), err
	case "limit":
		n, err := strconv.Atoi(rest)
		if err != nil {
			return nil, fmt.Errorf("%q is no number of rows", rest)
		}
		return q.Limit(n), nil
	case "distinct":
		var names []string
		for _, name := range cutAt(rest, ",") {
			if name = strings.TrimSpace(name); name != "" {
				names = append(names, name)
			}
		}
		return q.Distinct(names...), nil
	}
	if first {
		e, err := parseExpr(step)
		return q.Filter(e), err
	}
	return nil, fmt.Errorf("there is no step %q", word)
}

func anys(list []frame.Expr) (out []any) {
	for _, e := range list {
		out = append(out, e)
	}
	return out
}

// cutAt cuts a text at a separator that is not within quotes or parentheses, and not doubled.
func cutAt(text, separator string) (parts []string) {
	depth, from := 0, 0
	var quote byte
	for i := 0; i < len(text); i++ {
		c := text[i]
		switch {
		case quote != 0:
			if c == '\\' && quote == '"' {
				i++
			} else if c == quote {
				quote = 0
			}
		case c == '"' || c == '`':
			quote = c
		case c == '(':
			depth++
		case c == ')':
			depth--
		case depth == 0 && strings.HasPrefix(text[i:], separator+separator) && separator != ",":
			i++
		case depth == 0 && strings.HasPrefix(text[i:], separator):
			parts = append(parts, text[from:i])
			from = i + len(separator)
			i = from - 1
		}
	}
	return append(parts, text[from:])
}

// parseItems reads expressions, which may have names: a, b*2 as c.
func parseItems(text string) (out []frame.Expr, err error) {
	for _, item := range cutAt(text, ",") {
		parts := cutAt(item, " as ")
		if len(parts) > 2 {
			return nil, fmt.Errorf("%q has two names", strings.TrimSpace(item))
		}
		e, err := parseExpr(parts[0])
		if err != nil {
			return nil, err
		}
		if len(parts) == 2 {
			name := strings.TrimSpace(parts[1])
			if s, err := strconv.Unquote(name); err == nil {
				name = s
			}
			e = e.As(name)
		}
		out = append(out, e)
	}
	return out, nil
}

func parseKeys(text string) (out []any, err error) {
	for _, item := range cutAt(text, ",") {
		item = strings.TrimSpace(item)
		desc := strings.HasPrefix(item, "-")
		e, err := parseExpr(strings.TrimPrefix(item, "-"))
		if err != nil {
			return nil, err
		}
		if desc {
			out = append(out, frame.Desc(e))
		} else {
			out = append(out, frame.Asc(e))
		}
	}
	return out, nil
}

func parseExpr(text string) (frame.Expr, error) {
	tree, err := parser.ParseExpr(text)
	if err != nil {
		return frame.Expr{}, fmt.Errorf("%q is no expression: %w", strings.TrimSpace(text), err)
	}
	return translate(tree)
}

var binaryOps = map[token.Token]func(frame.Expr, any) frame.Expr{
	token.ADD: frame.Expr.Add, token.SUB: frame.Expr.Sub, token.MUL: frame.Expr.Mul, token.QUO: frame.Expr.Div, token.REM: frame.Expr.Mod,
	token.EQL: frame.Expr.Eq, token.NEQ: frame.Expr.Ne, token.LSS: frame.Expr.Lt, token.LEQ: frame.Expr.Le,
	token.GTR: frame.Expr.Gt, token.GEQ: frame.Expr.Ge, token.LAND: frame.Expr.And, token.LOR: frame.Expr.Or,
}

// translate makes an expression of a syntax tree of Go.
func translate(tree ast.Expr) (frame.Expr, error) {
	none := frame.Expr{}
	switch t := tree.(type) {
	case *ast.ParenExpr:
		return translate(t.X)
	case *ast.Ident:
		switch t.Name {
		case "true", "false":
			return frame.Lit(t.Name == "true"), nil
		case "null":
			return frame.Lit(nil), nil
		}
		return frame.Col(t.Name), nil
	case *ast.BasicLit:
		v, err := constantOf(t)
		return frame.Lit(v), err
	case *ast.UnaryExpr:
		x, err := translate(t.X)
		switch {
		case err != nil:
			return none, err
		case t.Op == token.NOT:
			return x.Not(), nil
		case t.Op == token.SUB:
			if lit, ok := t.X.(*ast.BasicLit); ok {
				v, err := constantOf(lit)
				switch v := v.(type) {
				case int64:
					return frame.Lit(-v), err
				case float64:
					return frame.Lit(-v), err
				}
			}
			return x.Neg(), nil
		}
	case *ast.BinaryExpr:
		op, ok := binaryOps[t.Op]
		if !ok {
			return none, fmt.Errorf("there is no operator %s", t.Op)
		}
		x, err := translate(t.X)
		if err != nil {
			return none, err
		}
		y, err := translate(t.Y)
		return op(x, y), err
	case *ast.CallExpr:
		name, ok := t.Fun.(*ast.Ident)
		if !ok {
			return none, fmt.Errorf("what is called has no name")
		}
		return translateCall(name.Name, t.Args)
	}
	return none, fmt.Errorf("%T is no part of an expression", tree)
}

func constantOf(t *ast.BasicLit) (any, error) {
	switch t.Kind {
	case token.INT:
		return strconv.ParseInt(t.Value, 0, 64)
	case token.FLOAT:
		return strconv.ParseFloat(t.Value, 64)
	case token.STRING:
		return strconv.Unquote(t.Value)
	}
	return nil, fmt.Errorf("%s is no constant of a table", t.Value)
}

var unaryFunctions = map[string]func(frame.Expr) frame.Expr{
	"abs": frame.Expr.Abs, "sqrt": frame.Expr.Sqrt, "exp": frame.Expr.Exp, "log": frame.Expr.Log, "floor": frame.Expr.Floor,
	"ceil":   frame.Expr.Ceil,
	"isnull": frame.Expr.IsNull, "isnan": frame.Expr.IsNaN, "len": frame.Expr.Len, "lower": frame.Expr.Lower, "upper": frame.Expr.Upper,
	"trim": frame.Expr.Trim,
	"year": frame.Expr.Year, "month": frame.Expr.Month, "day": frame.Expr.Day, "hour": frame.Expr.Hour, "minute": frame.Expr.Minute,
	"second":  frame.Expr.Second,
	"weekday": frame.Expr.Weekday, "quarter": frame.Expr.Quarter,
	"sum": agg(frame.Sum), "mean": agg(frame.Mean), "min": agg(frame.Min), "max": agg(frame.Max), "count": agg(frame.Count),
	"nunique": agg(frame.NUnique),
	"std":     agg(frame.Std), "var": agg(frame.Var), "median": agg(frame.Median), "first": agg(frame.First), "last": agg(frame.Last),
	"any": agg(frame.Any), "all": agg(frame.All),
}

func agg(f func(any) frame.Expr) func(frame.Expr) frame.Expr {
	return func(e frame.Expr) frame.Expr { return f(e) }
}

// signatures of the other functions: e is an expression, s, i and f constants.
var signatures = map[string]string{"rows": "", "col": "s", "date": "s", "quantile": "ef", "corr": "ee", "choose": "eee", "round": "ei",
	"contains": "es", "like": "es",
	"matches": "es", "truncate": "es", "offset": "eis", "replace": "ess", "substring": "eii", "split": "esi", "clip": "eee"}

func translateCall(name string, args []ast.Expr) (frame.Expr, error) {
	none := frame.Expr{}
	wants, special := signatures[name]
	unary := unaryFunctions[name]
	switch {
	case unary != nil:
		wants = "e"
	case name == "in" || name == "coalesce":
		if len(args) == 0 {
			return none, fmt.Errorf("%s has no operands", name)
		}
		wants = strings.Repeat("e", len(args))
	case !special:
		return none, fmt.Errorf("there is no function %q", name)
	}
	if len(args) != len(wants) {
		return none, fmt.Errorf("%s has %d operands, not %d", name, len(wants), len(args))
	}
	var e []frame.Expr
	var s []string
	var n []float64
	for i, a := range args {
		if wants[i] == 'e' {
			x, err := translate(a)
			if err != nil {
				return none, err
			}
			e = append(e, x)
			continue
		}
		lit, sign := a, 1.0
		if u, ok := a.(*ast.UnaryExpr); ok && u.Op == token.SUB {
			lit, sign = u.X, -1
		}
		b, ok := lit.(*ast.BasicLit)
		if !ok || (wants[i] == 's') != (b.Kind == token.STRING) || wants[i] == 'i' && b.Kind != token.INT {
			kind := map[byte]string{'s': "a string", 'i': "a whole number", 'f': "a number"}[wants[i]]
			return none, fmt.Errorf("operand %d of %s is %s", i+1, name, kind)
		}
		v, err := constantOf(b)
		switch v := v.(type) {
		case string:
			s = append(s, v)
		case int64:
			n = append(n, sign*float64(v))
		case float64:
			n = append(n, sign*v)
		}
		if err != nil {
			return none, err
		}
	}
	if unary != nil {
		return unary(e[0]), nil
	}
	return called(name, e, s, n)
}

func called(name string, e []frame.Expr, s []string, n []float64) (frame.Expr, error) {
	switch name {
	case "rows":
		return frame.Rows(), nil
	case "col":
		return frame.Col(s[0]), nil
	case "date":
		t, err := time.Parse(time.DateOnly, s[0])
		return frame.Lit(t), err
	case "quantile":
		return frame.Quantile(e[0], n[0]), nil
	case "corr":
		return frame.Corr(e[0], e[1]), nil
	case "choose":
		return frame.When(e[0]).Then(e[1]).Otherwise(e[2]), nil
	case "round":
		return e[0].Round(int(n[0])), nil
	case "contains":
		return e[0].Contains(s[0]), nil
	case "like":
		return e[0].Like(s[0]), nil
	case "matches":
		return e[0].Matches(s[0]), nil
	case "truncate":
		return e[0].Truncate(s[0]), nil
	case "offset":
		return e[0].Offset(int(n[0]), s[0]), nil
	case "replace":
		return e[0].Replace(s[0], s[1]), nil
	case "substring":
		return e[0].Substring(int(n[0]), int(n[1])), nil
	case "split":
		return e[0].Split(s[0], int(n[0])), nil
	case "clip":
		return e[0].Clip(e[1], e[2]), nil
	case "coalesce":
		return frame.Coalesce(e[0], anys(e[1:])...), nil
	}
	return e[0].IsIn(slices.Clone(anys(e[1:]))...), nil
}
