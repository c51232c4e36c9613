package lower

import (
	"math"
	"math/bits"

	"github.com/anycl/anycl/frame/column"
	"github.com/anycl/anycl/ops"
	"github.com/anycl/anycl/tensor"
)

// Arith is the arithmetic of package expr as ops.
func (l *Graph) Arith(op string, t column.Type, a, b Value) Value {
	v := Value{Type: t, OK: Both(a.OK, b.OK), Number: !t.IsFloat()}
	x, y := a.X, b.X
	switch op {
	case "add":
		v.X, v.Span = ops.Add(x, y), spanned2(a, b, addSpans)
	case "sub":
		v.X, v.Span = ops.Sub(x, y), spanned2(a, b, subSpans)
	case "mul":
		v.X, v.Span = ops.Mul(x, y), spanned2(a, b, mulSpans)
	case "div":
		v.X = ops.Div(x, y)
	case "pow":
		v.X = ops.Pow(x, y)
	case "mod":
		v.X = ops.Rem(x, y)
	case "intdiv":
		if t.IsFloat() {
			v.X = ops.Cast(ops.Trunc(ops.Div(ops.Cast(x, tensor.Float64), ops.Cast(y, tensor.Float64))), x.DType())
		} else {
			v.X = ops.TruncDivide(x, y)
		}
	}
	if (op == "mod" || op == "intdiv") && !t.IsFloat() { // null where the divisor is 0
		v.OK = Both(v.OK, ops.NotEqual(y, 0))
		v.Span = spanned2(a, b, func(a, b [2]int64) ([2]int64, bool) { return partSpan(op, a, b) })
	}
	if w := t.Width(); w < 8 {
		v.Span = within(v.Span, t)
	}
	return v
}

// spanned2 is the span of a function of two values.
func spanned2(a, b Value, f func(a, b [2]int64) ([2]int64, bool)) span {
	if a.Span == nil || b.Span == nil {
		return nil
	}
	return func() (int64, int64, bool) {
		al, am, ok := a.Span()
		if !ok {
			return 0, 0, false
		}
		bl, bm, ok := b.Span()
		if !ok {
			return 0, 0, false
		}
		s, ok := f([2]int64{al, am}, [2]int64{bl, bm})
		return s[0], s[1], ok
	}
}

// spanned1 is the span of a monotone function of one value.
func spanned1(a Value, f func(int64) int64) span {
	if a.Span == nil {
		return nil
	}
	return func() (int64, int64, bool) {
		least, most, ok := a.Span()
		if !ok {
			return 0, 0, false
		}
		return f(least), f(most), true
	}
}

// within is a span if the type holds it: else values wrap.
func within(s span, t column.Type) span {
	if s == nil || !t.IsInteger() {
		return s
	}
	return func() (int64, int64, bool) {
		least, most, ok := s()
		return least, most, ok && Fits(least, t) && Fits(most, t)
	}
}

// between is a span that is known beforehand.
func between(least, most int64) span { return func() (int64, int64, bool) { return least, most, true } }

func addSpans(a, b [2]int64) (s [2]int64, ok bool) {
	for i := range s {
		s[i] = a[i] + b[i]
		if (s[i] > a[i]) != (b[i] > 0) && b[i] != 0 {
			return s, false
		}
	}
	return s, true
}

func subSpans(a, b [2]int64) (s [2]int64, ok bool) {
	if b[0] == math.MinInt64 {
		return s, false
	}
	return addSpans(a, [2]int64{-b[1], -b[0]})
}

func mulSpans(a, b [2]int64) (s [2]int64, ok bool) {
	first := true
	for _, x := range a {
		for _, y := range b {
			hi, lo := bits.Mul64(Magnitude(x), Magnitude(y))
			if hi != 0 || lo > math.MaxInt64 {
				return s, false
			}
			p := x * y
			if first {
				s, first = [2]int64{p, p}, false
			}
			s[0], s[1] = min(s[0], p), max(s[1], p)
		}
	}
	return s, true
}

// partSpan is the span of quotients and remainders.
func partSpan(op string, a, b [2]int64) ([2]int64, bool) {
	if a[0] == math.MinInt64 || b[0] == math.MinInt64 {
		return a, false
	}
	if op == "mod" {
		most := max(-b[0], b[1], 1) - 1
		return [2]int64{max(min(a[0], 0), -most), min(max(a[1], 0), most)}, true
	}
	least := int64(1) // of the divisor's distance from 0
	if b[0] > 0 {
		least = b[0]
	} else if b[1] < 0 {
		least = -b[1]
	}
	most := max(-a[0], a[1]) / least
	if a[0] >= 0 && b[0] >= 0 {
		return [2]int64{0, most}, true
	}
	return [2]int64{-most, most}, true
}

// Magnitude is the distance from 0.
func Magnitude(v int64) uint64 {
	if v < 0 {
		return -uint64(v)
	}
	return uint64(v)
}

// Unary is a function of one number.
func (l *Graph) Unary(op string, t column.Type, a Value) Value {
	v := Value{Type: t, OK: a.OK, Number: !t.IsFloat()}
	switch op {
	case "neg":
		v.X = ops.Neg(a.X)
		v.Span = within(spanned2(Value{Span: between(0, 0)}, a, subSpans), t)
	case "abs":
		v.X = ops.Abs(a.X)
	case "sqrt":
		v.X = ops.Sqrt(a.X)
	case "exp":
		v.X = ops.Exp(a.X)
	case "log":
		v.X = ops.Log(a.X)
	case "floor":
		v.X = ops.Floor(a.X)
	default:
		v.X = ops.Ceil(a.X)
	}
	return v
}

// Round rounds halves away from 0, in float64.
func (l *Graph) Round(a Value, digits int) Value {
	scale := math.Pow10(digits)
	if scale == 0 || math.IsInf(scale, 0) {
		return a
	}
	x := ops.Cast(a.X, tensor.Float64)
	s := ops.Mul(x, scale)
	whole := ops.Trunc(s)
	far := ops.GreaterEqual(ops.Abs(ops.Sub(s, whole)), 0.5)
	near := ops.Where(far, ops.Add(whole, ops.Sign(s)), whole) // not plus 0, which makes 0 of -0
	y := ops.Where(ops.IsInf(s), x, ops.Div(near, scale))
	return Value{Type: a.Type, X: ops.Cast(y, a.X.DType()), OK: a.OK}
}

// Compare compares values of one type: NaN is equal to NaN and above every number.
func (l *Graph) Compare(op string, a, b Value) Value {
	v := boolean(nil, Both(a.OK, b.OK))
	switch op {
	case "gt":
		a, b, op = b, a, "lt"
	case "ge":
		a, b, op = b, a, "le"
	}
	switch op {
	case "eq", "ne":
		v.X = ops.Equal(a.X, b.X)
		if !a.Number && !b.Number {
			v.X = ops.Or(v.X, ops.And(ops.IsNaN(a.X), ops.IsNaN(b.X)))
		}
		if op == "ne" {
			v.X = ops.Not(v.X)
		}
	case "lt":
		v.X = ops.Less(a.X, b.X)
		if !b.Number {
			nan := ops.IsNaN(b.X)
			if !a.Number {
				nan = ops.And(nan, ops.Not(ops.IsNaN(a.X)))
			}
			v.X = ops.Or(v.X, nan)
		}
	default:
		v.X = ops.LessEqual(a.X, b.X)
		if !b.Number {
			v.X = ops.Or(v.X, ops.IsNaN(b.X))
		}
	}
	return v
}

// Number1 is a number of a dtype, which has it.
func (l *Graph) Number1(dt tensor.DType, v any) *ops.Node {
	if !dt.Valid() { // of an op that was refused, which the graph reports
		dt = tensor.Int64
	}
	t := tensor.Scalar(int64(0))
	switch v := v.(type) {
	case int:
		t = tensor.Scalar(int64(v))
	case int64:
		t = tensor.Scalar(v)
	case uint64:
		t = tensor.Scalar(v)
	case float64:
		t = tensor.Scalar(v)
	}
	return l.Ops.Const(tensor.Must(tensor.Cast(t, dt)))
}

// Fits reports whether an integer type holds a value.
func Fits(i int64, t column.Type) bool {
	if t.IsUnsigned() {
		return i >= 0 && (t.Width() == 8 || i < 1<<(8*t.Width()))
	}
	return t.Width() == 8 || i >= -1<<(8*t.Width()-1) && i < 1<<(8*t.Width()-1)
}
