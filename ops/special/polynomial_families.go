package special

import (
	"math"

	"github.com/anycl/anycl/internal/dtypes"
	"github.com/anycl/anycl/ops"
)

// Gegenbauer returns the ultraspherical polynomials of x, element by element, with NumPy broadcasting:
//
//	C[0] = 1,  C[1] = 2α x,  (k+1) C[k+1] = 2(k+α) x C[k] - (k+2α-1) C[k-1]
//
// Derivatives of [ChebyshevT], [ChebyshevU] and [Legendre] are such polynomials. x, n and alpha are floats of one dtype; orders are those
// of [Legendre]. The derivative by x is 2α C[n-1] of α+1; by alpha it is NaN: none is known here. Errors: dtypes differ or are no floats;
// shapes do not broadcast.
// Source: DLMF, table 18.9.1 and equation 18.9.19.
func Gegenbauer[A, B, C ops.NodeOrNumber](x A, n B, alpha C) *ops.Node {
	return ops.ApplyNumbers("special.gegenbauer", nil, x, n, alpha)
}

// GeneralizedLaguerre returns the associated Laguerre polynomials of x, element by element, with NumPy broadcasting:
//
//	L[0] = 1,  L[1] = α + 1 - x,  (k+1) L[k+1] = (2k+1+α-x) L[k] - (k+α) L[k-1]
//
// of which [Laguerre] are those with α = 0. x, n and alpha are floats of one dtype; orders are those of [Legendre]. The derivative by x
// is -L[n-1] of α+1; by alpha it is NaN: none is known here. Errors: dtypes differ or are no floats; shapes do not broadcast.
// Source: DLMF, table 18.9.1 and equation 18.9.23.
func GeneralizedLaguerre[A, B, C ops.NodeOrNumber](x A, n B, alpha C) *ops.Node {
	return ops.ApplyNumbers("special.generalized_laguerre", nil, x, n, alpha)
}

func polynomialFamily(name, c string, slope func(x, n, alpha *ops.Node) *ops.Node, f func(order, alpha, x float64) float64) ops.Op {
	return ops.Op{
		Name: name, Category: "polynomial", Operands: []ops.Operand{{Name: "x"}, {Name: "n"}, {Name: "alpha"}}, DTypes: dtypes.Floats,
		Result: ops.BroadcastResult,
		Grad: func(b *ops.Back) {
			b.Add(0, b.Times(slope(b.In(0), orderBelow(ops.Trunc(b.In(1))), b.In(2))))
			unknown(b, 2)
		},
		Scalar: scalarOf3(c, 20, func(x, n, alpha float64) float64 { return f(n, alpha, x) }),
	}
}

var (
	_ = ops.MustDefine(polynomialFamily("special.gegenbauer", "special_gegenbauer(b, c, a)", func(x, n, alpha *ops.Node) *ops.Node {
		return ops.Mul(ops.Mul(alpha, 2), Gegenbauer(x, n, ops.Add(alpha, 1)))
	}, gegenbauerOf))
	_ = ops.MustDefine(polynomialFamily("special.generalized_laguerre", "special_laguerre(b, c, a)", func(x, n, alpha *ops.Node) *ops.Node {
		return ops.Neg(GeneralizedLaguerre(x, n, ops.Add(alpha, 1)))
	}, laguerreOf))
)

// overRecurrence is p[n] with p[0] = 1, p[1] = first and next(k, p[k], p[k-1]).
func overRecurrence(order, x, alpha, first float64, next func(k, own, before float64) float64) float64 {
	switch {
	case order <= -1:
		return 0
	case order != order || x != x || alpha != alpha:
		return x + order + alpha
	case order < 1:
		return 1
	}
	before, own := 1.0, first
	for k, n := 1.0, math.Floor(math.Min(order, 100000)); k < n; k++ {
		before, own = own, next(k, own, before)
	}
	return own
}

func gegenbauerOf(order, alpha, x float64) float64 {
	return overRecurrence(order, x, alpha, 2*alpha*x, func(k, own, before float64) float64 {
		return (2*(k+alpha)*x*own - (k+2*alpha-1)*before) / (k + 1)
	})
}

func laguerreOf(order, alpha, x float64) float64 {
	return overRecurrence(order, x, alpha, alpha+1-x, func(k, own, before float64) float64 {
		return ((2*k+1+alpha-x)*own - (k+alpha)*before) / (k + 1)
	})
}
