package ops

import (
	"math"

	"github.com/anycl/anycl/internal/dense"
	"github.com/anycl/anycl/tensor"
)

// Det returns the determinants of square matrices, by LU decomposition in float64. a is [..., n, n], float32 or float64; the result is
// [...]; the determinant of an empty matrix is 1. Its derivative, the matrix of cofactors, is right for singular matrices
// too, and so is the derivative of that. Errors: dtype; matrices are not square.
// Source: Golub and Van Loan, Matrix Computations (2013), section 3.4; Magnus and Neudecker, Matrix Differential Calculus (2019),
// section 8.3.
func Det(a *Node) *Node { return apply("det", nil, a) }

var _ = define(Op{
	Name: "det", Category: "linear algebra",
	Operands: operandA, DTypes: matrixFloats, Result: numberEach,
	Kernel: hostMatrices([]int{2}, []int{0}, func(_ *Call, out, in []dense.Matrix) {
		pivots, _ := dense.LU(in[0])
		out[0].Data[0] = dense.Product(in[0], pivots)
	}),
	Grad: func(b *Back) {
		b.Add(0, Mul(ExpandDims(b.Grad(), -1, -2), apply("cofactors", nil, b.In(0))))
	},
})

// numberEach gives a number for each square matrix of operand 0.
func numberEach(c *Call) ([]int, tensor.DType, error) {
	batch, _, err := c.squareOf(0)
	return batch, c.dt(0), err
}

// The derivatives of a determinant by the elements of the matrix.
var _ = define(Op{
	Name: "cofactors", hidden: true,
	Operands: operandA, DTypes: matrixFloats, Result: squareResult,
	Kernel: hostMatrices([]int{2}, []int{2}, func(_ *Call, out, in []dense.Matrix) {
		dense.Put(out[0], dense.Cofactors(in[0]))
	}),
	Grad: func(b *Back) { b.Add(0, apply("cofactor_derivative", nil, b.In(0), b.Grad())) },
})

// Second derivatives of a determinant, a symmetric form of which g is one side.
var _ = define(Op{
	Name: "cofactor_derivative", hidden: true,
	Operands: []Operand{{Name: "a"}, {Name: "g"}}, DTypes: matrixFloats, Result: squareResult,
	Kernel: hostMatrices([]int{2, 2}, []int{2}, func(_ *Call, out, in []dense.Matrix) {
		dense.Put(out[0], dense.CofactorDerivative(in[0], in[1]))
	}),
	Grad: func(b *Back) {
		if b.Wants(0) {
			b.fail("the third derivative of a determinant is not there")
		}
		b.Add(1, apply("cofactor_derivative", nil, b.In(0), b.Grad()))
	},
})

// SlogDet returns the signs, -1, 0 or 1, and the logarithms of the absolute values of the determinants of square matrices:
//
//	det a = sign · exp(log)
//
// which neither overflows nor underflows. Where a matrix is singular, sign is 0 and log -Inf; the derivative of log is a⁻ᵀ, which is NaN
// there. Otherwise as [Det].
func SlogDet(a *Node) (sign, log *Node) {
	r := picks(apply("slogdet", nil, a), 2)
	return r[0], r[1]
}

var _ = define(Op{
	Name: "slogdet", Category: "linear algebra",
	Operands: operandA, DTypes: matrixFloats,
	ResultNames: []string{"sign", "log"},
	Results: func(c *Call) ([]Result, error) {
		batch, _, err := c.squareOf(0)
		return []Result{{c.dt(0), batch}, {c.dt(0), batch}}, err
	},
	Kernel: hostMatrices([]int{2}, []int{0, 0}, func(_ *Call, out, in []dense.Matrix) {
		pivots, _ := dense.LU(in[0])
		out[0].Data[0], out[1].Data[0] = dense.Determinant(in[0], pivots)
	}),
	Grad: func(b *Back) {
		b.Add(0, Mul(ExpandDims(b.GradOf(1), -1, -2), swapLast(Inverse(b.In(0)))))
	},
})

// LogDet returns the logarithms of the determinants of square matrices: NaN where they are negative, -Inf where they are 0. Otherwise as
// [SlogDet].
func LogDet(a *Node) *Node { return apply("logdet", nil, a) }

var _ = define(Op{
	Name: "logdet", Category: "linear algebra",
	Operands: operandA, DTypes: matrixFloats, Result: numberEach,
	Compose: func(c *Call) *Node {
		sign, log := SlogDet(c.In[0])
		return Where(Less(sign, ScalarLike(sign, 0)), ScalarLike(log, math.NaN()), log)
	},
})
