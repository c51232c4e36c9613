package export

import (
	"math"
	"strings"

	"github.com/anycl/anycl/onnx/internal/formula"
	"github.com/anycl/anycl/tensor"
)

// maxCalls bounds how deep functions call each other.
const maxCalls = 30

// called is a call: of a function of the library, or of one that OpenCL C has.
func (w *writer) called(x *formula.Call) scalar {
	switch x.Function {
	case "R":
		return w.cast(w.eval(x.Args[0]), w.real)
	case "TERMS":
		if w.real == tensor.Float64 {
			return w.eval(x.Args[1])
		}
		return w.eval(x.Args[0])
	}
	for _, l := range w.libraries {
		if f := l.Functions[x.Function]; f != nil {
			return w.inline(f, x.Args)
		}
	}
	args := make([]scalar, len(x.Args))
	for i, a := range x.Args {
		args[i] = w.eval(a)
	}
	return w.builtin(x.Function, args)
}

// inline writes the body of a function in place of a call.
func (w *writer) inline(f *formula.Function, args []formula.Expr) scalar {
	if w.depth++; w.depth > maxCalls || len(args) != len(f.Params) {
		panic(unwritten("functions that call each other too deep"))
	}
	s := &scope{cells: map[string]*cell{}}
	for i, p := range f.Params {
		if p.Pointer {
			s.cells[p.Name] = w.place(args[i])
			continue
		}
		dt := w.typeOf(p.Type)
		s.cells[p.Name] = &cell{dt: dt, val: w.cast(w.eval(args[i]), dt), level: len(w.path), depth: w.depth}
	}
	scope, entry, returns := w.scope, w.entry, w.returns
	w.scope, w.entry, w.returns = s, len(w.path), nil
	w.exec(f.Body)
	var y scalar
	if f.Result != "void" {
		y = w.cast(w.merged(scalar{}), w.typeOf(f.Result))
	}
	w.path = w.path[:w.entry]
	w.scope, w.entry, w.returns = scope, entry, returns
	w.depth--
	return y
}

// merged is the value that elements have returned: that of the first of returns whose condition they meet, or other.
func (w *writer) merged(other scalar) scalar {
	y := other
	for i := len(w.returns) - 1; i >= 0; i-- {
		y = w.where(w.returns[i].when, w.returns[i].value, y)
	}
	return y
}

// plainly are functions that have an operator.
var plainly = map[string]string{"fabs": "Abs", "abs": "Abs", "sqrt": "Sqrt", "floor": "Floor", "ceil": "Ceil", "rint": "Round",
	"fmin": "Min", "fmax": "Max",
	"min": "Min", "max": "Max", "isnan": "IsNaN", "isinf": "IsInf", "exp": "Exp", "log": "Log", "sin": "Sin", "cos": "Cos", "tan": "Tan",
	"sinh": "Sinh",
	"cosh": "Cosh", "tanh": "Tanh", "asin": "Asin", "acos": "Acos", "atan": "Atan", "asinh": "Asinh", "acosh": "Acosh", "atanh": "Atanh",
	"erf": "Erf",
	"pow": "Pow"}

// builtin is a function of OpenCL C.
func (w *writer) builtin(name string, args []scalar) scalar {
	name = strings.TrimPrefix(strings.TrimPrefix(name, "native_"), "half_")
	for i := range args {
		if !args[i].dt.IsFloat() && name != "abs" && name != "min" && name != "max" {
			args[i] = w.cast(args[i], w.real)
		}
	}
	if len(args) == 2 {
		args[0], args[1] = w.common(args[0], args[1])
	}
	all := make([]string, len(args))
	for i, a := range args {
		all[i] = w.name(a)
	}
	if len(all) == 0 {
		panic(unwritten("the function " + name))
	}
	dt := args[0].dt
	if op := plainly[name]; op != "" {
		if op == "IsNaN" || op == "IsInf" {
			dt = tensor.Bool
		}
		return symbol(w.op(op, all...), dt)
	}
	x, c := all[0], w.c
	switch name {
	case "rsqrt":
		return symbol(w.op("Reciprocal", w.op("Sqrt", x)), dt)
	case "trunc":
		return symbol(c.trunc(x), dt)
	case "signbit":
		return symbol(c.negative(x), tensor.Bool)
	case "isfinite":
		return symbol(w.op("Not", w.op("Or", w.op("IsNaN", x), w.op("IsInf", x))), tensor.Bool)
	case "copysign":
		a := w.op("Abs", x)
		return symbol(c.choose(c.negative(all[1]), w.op("Neg", a), a), dt)
	case "exp2":
		return symbol(w.op("Pow", c.like(x, 2), x), dt)
	case "log2":
		return symbol(c.scaled(w.op("Log", x), math.Log2E), dt)
	case "log10":
		return symbol(c.scaled(w.op("Log", x), math.Log10E), dt)
	case "expm1":
		return symbol(c.expm1(x), dt)
	case "log1p":
		return symbol(c.log1p(x), dt)
	case "erfc":
		return symbol(w.erfc(x), dt)
	case "fmod":
		return symbol(c.op("Mod", all, anInt("fmod", 1)), dt)
	case "sinpi":
		return symbol(w.ofTurn(x, "Sin"), dt)
	case "cospi":
		return symbol(w.ofTurn(x, "Cos"), dt)
	case "FMA", "mad":
		return w.binary("+", w.binary("*", args[0], args[1]), args[2])
	case "fma":
		return w.fused(args[0], args[1], args[2])
	}
	panic(unwritten("the function " + name))
}

// ofTurn is sin πx or cos πx, by the difference of x from a whole number.
func (w *writer) ofTurn(x, op string) string {
	n := w.op("Round", x)
	y := w.op(op, w.c.scaled(w.op("Sub", x, n), math.Pi))
	odd := w.op("Equal", w.op("Abs", w.c.op("Mod", []string{n, w.c.like(n, 2)}, anInt("fmod", 1))), w.c.like(n, 1))
	return w.c.choose(odd, w.op("Neg", y), y)
}

// fused is a·b + c with the bits that the product alone would lose.
// Source: Dekker, A Floating-Point Technique for Extending the Available Precision (1971).
func (w *writer) fused(a, b, c scalar) scalar {
	mul := func(x, y scalar) scalar { return w.binary("*", x, y) }
	sub := func(x, y scalar) scalar { return w.binary("-", x, y) }
	halves := func(x scalar) (hi, lo scalar) {
		factor := 4097.0 // 2^12 + 1
		if x.dt == tensor.Float64 {
			factor = 1<<27 + 1
		}
		t := mul(x, number(factor, x.dt))
		hi = sub(t, sub(t, x))
		return hi, sub(x, hi)
	}
	ah, al := halves(a)
	bh, bl := halves(b)
	p := mul(a, b)
	rest := w.binary("+", w.binary("+", w.binary("+", sub(mul(ah, bh), p), mul(ah, bl)), mul(al, bh)), mul(al, bl))
	return w.binary("+", w.binary("+", p, c), rest)
}

// erfc is 1 - erf x near 0, and e^(-x²)·erfcx x above.
func (w *writer) erfc(x string) string {
	l, err := library("lib/special_error.cl", w.real == tensor.Float64)
	if err != nil {
		panic(unwritten(err.Error()))
	}
	outer := w.libraries
	w.libraries = append(w.libraries[:len(w.libraries):len(w.libraries)], l)
	defer func() { w.libraries = outer }()
	a := symbol(w.op("Abs", x), w.real)
	w.scope = &scope{cells: map[string]*cell{"erfc_of": {dt: w.real, val: a, level: len(w.path)}}, outer: w.scope}
	y := w.inline(l.Functions["special_erfcx_positive"], []formula.Expr{&formula.Name{Text: "erfc_of"}})
	w.scope = w.scope.outer
	s := w.binary("*", a, a)
	rest := w.fused(a, a, w.unaryMinus(s))
	e := w.op("Mul", w.op("Exp", w.op("Neg", s.v)), w.op("Sub", w.c.like(x, 1), w.name(rest)))
	// Beyond 28, e^(-x²) is 0 for double too, and the parts of the square might be no numbers.
	upper := w.c.choose(w.op("Greater", a.v, w.c.like(x, 28)), w.c.like(x, 0), w.op("Mul", e, y.v))
	upper = w.c.choose(w.op("IsNaN", x), x, upper)
	far := w.c.choose(w.op("Less", x, w.c.like(x, 0)), w.op("Sub", w.c.like(x, 2), upper), upper)
	return w.c.choose(w.op("Less", a.v, w.c.like(x, 0.5)), w.op("Sub", w.c.like(x, 1), w.op("Erf", x)), far)
}

func (w *writer) unaryMinus(s scalar) scalar { return symbol(w.op("Neg", w.name(s)), s.dt) }
