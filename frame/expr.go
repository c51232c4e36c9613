package frame

import (
	"github.com/anycl/anycl/frame/column"
	"github.com/anycl/anycl/frame/internal/expr"
)

// Expr is an expression over columns: a description, which a query computes for every row, or every group. The zero Expr is a mistake that
// the query reports.
//
// Where a function takes any, it takes an Expr or a Go value: bool, an integer, a float, a string, time.Time, time.Duration, or nil for
// null. A value takes the type of the column beside it: 3 is an int8 beside an int8 column, and 3.5 a float32 beside a
// float32 column.
type Expr struct{ n *expr.Node }

// Col is the column of a name.
func Col(name string) Expr { return Expr{&expr.Node{Op: "col", Name: name, At: expr.Here()}} }

// Lit is a constant. A Go value is one without it wherever an expression is combined with another.
func Lit(v any) Expr { return lit(v, expr.Here()) }

func lit(v any, at expr.Callers) Expr { return Expr{&expr.Node{Op: "lit", Value: v, At: at}} }

// operand makes an expression of an argument of a function.
func operand(v any, at expr.Callers) *expr.Node {
	switch v := v.(type) {
	case Expr:
		if v.n == nil {
			return &expr.Node{Op: "zero", At: at}
		}
		return v.n
	case *expr.Node:
		return v
	}
	return &expr.Node{Op: "lit", Value: v, At: at}
}

// columnOperand makes an expression of a column's name or of an expression.
func columnOperand(v any, at expr.Callers) *expr.Node {
	if s, ok := v.(string); ok {
		return &expr.Node{Op: "col", Name: s, At: at}
	}
	return operand(v, at)
}

func (e Expr) with(op string, at expr.Callers, args ...any) Expr {
	n := &expr.Node{Op: op, At: at, Args: []*expr.Node{operand(e, at)}}
	for _, a := range args {
		n.Args = append(n.Args, operand(a, at))
	}
	return Expr{n}
}

func (e Expr) param(op string, value any, at expr.Callers) Expr {
	return Expr{&expr.Node{Op: op, At: at, Value: value, Args: []*expr.Node{operand(e, at)}}}
}

// As gives the result a name. Without it, a column keeps its name, an aggregate has that of its operand, and other expressions that of
// their first column.
func (e Expr) As(name string) Expr {
	return Expr{&expr.Node{Op: "as", Name: name, Args: []*expr.Node{operand(e, expr.Here())}, At: expr.Here()}}
}

// Add is the sum; of two strings the concatenation, of a time and a duration a time.
// Integers wrap, as Go's do.
func (e Expr) Add(v any) Expr { return e.with("add", expr.Here(), v) }

// Sub is the difference. Two times have a duration between them.
func (e Expr) Sub(v any) Expr { return e.with("sub", expr.Here(), v) }

// Mul is the product.
func (e Expr) Mul(v any) Expr { return e.with("mul", expr.Here(), v) }

// Div is the quotient, a float also of integers; by 0 it is an infinity or NaN, as IEEE 754 has it.
func (e Expr) Div(v any) Expr { return e.with("div", expr.Here(), v) }

// IntDiv is the quotient of integers, rounded towards 0, and null where the divisor is 0.
func (e Expr) IntDiv(v any) Expr { return e.with("intdiv", expr.Here(), v) }

// Mod is the remainder with the sign of the dividend, and of integers null where the divisor is 0.
func (e Expr) Mod(v any) Expr { return e.with("mod", expr.Here(), v) }

// Pow is e to the power of v, a float.
func (e Expr) Pow(v any) Expr { return e.with("pow", expr.Here(), v) }

// Neg is -e.
func (e Expr) Neg() Expr { return e.with("neg", expr.Here()) }

// Abs is the absolute value.
func (e Expr) Abs() Expr { return e.with("abs", expr.Here()) }

// Sqrt is the square root, a float; NaN of a negative number.
func (e Expr) Sqrt() Expr { return e.with("sqrt", expr.Here()) }

// Exp is the exponential function, a float.
func (e Expr) Exp() Expr { return e.with("exp", expr.Here()) }

// Log is the natural logarithm, a float.
func (e Expr) Log() Expr { return e.with("log", expr.Here()) }

// Floor is the greatest whole number that is not above.
func (e Expr) Floor() Expr { return e.with("floor", expr.Here()) }

// Ceil is the least whole number that is not below.
func (e Expr) Ceil() Expr { return e.with("ceil", expr.Here()) }

// Round rounds to digits after the decimal point, halves away from 0. Integers stay as they are.
func (e Expr) Round(digits int) Expr { return e.param("round", digits, expr.Here()) }

// Clip is low where e is less, high where it is greater. NaN is greater than any number.
func (e Expr) Clip(low, high any) Expr { return e.with("clip", expr.Here(), low, high) }

// Eq is whether both are equal: null where one is null. NaN equals NaN, and 0 equals -0.
func (e Expr) Eq(v any) Expr { return e.with("eq", expr.Here(), v) }

// Ne is the contrary of [Expr.Eq].
func (e Expr) Ne(v any) Expr { return e.with("ne", expr.Here(), v) }

// Lt is whether e is less. NaN is above every number, strings are compared by bytes, false is below true.
func (e Expr) Lt(v any) Expr { return e.with("lt", expr.Here(), v) }

// Le is whether e is less or equal.
func (e Expr) Le(v any) Expr { return e.with("le", expr.Here(), v) }

// Gt is whether e is greater.
func (e Expr) Gt(v any) Expr { return e.with("gt", expr.Here(), v) }

// Ge is whether e is greater or equal.
func (e Expr) Ge(v any) Expr { return e.with("ge", expr.Here(), v) }

// Between is whether low <= e and e <= high.
func (e Expr) Between(low, high any) Expr {
	at := expr.Here()
	return e.with("ge", at, low).with("and", at, e.with("le", at, high))
}

// And is SQL's: false if one is false, else null if one is null.
func (e Expr) And(v any) Expr { return e.with("and", expr.Here(), v) }

// Or is SQL's: true if one is true, else null if one is null.
func (e Expr) Or(v any) Expr { return e.with("or", expr.Here(), v) }

// Not is null for null.
func (e Expr) Not() Expr { return e.with("not", expr.Here()) }

// IsNull is whether e is null.
func (e Expr) IsNull() Expr { return e.with("isnull", expr.Here()) }

// IsNotNull is whether e is not null.
func (e Expr) IsNotNull() Expr { return e.with("isnotnull", expr.Here()) }

// IsNaN is whether e is NaN, and null for null.
func (e Expr) IsNaN() Expr { return e.with("isnan", expr.Here()) }

// FillNull is v where e is null.
func (e Expr) FillNull(v any) Expr { return e.with("coalesce", expr.Here(), v) }

// NullIf is null where e equals v.
func (e Expr) NullIf(v any) Expr { return e.with("nullif", expr.Here(), v) }

// IsIn is whether e is one of the values: null where e is null, or where it is none of them and one of them is null.
func (e Expr) IsIn(values ...any) Expr { return e.with("isin", expr.Here(), values...) }

// Coalesce is the first of the expressions that is not null.
func Coalesce(e any, others ...any) Expr {
	at := expr.Here()
	return Expr{operand(e, at)}.with("coalesce", at, others...)
}

// Cast converts to a type. A value that the type cannot hold ends the query with an error: use [Expr.TryCast]
// for null instead. A float becomes an integer by dropping its fraction.
func (e Expr) Cast(t column.Type) Expr {
	x := e.with("cast", expr.Here())
	x.n.Type = t
	return x
}

// TryCast is [Expr.Cast] with null for values that the type cannot hold.
func (e Expr) TryCast(t column.Type) Expr {
	x := e.with("trycast", expr.Here())
	x.n.Type = t
	return x
}

// Conditional is a chain of conditions, as [When] begins it.
type Conditional struct {
	args []*expr.Node
	at   expr.Callers
}

// When begins a choice: When(c).Then(x).When(d).Then(y).Otherwise(z).
func When(condition Expr) *Pending {
	return &Pending{Conditional{at: expr.Here()}, condition}
}

// Pending is a condition that waits for its value.
type Pending struct {
	c    Conditional
	cond Expr
}

// Then gives the value for the rows where the condition is true.
func (p *Pending) Then(v any) Conditional {
	c := p.c
	c.args = append(c.args[:len(c.args):len(c.args)], operand(p.cond, c.at), operand(v, c.at))
	return c
}

// When adds a condition for the rows for which none before was true.
func (c Conditional) When(condition Expr) *Pending { return &Pending{c, condition} }

// Otherwise gives the value for the other rows.
func (c Conditional) Otherwise(v any) Expr {
	return Expr{&expr.Node{Op: "when", At: c.at, Args: append(c.args[:len(c.args):len(c.args)], operand(v, c.at))}}
}

// End is Otherwise(nil).
func (c Conditional) End() Expr { return c.Otherwise(nil) }

// String returns the expression as it is printed in plans.
func (e Expr) String() string {
	if e.n == nil {
		return "?"
	}
	return e.n.String()
}
