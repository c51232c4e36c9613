package frame

import (
	"math"
	"math/bits"

	"github.com/anycl/anycl/frame/column"
	"github.com/anycl/anycl/ops"
	"github.com/anycl/anycl/tensor"
)

// arith is what [kernels].arith computes.
func (l *lowering) arith(op string, t column.Type, a, b value) value {
	v := value{typ: t, ok: both(a.ok, b.ok), number: !t.IsFloat()}
	x, y := a.x, b.x
	switch op {
	case "add":
		v.x, v.span = ops.Add(x, y), spanned2(a, b, addSpans)
	case "sub":
		v.x, v.span = ops.Sub(x, y), spanned2(a, b, subSpans)
	case "mul":
		v.x, v.span = ops.Mul(x, y), spanned2(a, b, mulSpans)
	case "div":
		v.x = ops.Div(x, y)
	case "pow":
		v.x = ops.Pow(x, y)
	case "mod":
		v.x = ops.Rem(x, y)
	case "intdiv":
		if t.IsFloat() {
			v.x = ops.Cast(ops.Trunc(ops.Div(ops.Cast(x, tensor.Float64), ops.Cast(y, tensor.Float64))), x.DType())
		} else {
			v.x = ops.TruncDivide(x, y)
		}
	}
	if (op == "mod" || op == "intdiv") && !t.IsFloat() { // null where the divisor is 0
		v.ok = both(v.ok, ops.NotEqual(y, 0))
		v.span = spanned2(a, b, func(a, b [2]int64) ([2]int64, bool) { return partSpan(op, a, b) })
	}
	if w := t.Width(); w < 8 {
		v.span = within(v.span, t)
	}
	return v
}

// spanned2 is the span of a function of two values.
func spanned2(a, b value, f func(a, b [2]int64) ([2]int64, bool)) span {
	if a.span == nil || b.span == nil {
		return nil
	}
	return func() (int64, int64, bool) {
		al, am, ok := a.span()
		if !ok {
			return 0, 0, false
		}
		bl, bm, ok := b.span()
		if !ok {
			return 0, 0, false
		}
		s, ok := f([2]int64{al, am}, [2]int64{bl, bm})
		return s[0], s[1], ok
	}
}

// spanned1 is the span of a monotone function of one value.
func spanned1(a value, f func(int64) int64) span {
	if a.span == nil {
		return nil
	}
	return func() (int64, int64, bool) {
		least, most, ok := a.span()
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
		return least, most, ok && fits(least, t) && fits(most, t)
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
			hi, lo := bits.Mul64(magnitude(x), magnitude(y))
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

// magnitude is the distance from 0.
func magnitude(v int64) uint64 {
	if v < 0 {
		return -uint64(v)
	}
	return uint64(v)
}

func (l *lowering) unary(op string, t column.Type, a value) value {
	v := value{typ: t, ok: a.ok, number: !t.IsFloat()}
	switch op {
	case "neg":
		v.x = ops.Neg(a.x)
		v.span = within(spanned2(value{span: between(0, 0)}, a, subSpans), t)
	case "abs":
		v.x = ops.Abs(a.x)
	case "sqrt":
		v.x = ops.Sqrt(a.x)
	case "exp":
		v.x = ops.Exp(a.x)
	case "log":
		v.x = ops.Log(a.x)
	case "floor":
		v.x = ops.Floor(a.x)
	default:
		v.x = ops.Ceil(a.x)
	}
	return v
}

// round rounds halves away from 0, in float64.
func (l *lowering) round(a value, digits int) value {
	scale := math.Pow10(digits)
	if scale == 0 || math.IsInf(scale, 0) {
		return a
	}
	x := ops.Cast(a.x, tensor.Float64)
	s := ops.Mul(x, scale)
	whole := ops.Trunc(s)
	away := ops.Where(ops.GreaterEqual(ops.Abs(ops.Sub(s, whole)), 0.5), ops.Sign(s), 0)
	y := ops.Where(ops.IsInf(s), x, ops.Div(ops.Add(whole, away), scale))
	return value{typ: a.typ, x: ops.Cast(y, a.x.DType()), ok: a.ok}
}

// compare compares values of one type: NaN is equal to NaN and above every number.
func (l *lowering) compare(op string, a, b value) value {
	v := boolean(nil, both(a.ok, b.ok))
	switch op {
	case "gt":
		a, b, op = b, a, "lt"
	case "ge":
		a, b, op = b, a, "le"
	}
	switch op {
	case "eq", "ne":
		v.x = ops.Equal(a.x, b.x)
		if !a.number && !b.number {
			v.x = ops.Or(v.x, ops.And(ops.IsNaN(a.x), ops.IsNaN(b.x)))
		}
		if op == "ne" {
			v.x = ops.Not(v.x)
		}
	case "lt":
		v.x = ops.Less(a.x, b.x)
		if !b.number {
			nan := ops.IsNaN(b.x)
			if !a.number {
				nan = ops.And(nan, ops.Not(ops.IsNaN(a.x)))
			}
			v.x = ops.Or(v.x, nan)
		}
	default:
		v.x = ops.LessEqual(a.x, b.x)
		if !b.number {
			v.x = ops.Or(v.x, ops.IsNaN(b.x))
		}
	}
	return v
}
