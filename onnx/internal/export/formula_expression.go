package export

import (
	"math"

	"github.com/anycl/anycl/onnx/internal/formula"
	"github.com/anycl/anycl/tensor"
)

// eval writes an expression and is its value.
func (w *writer) eval(x formula.Expr) scalar {
	switch x := x.(type) {
	case *formula.Number:
		return w.literal(x)
	case *formula.Name:
		return w.variable(x.Text)
	case *formula.Unary:
		return w.unary(x)
	case *formula.Binary:
		if x.Op == "," {
			w.eval(x.X)
			return w.eval(x.Y)
		}
		a := w.eval(x.X)
		if x.Op == "&&" || x.Op == "||" {
			if a = w.truth(a); a.is(0) && x.Op == "&&" || a.is(1) && x.Op == "||" {
				return a
			}
		}
		return w.binary(x.Op, a, w.eval(x.Y))
	case *formula.Choice:
		return w.choice(x)
	case *formula.Cast:
		return w.cast(w.eval(x.X), w.typeOf(x.Type))
	case *formula.Call:
		return w.called(x)
	case *formula.Index:
		return w.element(x)
	case *formula.Assign:
		v := w.eval(x.From)
		if x.Op != "=" {
			v = w.binary(x.Op[:len(x.Op)-1], w.eval(x.To), v)
		}
		return w.assign(w.place(x.To), v)
	}
	panic(unwritten("an expression of a kind that is not known"))
}

func (w *writer) variable(name string) scalar {
	if c := w.scope.find(name); c != nil {
		return c.val
	}
	switch name {
	case "INFINITY", "HUGE_VALF":
		return number(posInf, w.real)
	case "NAN":
		return number(math.NaN(), w.real)
	case "M_PI_F":
		return number(math.Pi, w.real)
	case "M_SQRT1_2_F":
		return number(math.Sqrt2/2, w.real)
	case "M_SQRT2_F":
		return number(math.Sqrt2, w.real)
	case "M_LN2_F":
		return number(math.Ln2, w.real)
	case "M_2_SQRTPI_F":
		return number(2/math.Sqrt(math.Pi), w.real)
	}
	panic(unwritten("the constant " + name))
}

func (w *writer) unary(x *formula.Unary) scalar {
	if x.Op == "*" {
		return w.place(x).val
	}
	v := w.eval(x.X)
	switch {
	case x.Op == "+":
		return v
	case x.Op == "!":
		return w.not(v)
	case x.Op != "-":
		panic(unwritten("the operator " + x.Op))
	case v.dt.IsFloat() && v.known:
		return number(-v.f, v.dt)
	case v.dt.IsFloat():
		return symbol(w.op("Neg", v.v), v.dt)
	}
	v = w.cast(v, promoted(v.dt))
	return w.binary("-", whole(0, v.dt), v)
}

func (w *writer) choice(x *formula.Choice) scalar {
	cond := w.truth(w.eval(x.If))
	switch {
	case cond.is(1):
		return w.eval(x.Then)
	case cond.is(0):
		return w.eval(x.Else)
	}
	a := w.under(cond, func() scalar { return w.eval(x.Then) })
	b := w.under(w.not(cond), func() scalar { return w.eval(x.Else) })
	return w.where(cond, a, b)
}

// under calls f where a condition holds.
func (w *writer) under(cond scalar, f func() scalar) scalar {
	n := len(w.path)
	w.path = append(w.path, condition{value: cond})
	v := f()
	w.path = w.path[:n]
	return v
}

// place is the variable that an expression stands for.
func (w *writer) place(x formula.Expr) *cell {
	if u, ok := x.(*formula.Unary); ok && (u.Op == "*" || u.Op == "&") {
		x = u.X
	}
	if n, ok := x.(*formula.Name); ok {
		if c := w.scope.find(n.Text); c != nil {
			return c
		}
	}
	panic(unwritten("an assignment to what is no variable"))
}

// assign gives a variable a value, where the branches since its declaration are taken.
func (w *writer) assign(c *cell, v scalar) scalar {
	v = w.cast(v, c.dt)
	if c.val.dt.Valid() {
		cond := truth(true)
		for _, p := range w.path[c.level:] {
			if !p.soft || c.depth < w.depth { // a function that has returned does not change variables of its caller
				cond = w.and(cond, p.value)
			}
		}
		v = w.where(cond, v, c.val)
	}
	c.val = v
	return v
}

// element is one of a table. Places outside are looked up at an end: these elements do not count.
func (w *writer) element(x *formula.Index) scalar {
	table, dt := []formula.Expr(nil), w.real
	if c := w.scope.find(x.Table); c != nil {
		table, dt = c.table, c.dt
	}
	for _, l := range w.libraries {
		if d := l.Tables[x.Table]; d != nil && table == nil {
			table, dt = d.Table, w.typeOf(d.Type)
		}
	}
	at := w.eval(x.At)
	if table == nil {
		panic(unwritten("the table " + x.Table))
	}
	if at.known {
		if at.i < 0 || at.i >= int64(len(table)) {
			panic(unwritten("an element outside of a table"))
		}
		return w.cast(w.eval(table[at.i]), dt)
	}
	values := make([]float64, len(table))
	for i, e := range table {
		v := w.eval(e)
		if !v.known {
			panic(unwritten("a table that is not constant"))
		}
		values[i] = w.cast(v, tensor.Float64).f
	}
	i := w.op("Max", w.op("Min", at.v, w.c.like(at.v, float64(len(values)-1))), w.c.like(at.v, 0))
	return symbol(w.op("Gather", w.c.tensor(dt, []int{len(values)}, values), i), dt)
}
