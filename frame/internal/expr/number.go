package expr

import (
	"fmt"
	"math"

	"github.com/anycl/anycl/frame/column"
	"github.com/anycl/anycl/frame/internal/lower"
)

// Number lists the types of numbers.
type Number interface {
	~int8 | ~int16 | ~int32 | ~int64 | ~uint8 | ~uint16 | ~uint32 | ~uint64 | ~float32 | ~float64
}

// kernels are the loops over values of one type.
type kernels struct {
	arith   func(m *Morsel, op string, t column.Type, a, b *column.Column) *column.Column
	compare func(m *Morsel, op string, a, b *column.Column) *column.Column
	unary   func(m *Morsel, op string, a *column.Column) *column.Column
	choose  func(m *Morsel, t column.Type, cond column.Bitmap, a, b *column.Column) []byte
	Widen   func(m *Morsel, a *column.Column) (i []int64, u []uint64, f []float64)
	narrow  func(m *Morsel, t column.Type, i []int64, u []uint64, f []float64, valid column.Bitmap) (*column.Column, column.Bitmap)
}

func kernelsOf[T Number]() kernels {
	return kernels{arithOf[T], compareOf[T], unaryOf[T], chooseOf[T], widenOf[T], narrowOf[T]}
}

// KernelsFor returns the loops over values of a type.
func KernelsFor(t column.Type) kernels {
	switch t.Kind {
	case column.Int8:
		return kernelsOf[int8]()
	case column.Int16:
		return kernelsOf[int16]()
	case column.Int32, column.Date32, column.Dictionary:
		return kernelsOf[int32]()
	case column.Int64, column.Timestamp, column.Duration:
		return kernelsOf[int64]()
	case column.Uint8:
		return kernelsOf[uint8]()
	case column.Uint16:
		return kernelsOf[uint16]()
	case column.Uint32:
		return kernelsOf[uint32]()
	case column.Uint64:
		return kernelsOf[uint64]()
	case column.Float32:
		return kernelsOf[float32]()
	}
	return kernelsOf[float64]()
}

func isFloat[T Number]() bool { return T(1)/T(2) != 0 }

func arithOf[T Number](m *Morsel, op string, t column.Type, a, b *column.Column) *column.Column {
	if c := anyNull(t, a, b); c != nil {
		return c
	}
	n := length(m, a, b)
	x, y, out := column.Values[T](a), column.Values[T](b), scratch[T](m, n)
	valid := bothValid(n, a, b)
	switch op {
	case "add":
		switch {
		case len(x) == n && len(y) == n:
			for i, v := range x {
				out[i] = v + y[i]
			}
		case len(y) == n:
			for i, v := range y {
				out[i] = x[0] + v
			}
		default:
			for i, v := range x {
				out[i] = v + y[0]
			}
		}
	case "sub":
		switch {
		case len(x) == n && len(y) == n:
			for i, v := range x {
				out[i] = v - y[i]
			}
		case len(y) == n:
			for i, v := range y {
				out[i] = x[0] - v
			}
		default:
			for i, v := range x {
				out[i] = v - y[0]
			}
		}
	case "mul":
		switch {
		case len(x) == n && len(y) == n:
			for i, v := range x {
				out[i] = v * y[i]
			}
		case len(y) == n:
			for i, v := range y {
				out[i] = x[0] * v
			}
		default:
			for i, v := range x {
				out[i] = v * y[0]
			}
		}
	case "div": // of floats
		switch {
		case len(x) == n && len(y) == n:
			for i, v := range x {
				out[i] = v / y[i]
			}
		case len(y) == n:
			for i, v := range y {
				out[i] = x[0] / v
			}
		default:
			for i, v := range x {
				out[i] = v / y[0]
			}
		}
	default:
		x, y = stretch(m, x, n), stretch(m, y, n)
		valid = divide(m, op, out, x, y, valid)
	}
	return column.FixedOf(t, out, valid)
}

func stretch[T any](m *Morsel, v []T, n int) []T {
	if len(v) == n {
		return v
	}
	s := scratch[T](m, n)
	for i := range s {
		s[i] = v[0]
	}
	return s
}

// divide computes quotients and remainders of integers, null where the divisor is 0, and of floats remainders and powers.
func divide[T Number](m *Morsel, op string, out, x, y []T, valid column.Bitmap) column.Bitmap {
	switch {
	case op == "pow":
		for i, v := range x {
			out[i] = T(math.Pow(float64(v), float64(y[i])))
		}
		return valid
	case isFloat[T]() && op == "mod":
		for i, v := range x {
			out[i] = T(math.Mod(float64(v), float64(y[i])))
		}
		return valid
	case isFloat[T]():
		for i, v := range x {
			out[i] = T(math.Trunc(float64(v) / float64(y[i])))
		}
		return valid
	}
	zero := false
	for i, v := range x {
		d := y[i]
		if d == 0 {
			zero, d = true, 1
		}
		q := v / d
		if op == "mod" {
			q = v - q*d
		}
		out[i] = q
	}
	if !zero {
		return valid
	}
	b := m.bitmap(len(out))
	for i, d := range y {
		b.Set(i, d != 0)
	}
	return column.And(b, valid)
}

func compareOf[T Number](m *Morsel, op string, a, b *column.Column) *column.Column {
	if c := anyNull(column.Bool.Of(), a, b); c != nil {
		return c
	}
	n := length(m, a, b)
	x, y := column.Values[T](a), column.Values[T](b)
	if len(x) == 1 && n > 1 { // the constant to the right
		op = map[string]string{"eq": "eq", "ne": "ne", "lt": "gt", "le": "ge", "gt": "lt", "ge": "le"}[op]
		x, y = y, x
	}
	out := m.bitmap(n)
	negate := op == "ne" || op == "gt" || op == "ge"
	op = map[string]string{"ne": "eq", "gt": "le", "ge": "lt"}[op] + map[string]string{"eq": "eq", "lt": "lt", "le": "le"}[op]
	flip := uint64(0)
	if negate {
		flip = ^uint64(0)
	}
	for k := range out.Words() {
		lo, hi := 64*k, min(64*k+64, n)
		var w uint64
		if len(y) == n {
			w = compareWord(op, x[lo:hi], y[lo:hi])
		} else {
			w = compareWith(op, x[lo:hi], y[0])
		}
		out.SetWord(k, w^flip)
	}
	c, _ := column.Bools(out, bothValid(n, a, b))
	return c
}

func bit(b bool) uint64 {
	if b {
		return 1
	}
	return 0
}

// compareWord compares up to 64 pairs. For floats, NaN is equal to NaN and above all other numbers.
func compareWord[T Number](op string, x, y []T) (w uint64) {
	y = y[:len(x)]
	switch op {
	case "eq":
		for i, v := range x {
			w |= bit(v == y[i] || v != v && y[i] != y[i]) << i
		}
	case "lt":
		for i, v := range x {
			w |= bit(v < y[i] || v == v && y[i] != y[i]) << i
		}
	default:
		for i, v := range x {
			w |= bit(v <= y[i] || y[i] != y[i]) << i
		}
	}
	return w
}

func compareWith[T Number](op string, x []T, y T) (w uint64) {
	if y != y {
		var all [64]T
		for i := range all {
			all[i] = y
		}
		return compareWord(op, x, all[:len(x)])
	}
	switch op {
	case "eq":
		for i, v := range x {
			w |= bit(v == y) << i
		}
	case "lt":
		for i, v := range x {
			w |= bit(v < y) << i
		}
	default:
		for i, v := range x {
			w |= bit(v <= y) << i
		}
	}
	return w
}

func unaryOf[T Number](m *Morsel, op string, a *column.Column) *column.Column {
	x := column.Values[T](a)
	out := scratch[T](m, len(x))
	switch op {
	case "neg":
		for i, v := range x {
			out[i] = -v
		}
	case "abs":
		for i, v := range x {
			if v < 0 {
				v = -v
			}
			out[i] = v
		}
		if isFloat[T]() {
			for i, v := range x {
				out[i] = T(math.Abs(float64(v)))
			}
		}
	default:
		f := map[string]func(float64) float64{"sqrt": math.Sqrt, "exp": math.Exp, "log": math.Log, "floor": math.Floor, "ceil": math.Ceil}[op]
		for i, v := range x {
			out[i] = T(f(float64(v)))
		}
	}
	return column.FixedOf(a.Type(), out, a.Validity())
}

// chooseOf takes a where cond is 1 and b elsewhere; one value stands for all.
func chooseOf[T Number](m *Morsel, t column.Type, cond column.Bitmap, a, b *column.Column) []byte {
	n := cond.Len()
	x, y := stretch(m, column.Values[T](a), n), stretch(m, column.Values[T](b), n)
	out := scratch[T](m, n)
	copy(out, y)
	for k := range cond.Words() {
		w := cond.Word(k)
		lo, hi := 64*k, min(64*k+64, n)
		switch w {
		case 0:
		case ^uint64(0):
			copy(out[lo:hi], x[lo:hi])
		default:
			for i := lo; i < hi; i++ {
				if w>>(i-lo)&1 != 0 {
					out[i] = x[i]
				}
			}
		}
	}
	return column.FixedOf(t, out, column.Bitmap{}).Data()
}

func (b *Binder) arithmetic(n *Node, hint column.Type) (Bound, error) {
	if n.Op == "div" || n.Op == "pow" {
		hint = column.Type{}
	}
	l, r := n.Args[0], n.Args[1]
	if !isLiteral(l) || !isLiteral(r) {
		// Times and durations have no type in common, so each operand is looked at by itself.
		first, second := l, r
		if isLiteral(l) {
			first, second = r, l
		}
		x, err := b.BindAs(first, hint)
		if err != nil {
			return x, err
		}
		if x.Type.IsTemporal() || !isLiteral(second) || isTime(second) {
			y, err := b.BindAs(second, timeHint(n.Op, x.Type))
			if err != nil {
				return y, err
			}
			if x.Type.IsTemporal() || y.Type.IsTemporal() {
				if first == r {
					x, y = y, x
				}
				return timeArithmetic(n.Op, x, y)
			}
		}
	}
	x, y, err := b.pair(l, r, hint)
	if err != nil {
		return x, err
	}
	t := x.Type
	switch {
	case t.IsString() && n.Op == "add":
		return concatStrings([]Bound{x, y}), nil
	case t.Kind == column.Bool || !t.IsNumeric() && t.Kind != column.Decimal128:
		return x, fmt.Errorf("%s is no number", t)
	case t.Kind == column.Decimal128 && x.Type == y.Type && (n.Op == "add" || n.Op == "sub"):
		return decimalSum(n.Op, x, y), nil
	}
	if (n.Op == "div" || n.Op == "pow") && !t.IsFloat() || t.Kind == column.Decimal128 {
		t = column.Float64.Of()
		if x, err = CastTo(x, t, true); err != nil {
			return x, err
		}
		if y, err = CastTo(y, t, true); err != nil {
			return y, err
		}
	}
	k := KernelsFor(t)
	return binary(t, x, y, func(m *Morsel, a, c *column.Column) (*column.Column, error) {
		return k.arith(m, n.Op, t, a, c), nil
	}).on(func(l *Lowering, v []lower.Value) (lower.Value, error) { return l.Arith(n.Op, t, v[0], v[1]), nil }, x, y), nil
}

// binary returns a function of two expressions.
func binary(t column.Type, x, y Bound, f func(m *Morsel, a, b *column.Column) (*column.Column, error)) Bound {
	e := Bound{Type: t, Constant: x.Constant && y.Constant, Column: -1, Eval: func(m *Morsel) (*column.Column, error) {
		a, err := x.Eval(m)
		if err != nil {
			return nil, err
		}
		b, err := y.Eval(m)
		if err != nil {
			return nil, err
		}
		return f(m, a, b)
	}}
	return e.using(x, y)
}

func single(t column.Type, x Bound, f func(m *Morsel, a *column.Column) (*column.Column, error)) Bound {
	e := Bound{Type: t, Constant: x.Constant, Column: -1, Eval: func(m *Morsel) (*column.Column, error) {
		a, err := x.Eval(m)
		if err != nil {
			return nil, err
		}
		return f(m, a)
	}}
	return e.using(x)
}

func (b *Binder) unary(n *Node, hint column.Type) (Bound, error) {
	x, err := b.BindAs(n.Args[0], hint)
	if err != nil {
		return x, err
	}
	t := x.Type
	switch n.Op {
	case "neg", "abs":
		if t.Kind == column.Duration || t.IsNumeric() && (n.Op == "abs" || !t.IsUnsigned()) {
			k := KernelsFor(t)
			return single(t, x, func(m *Morsel, a *column.Column) (*column.Column, error) { return k.unary(m, n.Op, a), nil }).
				on(func(l *Lowering, v []lower.Value) (lower.Value, error) { return l.Unary(n.Op, t, v[0]), nil }, x), nil
		}
		return x, fmt.Errorf("%s has no %s", t, n.Op)
	case "floor", "ceil", "round":
		if t.IsInteger() {
			return x, nil
		}
	}
	if !t.IsNumeric() && t.Kind != column.Decimal128 {
		return x, fmt.Errorf("%s is no number", t)
	}
	if !t.IsFloat() {
		t = column.Float64.Of()
		if x, err = CastTo(x, t, true); err != nil {
			return x, err
		}
	}
	if n.Op == "round" {
		digits := n.Value.(int)
		return single(t, x, func(m *Morsel, a *column.Column) (*column.Column, error) { return round(m, a, digits), nil }).
			on(func(l *Lowering, v []lower.Value) (lower.Value, error) { return l.Round(v[0], digits), nil }, x), nil
	}
	k := KernelsFor(t)
	return single(t, x, func(m *Morsel, a *column.Column) (*column.Column, error) { return k.unary(m, n.Op, a), nil }).
		on(func(l *Lowering, v []lower.Value) (lower.Value, error) { return l.Unary(n.Op, t, v[0]), nil }, x), nil
}

func round(m *Morsel, a *column.Column, digits int) *column.Column {
	scale := math.Pow10(digits)
	f := func(v float64) float64 {
		if v == 0 || math.IsInf(v, 0) { // their product with a scale of infinity or 0 would be NaN
			return v
		}
		if scale == 0 {
			return v * 0 // less than half of 10 to the power of -digits
		}
		if s := v * scale; !math.IsInf(s, 0) {
			return math.Round(s) / scale
		}
		return v
	}
	if a.Type().Kind == column.Float32 {
		out := scratch[float32](m, a.Len())
		for i, v := range column.Values[float32](a) {
			out[i] = float32(f(float64(v)))
		}
		return column.FixedOf(a.Type(), out, a.Validity())
	}
	out := scratch[float64](m, a.Len())
	for i, v := range column.Values[float64](a) {
		out[i] = f(v)
	}
	return column.FixedOf(a.Type(), out, a.Validity())
}
