package linalg

import (
	"github.com/anycl/anycl/internal/dense"
	"github.com/anycl/anycl/internal/dtypes"
	"github.com/anycl/anycl/internal/shapes"
	"github.com/anycl/anycl/ops"
	"github.com/anycl/anycl/ops/internal/build"
)

// pairsOf is the matrix of real numbers, [..., n, 2n], that complex ones [..., n, n] are in memory.
func pairsOf(a *ops.Node) *ops.Node {
	s := a.Shape()
	return ops.Reshape(ops.ViewAsReal(a), shapes.With(s[:len(s)-1], 2*s[len(s)-1])...)
}

// fromPairs is the inverse of pairsOf.
func fromPairs(x *ops.Node) *ops.Node {
	s := x.Shape()
	return ops.ViewAsComplex(ops.Reshape(x, shapes.With(s[:len(s)-1], s[len(s)-1]/2, 2)...))
}

func complexSlogDet(name string, a *ops.Node) (sign, log *ops.Node) {
	if f := complexSquare(name, a); f != nil {
		return f, f
	}
	r := ops.ApplyAll("linalg.complex_slogdet", nil, pairsOf(a))
	return ops.ViewAsComplex(r[0]), r[1]
}

func complexDet(a *ops.Node) *ops.Node {
	sign, log := complexSlogDet("linalg.det", a)
	if build.Failed(sign) {
		return sign
	}
	return ops.Mul(sign, ops.Cast(ops.Exp(log), sign.DType()))
}

// Determinants of complex matrices, given as pairs: a number of absolute value 1, as a pair, and the logarithm of the absolute value.
var _ = ops.MustDefine(ops.Op{
	Name: "linalg.complex_slogdet", Hidden: true, Operands: operandA, DTypes: dtypes.Wide,
	ResultNames: []string{"sign", "log"},
	Results: func(c *ops.Call) ([]ops.Result, error) {
		batch, _, _, err := matrixOf(c, 0)
		return []ops.Result{{DType: c.DType(0), Shape: shapes.With(batch, 2)}, {DType: c.DType(0), Shape: batch}}, err
	},
	Kernel: hostMatrices([]int{2}, []int{1, 0}, func(_ *ops.Call, out, in []dense.Matrix) {
		sign, log := dense.ComplexDeterminant(in[0])
		out[0].Data[0], out[0].Data[1], out[1].Data[0] = real(sign), imag(sign), log
	}),
	// With M = a⁻¹: d log|det a| = Re tr(M da), and the angle of det a changes by Im tr(M da), the sign by i times it.
	Grad: func(b *ops.Back) {
		inverse, _ := InverseEx(fromPairs(b.In(0)))
		sign, turn := ops.ViewAsComplex(b.Result(0)), ops.ViewAsComplex(b.GradOf(0))
		angle := ops.Imag(ops.Mul(turn, ops.Conj(sign)))
		by := ops.ExpandDims(ops.Complex(b.GradOf(1), angle), -1, -2)
		b.Add(0, pairsOf(ops.Mul(ops.Conj(build.SwapLast(inverse)), by)))
	},
})

func complexEigh(a *ops.Node, upper bool) (w, v *ops.Node) {
	if f := complexSquare("linalg.eigh", a); f != nil {
		return f, f
	}
	r := ops.ApplyAll("linalg.hermitian", eighAttr{upper}, blocks(a, true))
	return r[0], fromPairs(r[1])
}

// Eigenvalues of Hermitian matrices, given by blocks, and their eigenvectors as pairs.
var _ = ops.MustDefine(ops.Op{
	Name: "linalg.hermitian", Hidden: true, Operands: operandA, DTypes: dtypes.Wide, Attributes: ops.AttributesOf[eighAttr](),
	ResultNames: []string{"w", "v"},
	Results: func(c *ops.Call) ([]ops.Result, error) {
		batch, n, err := squareOf(c, 0)
		return []ops.Result{{DType: c.DType(0), Shape: shapes.With(batch, n/2)}, {DType: c.DType(0), Shape: shapes.With(batch, n/2, n)}}, err
	},
	Kernel: hostMatrices([]int{2}, []int{1, 2}, func(c *ops.Call, out, in []dense.Matrix) {
		w, v := dense.Hermitian(in[0], c.Attr.(eighAttr).Upper)
		copy(out[0].Data, w)
		dense.Put(out[1], v)
	}),
	// With E[i, j] = w[j] - w[i]: dA = V [diag(dw) + (Vᴴ dV)/E] Vᴴ, without the diagonal of the quotient. Of each block the first column
	// takes it.
	Grad: func(b *ops.Back) {
		w, v := b.Result(0), fromPairs(b.Result(1))
		vh := ops.Conj(build.SwapLast(v))
		e := ops.Sub(ops.ExpandDims(w, -2), ops.ExpandDims(w, -1))
		inner := ops.MatMul(vh, fromPairs(b.GradOf(1)))
		re, im := safeQuotient(ops.Real(inner), e), safeQuotient(ops.Imag(inner), e)
		inner = ops.Complex(withDiagonal(re, b.GradOf(0)), withDiagonal(im, ops.ScalarLike(im, 0)))
		da := ops.MatMul(v, ops.MatMul(inner, vh))
		first := columns(da) // [..., 2n, n]
		s := first.Shape()
		s[len(s)-1] *= 2
		b.Add(0, ops.Reshape(ops.Stack(-1, first, ops.ZerosLike(first)), s...))
	},
})
