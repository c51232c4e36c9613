package elementwise

import (
	"math"
	"math/cmplx"

	"github.com/anycl/anycl/internal/dtypes"
	"github.com/anycl/anycl/ops"
	"github.com/anycl/anycl/ops/optest/internal/reference"
	"github.com/anycl/anycl/ops/optest/internal/spec"
)

// Complex numbers. Operands and results are pairs of floats, which samples turn into complex numbers and back: their dtype is that of
// the parts. References of ops on complex numbers stand with view_as_complex.

// complexRoundings is how many roundings, of the absolute value, an element goes through at most.
const complexRoundings = 64

// asComplex has f take and give complex numbers, as pairs.
func asComplex(f func(in []*ops.Node) *ops.Node) func(in []*ops.Node) *ops.Node {
	return func(in []*ops.Node) *ops.Node {
		z := make([]*ops.Node, len(in))
		for i, x := range in {
			z[i] = ops.ViewAsComplex(x)
		}
		y := f(z)
		if y.DType().IsComplex() {
			return ops.ViewAsReal(y)
		}
		return y
	}
}

// complexOf are the numbers that pairs are.
func complexOf(a spec.Array) []complex128 {
	z := make([]complex128, len(a.F)/2)
	for i := range z {
		z[i] = complex(a.F[2*i], a.F[2*i+1])
	}
	return z
}

// pairResult is z as pairs, or its real parts where the result has no axis for both, each with the error of its absolute value.
func pairResult(c spec.Case, z []complex128, scale func(i int) float64) spec.Result {
	r := spec.Result{Array: spec.Array{DType: c.DType, Shape: c.Shape}, N: complexRoundings}
	for i, v := range z {
		s := max(cmplx.Abs(v), scale(i))
		r.F, r.Terms = append(r.F, real(v)), append(r.Terms, s)
		if 2*len(z) == spec.Count(c.Shape) {
			r.F, r.Terms = append(r.F, imag(v)), append(r.Terms, s)
		}
	}
	return r
}

func noScale(int) float64 { return 0 }

// ofEach is the reference of a function of one number.
func ofEach(f func(z complex128) complex128) spec.Reference {
	return func(c spec.Case) spec.Result {
		z := complexOf(c.In[0])
		for i := range z {
			z[i] = f(z[i])
		}
		return pairResult(c, z, noScale)
	}
}

// ofTwo is the reference of a function of two complex numbers.
func ofTwo(f func(z, w complex128) complex128) spec.Reference {
	return func(c spec.Case) spec.Result {
		z, w := complexOf(c.In[0]), complexOf(c.In[1])
		for i := range z {
			z[i] = f(z[i], w[i])
		}
		return pairResult(c, z, noScale)
	}
}

var complexTolerance = spec.Tolerance{ULP: 1, ULP64: 1, Terms: 1,
	Source: "complex arithmetic, to the absolute value (Higham, Accuracy and Stability of Numerical Algorithms, section 3.6)"}

func init() {
	pair := spec.Operand{Shape: []int{3, 5, 2}}
	inner := spec.Operand{Shape: []int{3, 5, 2}, Lo: 0.25, Hi: 2} // away from cuts and poles
	one := func(label string, in spec.Operand, f func(x *ops.Node) *ops.Node, want func(z complex128) complex128) spec.Sample {
		return spec.Sample{Label: label, Operands: []spec.Operand{in}, Attr: ofEach(want),
			Build: asComplex(func(in []*ops.Node) *ops.Node { return f(in[0]) })}
	}
	two := func(label string, a, b spec.Operand, f func(x, y *ops.Node) *ops.Node, want func(z, w complex128) complex128) spec.Sample {
		return spec.Sample{Label: label, Operands: []spec.Operand{a, b}, Attr: ofTwo(want),
			Build: asComplex(func(in []*ops.Node) *ops.Node { return f(in[0], in[1]) })}
	}
	byAttr := func(c spec.Case) spec.Result { return c.Attr.(spec.Reference)(c) }
	spec.Register("view_as_complex", spec.Spec{
		Reference: byAttr, Tolerance: complexTolerance,
		Samples: []spec.Sample{
			one("itself", pair, func(x *ops.Node) *ops.Node { return x }, func(z complex128) complex128 { return z }),
			two("add", pair, pair, func(x, y *ops.Node) *ops.Node { return ops.Add(x, y) }, func(z, w complex128) complex128 { return z + w }),
			two("sub", pair, pair, func(x, y *ops.Node) *ops.Node { return ops.Sub(x, y) }, func(z, w complex128) complex128 { return z - w }),
			two("mul", pair, pair, func(x, y *ops.Node) *ops.Node { return ops.Mul(x, y) }, func(z, w complex128) complex128 { return z * w }),
			two("div", pair, inner, func(x, y *ops.Node) *ops.Node { return ops.Div(x, y) }, func(z, w complex128) complex128 { return z / w }),
			two("pow", inner, pair, func(x, y *ops.Node) *ops.Node { return ops.Pow(x, ops.Mul(y, 0.125)) },
				func(z, w complex128) complex128 { return cmplx.Pow(z, w/8) }),
			one("exp", pair, ops.Exp, cmplx.Exp), one("log", spec.Operand{Shape: []int{3, 5, 2}, Lo: 1.25, Hi: 3}, ops.Log, cmplx.Log),
			one("sqrt", inner, ops.Sqrt, cmplx.Sqrt),
			one("sin", pair, ops.Sin, cmplx.Sin), one("cos", pair, ops.Cos, cmplx.Cos), one("tan", inner, ops.Tan, cmplx.Tan),
			one("sinh", pair, ops.Sinh, cmplx.Sinh), one("cosh", pair, ops.Cosh, cmplx.Cosh), one("tanh", inner, ops.Tanh, cmplx.Tanh),
			one("square", pair, ops.Square, func(z complex128) complex128 { return z * z }),
			one("reciprocal", inner, ops.Reciprocal, func(z complex128) complex128 { return 1 / z }),
			one("abs", inner, ops.Abs, func(z complex128) complex128 { return complex(cmplx.Abs(z), 0) }),
			one("sign", inner, ops.Sign, func(z complex128) complex128 { return z / complex(cmplx.Abs(z), 0) }),
			one("neg of a transposed one", pair, func(x *ops.Node) *ops.Node { return ops.Neg(ops.Transpose(ops.Transpose(x))) },
				func(z complex128) complex128 { return -z }),
			{
				Label: "sum of rows", Operands: []spec.Operand{pair}, Build: asComplex(func(in []*ops.Node) *ops.Node { return ops.Sum(in[0], 1) }),
				Attr: spec.Reference(func(c spec.Case) spec.Result {
					z, sums := complexOf(c.In[0]), make([]complex128, 3)
					terms := make([]float64, 3)
					for i, v := range z {
						sums[i/5] += v
						terms[i/5] += cmplx.Abs(v)
					}
					return pairResult(c, sums, func(i int) float64 { return terms[i] })
				}),
			},
			{
				Label: "matmul", Operands: []spec.Operand{{Shape: []int{3, 4, 2}}, {Shape: []int{4, 5, 2}}},
				Build: asComplex(func(in []*ops.Node) *ops.Node { return ops.MatMul(in[0], in[1]) }),
				Attr: spec.Reference(func(c spec.Case) spec.Result {
					a, b := complexOf(c.In[0]), complexOf(c.In[1])
					y, terms := make([]complex128, 15), make([]float64, 15)
					for i := range y {
						for k := range 4 {
							y[i] += a[i/5*4+k] * b[k*5+i%5]
							terms[i] += cmplx.Abs(a[i/5*4+k] * b[k*5+i%5])
						}
					}
					return pairResult(c, y, func(i int) float64 { return terms[i] })
				}),
			},
			{Label: "nothing", Operands: []spec.Operand{{Shape: []int{0, 2}}},
				Build: asComplex(func(in []*ops.Node) *ops.Node { return ops.Exp(in[0]) }), Attr: ofEach(cmplx.Exp)},
		},
	})
	of := func(op string, f func(x *ops.Node) *ops.Node, want func(z complex128) complex128) {
		spec.Register(op, spec.Spec{
			Reference: ofEach(want), Tolerance: complexTolerance,
			Samples: []spec.Sample{
				{Label: "odd", Only: dtypes.Wide, Operands: []spec.Operand{inner},
					Build: asComplex(func(in []*ops.Node) *ops.Node { return f(in[0]) })},
				{Label: "scalar", Only: dtypes.Wide, Operands: []spec.Operand{{Shape: []int{2}, Lo: 0.5, Hi: 1}},
					Build: asComplex(func(in []*ops.Node) *ops.Node { return f(in[0]) })},
				{Label: "nothing", Only: dtypes.Wide, Operands: []spec.Operand{{Shape: []int{0, 2}}},
					Build: asComplex(func(in []*ops.Node) *ops.Node { return f(in[0]) })},
			},
		})
	}
	of("real", ops.Real, func(z complex128) complex128 { return complex(real(z), 0) })
	of("imag", ops.Imag, func(z complex128) complex128 { return complex(imag(z), 0) })
	of("conj", ops.Conj, cmplx.Conj)
	spec.Register("angle", spec.Spec{
		Reference: byAttr, Tolerance: complexTolerance,
		Samples: []spec.Sample{
			{
				Label: "complex", Only: dtypes.Wide, Operands: []spec.Operand{inner},
				Build: asComplex(func(in []*ops.Node) *ops.Node { return ops.Angle(in[0]) }),
				Attr:  ofEach(func(z complex128) complex128 { return complex(cmplx.Phase(z), 0) }),
			},
			{
				Label: "real", Operands: []spec.Operand{{Shape: []int{3, 5}}}, Build: func(in []*ops.Node) *ops.Node { return ops.Angle(in[0]) },
				Attr: spec.Reference(func(c spec.Case) spec.Result {
					r := spec.Result{Array: spec.Array{DType: c.DType, Shape: c.Shape}}
					for _, x := range c.In[0].F {
						r.F = append(r.F, cmplx.Phase(complex(x, 0)))
					}
					return r
				}),
			},
			{
				Label: "nothing", Operands: []spec.Operand{{Shape: []int{0}}}, Build: func(in []*ops.Node) *ops.Node { return ops.Angle(in[0]) },
				Attr: spec.Reference(func(c spec.Case) spec.Result { return reference.Exactly(spec.Array{DType: c.DType, Shape: c.Shape}) }),
			},
		},
	})
	of("view_as_real", func(x *ops.Node) *ops.Node { return x }, func(z complex128) complex128 { return z })
	parts := func(op string, f func(a, b *ops.Node) *ops.Node, want func(a, b float64) complex128) {
		sample := func(label string, shape ...int) spec.Sample {
			return spec.Sample{Label: label, Operands: []spec.Operand{{Shape: shape}, {Shape: shape}},
				Build: func(in []*ops.Node) *ops.Node { return ops.ViewAsReal(f(in[0], in[1])) }}
		}
		spec.Register(op, spec.Spec{
			Reference: func(c spec.Case) spec.Result {
				z := make([]complex128, len(c.In[0].F))
				for i := range z {
					z[i] = want(c.In[0].F[i], c.In[1].F[i])
				}
				return pairResult(c, z, noScale)
			},
			Tolerance: complexTolerance,
			Samples:   []spec.Sample{sample("odd", 3, 5), sample("scalar"), sample("nothing", 0, 3)},
		})
	}
	parts("complex", func(a, b *ops.Node) *ops.Node { return ops.Complex(a, b) }, func(a, b float64) complex128 { return complex(a, b) })
	parts("polar", func(a, b *ops.Node) *ops.Node { return ops.Polar(a, b) },
		func(r, t float64) complex128 { return complex(r*math.Cos(t), r*math.Sin(t)) })
}
