package linalg

import (
	"errors"
	"math"

	"github.com/anycl/anycl/internal/dense"
	"github.com/anycl/anycl/internal/dtypes"
	"github.com/anycl/anycl/ops"
	"github.com/anycl/anycl/ops/internal/build"
	"github.com/anycl/anycl/tensor"
)

// Det returns the determinants of square matrices, by LU decomposition. a is [..., n, n], float32, float64 or complex, the latter on the
// CPU; the result is [...]; the determinant of an empty matrix is 1. Its derivative, the matrix of cofactors, is right for singular
// matrices too where they are real, and so is the derivative of that. Errors: dtype; matrices are not square.
// Source: Golub and Van Loan, Matrix Computations (2013), section 3.4; Magnus and Neudecker, Matrix Differential Calculus (2019),
// section 8.3.
func Det(a *ops.Node) *ops.Node {
	if isComplex(a) {
		return complexDet(a)
	}
	return ops.Apply("linalg.det", nil, a)
}

var _ = ops.MustDefine(ops.Op{
	Name: "linalg.det", Category: "linear algebra",
	Operands: operandA, DTypes: dtypes.Wide, Result: numberEach,
	Compose: func(c *ops.Call) *ops.Node {
		f := factorLU(c.In[0])
		return ops.Mul(f.sign(), ops.Prod(f.diagonal(), -1))
	},
	Grad: func(b *ops.Back) {
		b.Add(0, ops.Mul(ops.ExpandDims(b.Grad(), -1, -2), ops.Apply("linalg.cofactors", nil, b.In(0))))
	},
})

// numberEach gives a number for each square matrix of operand 0.
func numberEach(c *ops.Call) ([]int, tensor.DType, error) {
	batch, _, err := squareOf(c, 0)
	return batch, c.DType(0), err
}

// The derivatives of a determinant by the elements of the matrix.
var _ = ops.MustDefine(ops.Op{
	Name: "linalg.cofactors", Hidden: true,
	Operands: operandA, DTypes: dtypes.Wide, Result: squareResult,
	Kernel: hostMatrices([]int{2}, []int{2}, func(_ *ops.Call, out, in []dense.Matrix) {
		dense.Put(out[0], dense.Cofactors(in[0]))
	}),
	Grad: func(b *ops.Back) { b.Add(0, ops.Apply("linalg.cofactor_derivative", nil, b.In(0), b.Grad())) },
})

// Second derivatives of a determinant, a symmetric form of which g is one side.
var _ = ops.MustDefine(ops.Op{
	Name: "linalg.cofactor_derivative", Hidden: true,
	Operands: []ops.Operand{{Name: "a"}, {Name: "g"}}, DTypes: dtypes.Wide, Result: squareResult,
	Kernel: hostMatrices([]int{2, 2}, []int{2}, func(_ *ops.Call, out, in []dense.Matrix) {
		dense.Put(out[0], dense.CofactorDerivative(in[0], in[1]))
	}),
	Grad: func(b *ops.Back) {
		if b.Wants(0) {
			b.Fail(errors.New("the third derivative of a determinant is not there"))
		}
		b.Add(1, ops.Apply("linalg.cofactor_derivative", nil, b.In(0), b.Grad()))
	},
})

// SlogDet returns the signs, -1, 0 or 1, or complex numbers of absolute value 1, and the logarithms of the absolute values of the
// determinants of square matrices:
//
//	det a = sign · exp(log)
//
// which neither overflows nor underflows. Where a matrix is singular, sign is 0 and log -Inf; the derivative of log is a⁻ᵀ, which is NaN
// there. Otherwise as [Det].
func SlogDet(a *ops.Node) (sign, log *ops.Node) {
	if isComplex(a) {
		return complexSlogDet("linalg.slogdet", a)
	}
	r := ops.ApplyAll("linalg.slogdet", nil, a)
	return r[0], r[1]
}

var _ = ops.MustDefine(ops.Op{
	Name: "linalg.slogdet", Category: "linear algebra",
	Operands: operandA, DTypes: dtypes.Wide,
	ResultNames: []string{"sign", "log"},
	Results: func(c *ops.Call) ([]ops.Result, error) {
		batch, _, err := squareOf(c, 0)
		return []ops.Result{{DType: c.DType(0), Shape: batch}, {DType: c.DType(0), Shape: batch}}, err
	},
	ComposeAll: func(c *ops.Call) []*ops.Node {
		f := factorLU(c.In[0])
		d := f.diagonal()
		singular := ops.NotEqual(f.info, ops.ScalarLike(f.info, 0))
		sign := ops.Where(singular, ops.ScalarLike(d, 0), ops.Mul(f.sign(), ops.Prod(ops.Sign(d), -1)))
		log := ops.Where(singular, ops.ScalarLike(d, math.Inf(-1)), ops.Sum(ops.Log(ops.Abs(d)), -1))
		return []*ops.Node{sign, log}
	},
	Grad: func(b *ops.Back) {
		b.Add(0, ops.Mul(ops.ExpandDims(b.GradOf(1), -1, -2), build.SwapLast(Inverse(b.In(0)))))
	},
})

// LogDet returns the logarithms of the determinants of square matrices: NaN where they are negative, -Inf where they are 0. Otherwise as
// [SlogDet].
func LogDet(a *ops.Node) *ops.Node { return ops.Apply("linalg.logdet", nil, a) }

var _ = ops.MustDefine(ops.Op{
	Name: "linalg.logdet", Category: "linear algebra",
	Operands: operandA, DTypes: dtypes.Wide, Result: numberEach,
	Compose: func(c *ops.Call) *ops.Node {
		sign, log := SlogDet(c.In[0])
		return ops.Where(ops.Less(sign, ops.ScalarLike(sign, 0)), ops.ScalarLike(log, math.NaN()), log)
	},
})
