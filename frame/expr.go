package frame

import (
	"fmt"
	"strings"

	"github.com/anycl/anycl/frame/column"
)

// Expr is an expression over columns: a description, which a query computes for every row, or every group. The zero Expr is a mistake that the query reports.
//
// Where a function takes any, it takes an Expr or a Go value: bool, an integer, a float, a string, time.Time, time.Duration, or nil for null.
// A value takes the type of the column beside it: 3 is an int8 beside an int8 column, and 3.5 a float32 beside a
// float32 column.
type Expr struct{ n *node }

type node struct {
	op    string
	args  []*node
	name  string      // of a column; the result's name for "as"
	value any         // of a literal, or a parameter of the op
	typ   column.Type // of a cast
	at    callers
}

// Col is the column of a name.
func Col(name string) Expr { return Expr{&node{op: "col", name: name, at: here()}} }

// Lit is a constant. A Go value is one without it wherever an expression is combined with another.
func Lit(v any) Expr { return lit(v, here()) }

func lit(v any, at callers) Expr { return Expr{&node{op: "lit", value: v, at: at}} }

// operand makes an expression of what a function was given.
func operand(v any, at callers) *node {
	switch v := v.(type) {
	case Expr:
		if v.n == nil {
			return &node{op: "zero", at: at}
		}
		return v.n
	case *node:
		return v
	}
	return &node{op: "lit", value: v, at: at}
}

// column makes an expression of what names a column or is an expression.
func columnOperand(v any, at callers) *node {
	if s, ok := v.(string); ok {
		return &node{op: "col", name: s, at: at}
	}
	return operand(v, at)
}

func (e Expr) with(op string, at callers, args ...any) Expr {
	n := &node{op: op, at: at, args: []*node{operand(e, at)}}
	for _, a := range args {
		n.args = append(n.args, operand(a, at))
	}
	return Expr{n}
}

func (e Expr) param(op string, value any, at callers) Expr {
	return Expr{&node{op: op, at: at, value: value, args: []*node{operand(e, at)}}}
}

// As gives the result a name. Without it, a column keeps its name, an aggregate has that of its operand, and other expressions that of
// their first column.
func (e Expr) As(name string) Expr {
	return Expr{&node{op: "as", name: name, args: []*node{operand(e, here())}, at: here()}}
}

// Add is the sum; of two strings the concatenation, of a time and a duration a time.
// Integers wrap, as Go's do.
func (e Expr) Add(v any) Expr { return e.with("add", here(), v) }

// Sub is the difference. Two times have a duration between them.
func (e Expr) Sub(v any) Expr { return e.with("sub", here(), v) }

// Mul is the product.
func (e Expr) Mul(v any) Expr { return e.with("mul", here(), v) }

// Div is the quotient, a float also of integers; by 0 it is an infinity or NaN, as IEEE 754 has it.
func (e Expr) Div(v any) Expr { return e.with("div", here(), v) }

// IntDiv is the quotient of integers, rounded towards 0, and null where the divisor is 0.
func (e Expr) IntDiv(v any) Expr { return e.with("intdiv", here(), v) }

// Mod is the remainder with the sign of the dividend, and of integers null where the divisor is 0.
func (e Expr) Mod(v any) Expr { return e.with("mod", here(), v) }

// Pow is e to the power of v, a float.
func (e Expr) Pow(v any) Expr { return e.with("pow", here(), v) }

// Neg is -e.
func (e Expr) Neg() Expr { return e.with("neg", here()) }

// Abs is the absolute value.
func (e Expr) Abs() Expr { return e.with("abs", here()) }

// Sqrt is the square root, a float; NaN of a negative number.
func (e Expr) Sqrt() Expr { return e.with("sqrt", here()) }

// Exp is the exponential function, a float.
func (e Expr) Exp() Expr { return e.with("exp", here()) }

// Log is the natural logarithm, a float.
func (e Expr) Log() Expr { return e.with("log", here()) }

// Floor is the greatest whole number that is not above.
func (e Expr) Floor() Expr { return e.with("floor", here()) }

// Ceil is the least whole number that is not below.
func (e Expr) Ceil() Expr { return e.with("ceil", here()) }

// Round rounds to digits after the decimal point, halves away from 0. Integers stay as they are.
func (e Expr) Round(digits int) Expr { return e.param("round", digits, here()) }

// Clip is low where e is less, high where it is greater. NaN is greater than any number.
func (e Expr) Clip(low, high any) Expr { return e.with("clip", here(), low, high) }

// Eq is whether both are equal: null where one is null. NaN equals NaN, and 0 equals -0.
func (e Expr) Eq(v any) Expr { return e.with("eq", here(), v) }

// Ne is the contrary of [Expr.Eq].
func (e Expr) Ne(v any) Expr { return e.with("ne", here(), v) }

// Lt is whether e is less. NaN is above every number, strings are compared by bytes, false is below true.
func (e Expr) Lt(v any) Expr { return e.with("lt", here(), v) }

// Le is whether e is less or equal.
func (e Expr) Le(v any) Expr { return e.with("le", here(), v) }

// Gt is whether e is greater.
func (e Expr) Gt(v any) Expr { return e.with("gt", here(), v) }

// Ge is whether e is greater or equal.
func (e Expr) Ge(v any) Expr { return e.with("ge", here(), v) }

// Between is whether low <= e and e <= high.
func (e Expr) Between(low, high any) Expr {
	at := here()
	return e.with("ge", at, low).with("and", at, e.with("le", at, high))
}

// And is SQL's: false if one is false, else null if one is null.
func (e Expr) And(v any) Expr { return e.with("and", here(), v) }

// Or is SQL's: true if one is true, else null if one is null.
func (e Expr) Or(v any) Expr { return e.with("or", here(), v) }

// Not is null for null.
func (e Expr) Not() Expr { return e.with("not", here()) }

// IsNull is whether e is null.
func (e Expr) IsNull() Expr { return e.with("isnull", here()) }

// IsNotNull is whether e is not null.
func (e Expr) IsNotNull() Expr { return e.with("isnotnull", here()) }

// IsNaN is whether e is NaN, and null for null.
func (e Expr) IsNaN() Expr { return e.with("isnan", here()) }

// FillNull is v where e is null.
func (e Expr) FillNull(v any) Expr { return e.with("coalesce", here(), v) }

// NullIf is null where e equals v.
func (e Expr) NullIf(v any) Expr { return e.with("nullif", here(), v) }

// IsIn is whether e is one of the values: null where e is null, or where it is none of them and one of them is null.
func (e Expr) IsIn(values ...any) Expr { return e.with("isin", here(), values...) }

// Coalesce is the first of the expressions that is not null.
func Coalesce(e any, others ...any) Expr {
	at := here()
	return Expr{operand(e, at)}.with("coalesce", at, others...)
}

// Cast converts to a type. A value that the type cannot hold ends the query with an error: use [Expr.TryCast]
// for null instead. A float becomes an integer by dropping its fraction.
func (e Expr) Cast(t column.Type) Expr {
	x := e.with("cast", here())
	x.n.typ = t
	return x
}

// TryCast is [Expr.Cast] with null for what the type cannot hold.
func (e Expr) TryCast(t column.Type) Expr {
	x := e.with("trycast", here())
	x.n.typ = t
	return x
}

// Conditional is a chain of conditions, as [When] begins it.
type Conditional struct {
	args []*node
	at   callers
}

// When begins a choice: When(c).Then(x).When(d).Then(y).Otherwise(z).
func When(condition Expr) *Pending {
	return &Pending{Conditional{at: here()}, condition}
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
	return Expr{&node{op: "when", at: c.at, args: append(c.args[:len(c.args):len(c.args)], operand(v, c.at))}}
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

var infix = map[string]string{"add": "+", "sub": "-", "mul": "*", "div": "/", "intdiv": "//", "mod": "%", "eq": "=", "ne": "<>",
	"lt": "<", "le": "<=", "gt": ">", "ge": ">=", "and": "and", "or": "or"}

func (n *node) String() string {
	switch n.op {
	case "col":
		return n.name
	case "lit":
		switch v := n.value.(type) {
		case string:
			return fmt.Sprintf("%q", v)
		case nil:
			return "null"
		}
		return fmt.Sprint(n.value)
	case "as":
		return n.args[0].String() + " as " + n.name
	case "cast", "trycast":
		return n.op + "(" + n.args[0].String() + " as " + n.typ.String() + ")"
	}
	var args []string
	for _, a := range n.args {
		args = append(args, a.String())
	}
	if s, ok := infix[n.op]; ok && len(args) == 2 {
		return "(" + args[0] + " " + s + " " + args[1] + ")"
	}
	if n.value != nil {
		args = append(args, fmt.Sprint(n.value))
	}
	return n.op + "(" + strings.Join(args, ", ") + ")"
}

// label is the name of the result.
func (n *node) label() string {
	switch n.op {
	case "as", "col":
		return n.name
	}
	for _, a := range n.args {
		if l := a.label(); l != "" {
			return l
		}
	}
	if n.op == "lit" {
		return ""
	}
	return n.op
}
