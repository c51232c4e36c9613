package export

import (
	"math"
	"strconv"
	"strings"

	"github.com/anycl/anycl/onnx/internal/formula"
	"github.com/anycl/anycl/tensor"
)

// literal is a number of a text.
func (w *writer) literal(n *formula.Number) scalar {
	t := strings.ToLower(n.Text)
	if n.Real() {
		f, err := strconv.ParseFloat(strings.TrimSuffix(t, "f"), 64)
		if err != nil {
			panic(unwritten("the number " + n.Text))
		}
		return number(f, w.real)
	}
	digits := strings.TrimRight(t, "ul")
	dt := tensor.Int32
	switch suffix := t[len(digits):]; {
	case strings.Contains(suffix, "u") && strings.Contains(suffix, "l"):
		dt = tensor.Uint64
	case strings.Contains(suffix, "l"):
		dt = tensor.Int64
	case strings.Contains(suffix, "u"):
		dt = tensor.Uint32
	}
	i, err := strconv.ParseInt(digits, 0, 64)
	if err != nil {
		panic(unwritten("the number " + n.Text))
	}
	if dt == tensor.Int32 && i > math.MaxInt32 {
		dt = tensor.Int64
	}
	return whole(i, dt)
}

// cast is s in another type, as in C.
func (w *writer) cast(s scalar, to tensor.DType) scalar {
	switch {
	case s.dt == to:
		return s
	case to == tensor.Bool:
		return w.truth(s)
	case !s.known && s.dt.IsFloat() && to.IsInt():
		return symbol(w.c.saturated(s.v, to), to)
	case !s.known:
		return symbol(w.c.cast(s.v, to), to)
	case to.IsFloat() && s.dt.IsFloat():
		return number(s.f, to)
	case to.IsFloat():
		return number(float64(s.i), to)
	case s.dt.IsFloat():
		return whole(int64(s.f), to)
	}
	return whole(s.i, to)
}

// truth is whether s is not 0.
func (w *writer) truth(s scalar) scalar {
	switch {
	case s.dt == tensor.Bool:
		return s
	case s.known && s.dt.IsFloat():
		return truth(s.f != 0)
	case s.known:
		return truth(s.i != 0)
	}
	return symbol(w.op("Not", w.op("Equal", s.v, w.c.like(s.v, 0))), tensor.Bool)
}

func (w *writer) not(s scalar) scalar {
	if s = w.truth(s); s.known {
		return truth(s.i == 0)
	}
	return symbol(w.op("Not", s.v), tensor.Bool)
}

func (w *writer) and(a, b scalar) scalar {
	switch a, b = w.truth(a), w.truth(b); {
	case a.is(0) || b.is(1):
		return a
	case b.is(0) || a.is(1):
		return b
	}
	return symbol(w.op("And", a.v, b.v), tensor.Bool)
}

func (w *writer) or(a, b scalar) scalar {
	switch a, b = w.truth(a), w.truth(b); {
	case a.is(1) || b.is(0):
		return a
	case b.is(1) || a.is(0):
		return b
	}
	return symbol(w.op("Or", a.v, b.v), tensor.Bool)
}

// where is a where cond holds, else b.
func (w *writer) where(cond, a, b scalar) scalar {
	switch {
	case !b.dt.Valid():
		return a
	case cond.is(1):
		return a
	case cond.is(0):
		return b
	case a == b:
		return a
	}
	a, b = w.common(a, b)
	return symbol(w.c.choose(cond.v, w.name(a), w.name(b)), a.dt)
}

// common brings two operands to the type in which C computes with them.
func (w *writer) common(a, b scalar) (scalar, scalar) {
	to := wider(promoted(a.dt), promoted(b.dt))
	if a.dt == b.dt && a.dt == tensor.Bool {
		to = tensor.Bool
	}
	return w.cast(a, to), w.cast(b, to)
}

// promoted is the type in which C computes with one that may be narrower than int.
func promoted(dt tensor.DType) tensor.DType {
	if !dt.IsFloat() && dt.Size() < 4 {
		return tensor.Int32
	}
	return dt
}

func wider(a, b tensor.DType) tensor.DType {
	for _, dt := range []tensor.DType{tensor.Float64, tensor.Float32, tensor.Uint64, tensor.Int64, tensor.Uint32} {
		if a == dt || b == dt {
			return dt
		}
	}
	return tensor.Int32
}

// binary is an operator between two values.
func (w *writer) binary(op string, a, b scalar) scalar {
	switch op {
	case "&&":
		return w.and(a, b)
	case "||":
		return w.or(a, b)
	case "&", "|":
		if a.dt == tensor.Bool && b.dt == tensor.Bool {
			return map[string]func(a, b scalar) scalar{"&": w.and, "|": w.or}[op](a, b)
		}
	}
	a, b = w.common(a, b)
	if a.dt == tensor.Bool { // only comparisons are left as bools
		a, b = w.cast(a, tensor.Int32), w.cast(b, tensor.Int32)
	}
	if a.known && b.known {
		if v, ok := folded(op, a, b); ok {
			return v
		}
	}
	return w.emitted(op, a, b)
}

// emitted is a binary operator of which something is not known.
func (w *writer) emitted(op string, a, b scalar) scalar {
	switch {
	case op == "*" && (a.equals(1) || a.is(1)):
		return b
	case op == "*" && (b.equals(1) || b.is(1)), op == "/" && (b.equals(1) || b.is(1)):
		return a
	case (op == "+" || op == "-") && b.is(0):
		return a
	}
	x, y := w.name(a), w.name(b)
	switch op {
	case "+":
		return symbol(w.op("Add", x, y), a.dt)
	case "-":
		return symbol(w.op("Sub", x, y), a.dt)
	case "*":
		return symbol(w.op("Mul", x, y), a.dt)
	case "/", "%":
		return w.divided(op, a, b)
	case "<":
		return symbol(w.op("Less", x, y), tensor.Bool)
	case ">":
		return symbol(w.op("Greater", x, y), tensor.Bool)
	case "<=":
		return symbol(w.op("LessOrEqual", x, y), tensor.Bool)
	case ">=":
		return symbol(w.op("GreaterOrEqual", x, y), tensor.Bool)
	case "==":
		return symbol(w.op("Equal", x, y), tensor.Bool)
	case "!=":
		return symbol(w.op("Not", w.op("Equal", x, y)), tensor.Bool)
	case "&":
		return symbol(w.op("BitwiseAnd", x, y), a.dt)
	case "|":
		return symbol(w.op("BitwiseOr", x, y), a.dt)
	case "^":
		return symbol(w.op("BitwiseXor", x, y), a.dt)
	case ">>", "<<":
		if b.known && b.i >= 0 && b.i < 31 { // by a power of two, which is exact
			p := whole(1<<b.i, a.dt)
			if op == "<<" {
				return w.binary("*", a, p)
			}
			rest := w.op("Mod", x, w.name(p))
			return symbol(w.op("Div", w.op("Sub", x, rest), w.name(p)), a.dt)
		}
	}
	panic(unwritten("the operator " + op))
}

// divided is a quotient or remainder. Integers are never divided by 0, which would be an error also of an element that does not count.
func (w *writer) divided(op string, a, b scalar) scalar {
	x, y := w.name(a), w.name(b)
	if a.dt.IsFloat() && op == "/" {
		return symbol(w.op("Div", x, y), a.dt)
	}
	if a.dt.IsFloat() {
		panic(unwritten("the operator %"))
	}
	if !b.known {
		y = w.c.choose(w.op("Equal", y, w.c.like(y, 0)), w.c.like(y, 1), y)
	}
	q := w.op("Div", x, y)
	if op == "/" {
		return symbol(q, a.dt)
	}
	return symbol(w.op("Sub", x, w.op("Mul", q, y)), a.dt)
}

// folded computes an operator of two numbers that are known.
func folded(op string, a, b scalar) (scalar, bool) {
	if a.dt.IsFloat() {
		x, y := a.f, b.f
		switch op {
		case "+":
			return number(x+y, a.dt), true
		case "-":
			return number(x-y, a.dt), true
		case "*":
			return number(x*y, a.dt), true
		case "/":
			return number(x/y, a.dt), true
		}
		return compared(op, x < y, x == y, x > y)
	}
	x, y := a.i, b.i
	switch op {
	case "+":
		return whole(x+y, a.dt), true
	case "-":
		return whole(x-y, a.dt), a.dt.IsSigned()
	case "*":
		return whole(x*y, a.dt), true
	case "/":
		return whole(x/max(y, 1), a.dt), y > 0
	case "%":
		return whole(x%max(y, 1), a.dt), y > 0
	case "&":
		return whole(x&y, a.dt), true
	case "|":
		return whole(x|y, a.dt), true
	case ">>":
		return whole(x>>uint(y&63), a.dt), y >= 0
	case "<<":
		return whole(x<<uint(y&63), a.dt), y >= 0
	}
	return compared(op, x < y, x == y, x > y)
}

func compared(op string, less, equal, more bool) (scalar, bool) {
	switch op {
	case "<":
		return truth(less), true
	case ">":
		return truth(more), true
	case "<=":
		return truth(less || equal), true
	case ">=":
		return truth(more || equal), true
	case "==":
		return truth(equal), true
	case "!=":
		return truth(!equal), true
	}
	return scalar{}, false
}
