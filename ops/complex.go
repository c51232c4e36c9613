package ops

import (
	"errors"
	"fmt"
	"slices"

	"github.com/anycl/anycl/engine"
	"github.com/anycl/anycl/internal/ir"
	"github.com/anycl/anycl/tensor"
)

// Complex numbers are pairs of floats to every engine: an op with complex operands is a composition of ops on real and imaginary
// parts, which fuse like any others. In memory the parts of an element lie beside each other, as in Go and C.

// Complex returns complex numbers with the given parts, with NumPy broadcasting:
//
//	z = re + i · im
//
// re and im have the same dtype, float32 for complex64 or float64 for complex128. Derivatives with respect to complex numbers
// are those of PyTorch: for a real y, ∂y/∂re + i · ∂y/∂im, the direction in which y grows fastest, which is twice Wirtinger's
// derivative by the conjugate. Errors: dtypes differ, or are others; shapes do not broadcast.
func Complex[A, B NodeOrNumber](re A, im B) *Node {
	parts := nodesOf("complex", nil, re, im)
	if a, b := parts[0], parts[1]; a != nil && b != nil && !a.bad && !b.bad {
		if shape, err := tensor.Broadcast(a.shape, b.shape); err == nil {
			parts = []*Node{BroadcastTo(a, shape...), BroadcastTo(b, shape...)}
		}
	}
	return apply("complex", nil, parts...)
}

var _ = define(Op{
	Name: "complex", Category: "complex", role: roleComplex,
	Operands: []Operand{{Name: "re"}, {Name: "im"}}, DTypes: wideFloats,
	Result: func(c *Call) ([]int, tensor.DType, error) {
		if !slices.Equal(c.shape(0), c.shape(1)) {
			return nil, 0, fmt.Errorf("parts of different shapes: %v and %v", c.shape(0), c.shape(1))
		}
		return c.shape(0), c.dt(0).Complex(), nil
	},
	Compose: func(c *Call) *Node { return ViewAsComplex(Stack(-1, c.In[0], c.In[1])) },
	Grad: func(b *Back) {
		b.Add(0, Real(b.Grad()))
		b.Add(1, Imag(b.Grad()))
	},
})

// Real returns the real parts of complex numbers, and x itself where it is a number of another dtype. Errors: dtype is bool.
func Real(x *Node) *Node { return complexPart(x, 0) }

// Imag returns the imaginary parts of complex numbers, zeros for numbers of another dtype. Errors: dtype is bool.
func Imag(x *Node) *Node { return complexPart(x, 1) }

// partNames are the ops of the parts.
var partNames = [...]string{"real", "imag"}

// complexPart is part i of x.
func complexPart(x *Node, i int) *Node {
	if x != nil && !x.bad && !x.dtype.IsComplex() && x.dtype != tensor.Bool {
		if i == 0 {
			return x
		}
		return zerosLike(x)
	}
	return apply(partNames[i], nil, x)
}

func definePart(i int) *Op {
	return define(Op{
		Name: partNames[i], Category: "complex", Operands: operandX, DTypes: complexes,
		Result: func(c *Call) ([]int, tensor.DType, error) { return c.shape(0), c.dt(0).Part(), nil },
		Compose: func(c *Call) *Node {
			x := c.In[0]
			for !x.bad && !x.is(roleComplex) && x.withComplex() && x.compose() != nil {
				x = x.composition()
			}
			if x.is(roleComplex) {
				return x.in[i]
			}
			if t, ok := complexScalar(x); ok {
				return scalarConst(x.graph, x.dtype.Part(), t.Float64At(i))
			}
			return Select(ViewAsReal(x), -1, i)
		},
		Grad: func(b *Back) {
			zero := ScalarLike(b.Grad(), 0)
			if i == 0 {
				b.Add(0, Complex(b.Grad(), zero))
			} else {
				b.Add(0, Complex(zero, b.Grad()))
			}
		},
	})
}

var _, _ = definePart(0), definePart(1)

// complexScalar is the pair of the constant that x is, if it is a complex scalar.
func complexScalar(x *Node) (*tensor.Tensor, bool) {
	if !x.is(roleViewAsComplex) || len(x.shape) != 0 || x.in[0].op.kind != ir.KindConst {
		return nil, false
	}
	t, ok := x.in[0].attr.(*tensor.Tensor)
	return t, ok
}

// ViewAsReal returns complex numbers as pairs along a new last axis of 2, the real part and the imaginary one. It costs nothing.
// Errors: dtype is not complex.
func ViewAsReal(x *Node) *Node {
	return apply("view_as_real", nil, x)
}

// ViewAsComplex returns pairs along the last axis, the real part and the imaginary one, as complex numbers without that axis. It
// costs nothing. Errors: dtype is not float32 or float64; there is no last axis of 2.
func ViewAsComplex(x *Node) *Node { return apply("view_as_complex", nil, x) }

// seenAs is the view of a complex number and its parts: both are the same to the compiler.
func seenAs(p Primitive, at []*engine.Index, _ engine.Domain) ([]*engine.Index, []engine.Cond) {
	return at, nil
}

var _ = define(Op{
	Name: "view_as_real", Category: "complex", Traits: TraitIdentity, Operands: operandX, DTypes: complexes,
	Result: func(c *Call) ([]int, tensor.DType, error) {
		return append(slices.Clone(c.shape(0)), 2), c.dt(0).Part(), nil
	},
	Grad: func(b *Back) { b.Add(0, ViewAsComplex(b.Grad())) },
	View: seenAs,
})

var _ = define(Op{
	Name: "view_as_complex", Category: "complex", role: roleViewAsComplex, Traits: TraitIdentity, Operands: operandX, DTypes: wideFloats,
	Result: func(c *Call) ([]int, tensor.DType, error) {
		s := c.shape(0)
		if len(s) == 0 || s[len(s)-1] != 2 {
			return nil, 0, fmt.Errorf("%v has no last axis of 2, for real and imaginary parts", s)
		}
		return s[:len(s)-1], c.dt(0).Complex(), nil
	},
	Grad: func(b *Back) { b.Add(0, ViewAsReal(b.Grad())) },
	View: seenAs,
})

// Conj returns the complex conjugates of x, and x itself where it is a number of another dtype:
//
//	y = re - i · im
func Conj(x *Node) *Node {
	if x != nil && !x.bad && !x.dtype.IsComplex() && x.dtype != tensor.Bool {
		return x
	}
	return apply("conj", nil, x)
}

var _ = define(Op{
	Name: "conj", Category: "complex", Operands: operandX, DTypes: complexes, Result: same,
	Compose: func(c *Call) *Node { return Complex(Real(c.In[0]), Neg(Imag(c.In[0]))) },
})

// Angle returns the angles of complex numbers, in radians from -π to π:
//
//	y = atan2(im, re)
//
// For other numbers, floats, it is 0 or π, and NaN for NaN. The derivative at 0 is 0. Errors: dtype is not complex or a float.
func Angle(x *Node) *Node { return apply("angle", nil, x) }

var _ = define(Op{
	Name: "angle", Category: "complex", Operands: operandX, DTypes: slices.Concat(floats, complexes),
	Result: func(c *Call) ([]int, tensor.DType, error) { return c.shape(0), c.dt(0).Part(), nil },
	Compose: func(c *Call) *Node {
		re, im := Real(c.In[0]), Imag(c.In[0])
		if c.dt(0).IsComplex() {
			angle := Atan2(im, re)
			return Where(isOrigin(re, im), StopGradient(angle), angle)
		}
		return Where(IsNaN(re), re, Where(Less(re, 0), ScalarLike(re, pi), ScalarLike(re, 0)))
	},
})

// Polar returns complex numbers of the given absolute values and angles, with NumPy broadcasting:
//
//	z = r · (cos θ + i · sin θ)
//
// r and θ have the same dtype, float32 or float64. Errors: dtypes; shapes do not broadcast.
func Polar[A, B NodeOrNumber](r A, theta B) *Node {
	return applyNumbers("polar", nil, r, theta)
}

var _ = define(Op{
	Name: "polar", Category: "complex", Operands: []Operand{{Name: "r"}, {Name: "theta"}}, DTypes: wideFloats,
	Result: func(c *Call) ([]int, tensor.DType, error) {
		shape, err := broadcastShapes(c)
		return shape, c.dt(0).Complex(), err
	},
	Compose: func(c *Call) *Node { return Complex(Mul(c.In[0], Cos(c.In[1])), Mul(c.In[0], Sin(c.In[1]))) },
})

var errNotForComplex = errors.New("the op has no complex form (use ops.Real, ops.Imag, ops.Abs or ops.Angle, or ops.ViewAsReal)")
