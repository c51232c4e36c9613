package special

import (
	"fmt"
	"math"

	"github.com/anycl/anycl/internal/dtypes"
	"github.com/anycl/anycl/ops"
)

// Orthogonal polynomials of x, element by element, with NumPy broadcasting. The order n is a whole number, of x's dtype where it is a
// node: what is behind its point is cut off, so -0.5 is 0, and of an order of -1 or less all are 0. x is a float. They are computed by
// their recurrences, in n steps. Shifted ones are of 2x - 1. The order has no derivative; those by x are polynomials too, of [Gegenbauer]
// and [GeneralizedLaguerre] where there are none here.

// The kinds of polynomials, as kernels/lib/special_polynomial.cl knows them.
const (
	chebyshevT = iota
	chebyshevU
	chebyshevV
	chebyshevW
	shiftedT
	shiftedU
	shiftedV
	shiftedW
	hermiteH
	hermiteHe
	laguerreL
	legendreP
)

// ChebyshevT returns Chebyshev polynomials of the first kind: cos(n arccos x).
func ChebyshevT[A, B ops.NodeOrNumber](x A, n B) *ops.Node {
	return ops.ApplyNumbers("special.chebyshev_t", nil, x, n)
}

// ChebyshevU returns Chebyshev polynomials of the second kind: sin((n+1)θ) / sin θ with x = cos θ.
func ChebyshevU[A, B ops.NodeOrNumber](x A, n B) *ops.Node {
	return ops.ApplyNumbers("special.chebyshev_u", nil, x, n)
}

// ChebyshevV returns Chebyshev polynomials of the third kind: cos((n+1/2)θ) / cos(θ/2) with x = cos θ.
func ChebyshevV[A, B ops.NodeOrNumber](x A, n B) *ops.Node {
	return ops.ApplyNumbers("special.chebyshev_v", nil, x, n)
}

// ChebyshevW returns Chebyshev polynomials of the fourth kind: sin((n+1/2)θ) / sin(θ/2) with x = cos θ.
func ChebyshevW[A, B ops.NodeOrNumber](x A, n B) *ops.Node {
	return ops.ApplyNumbers("special.chebyshev_w", nil, x, n)
}

// ShiftedChebyshevT returns [ChebyshevT] of 2x - 1.
func ShiftedChebyshevT[A, B ops.NodeOrNumber](x A, n B) *ops.Node {
	return ops.ApplyNumbers("special.shifted_chebyshev_t", nil, x, n)
}

// ShiftedChebyshevU returns [ChebyshevU] of 2x - 1.
func ShiftedChebyshevU[A, B ops.NodeOrNumber](x A, n B) *ops.Node {
	return ops.ApplyNumbers("special.shifted_chebyshev_u", nil, x, n)
}

// ShiftedChebyshevV returns [ChebyshevV] of 2x - 1.
func ShiftedChebyshevV[A, B ops.NodeOrNumber](x A, n B) *ops.Node {
	return ops.ApplyNumbers("special.shifted_chebyshev_v", nil, x, n)
}

// ShiftedChebyshevW returns [ChebyshevW] of 2x - 1.
func ShiftedChebyshevW[A, B ops.NodeOrNumber](x A, n B) *ops.Node {
	return ops.ApplyNumbers("special.shifted_chebyshev_w", nil, x, n)
}

// HermiteH returns the Hermite polynomials of physics: (-1)^n e^(x²) dⁿ/dxⁿ e^(-x²).
func HermiteH[A, B ops.NodeOrNumber](x A, n B) *ops.Node {
	return ops.ApplyNumbers("special.hermite_h", nil, x, n)
}

// HermiteHe returns the Hermite polynomials of probability: (-1)^n e^(x²/2) dⁿ/dxⁿ e^(-x²/2).
func HermiteHe[A, B ops.NodeOrNumber](x A, n B) *ops.Node {
	return ops.ApplyNumbers("special.hermite_he", nil, x, n)
}

// Laguerre returns the Laguerre polynomials: e^x / n! dⁿ/dxⁿ (xⁿ e^-x).
func Laguerre[A, B ops.NodeOrNumber](x A, n B) *ops.Node {
	return ops.ApplyNumbers("special.laguerre", nil, x, n)
}

// Legendre returns the Legendre polynomials: 1 / (2ⁿ n!) dⁿ/dxⁿ (x² - 1)ⁿ.
func Legendre[A, B ops.NodeOrNumber](x A, n B) *ops.Node {
	return ops.ApplyNumbers("special.legendre", nil, x, n)
}

func polynomialOp(name string, kind int, slope func(x, n *ops.Node) *ops.Node) ops.Op {
	return ops.Op{
		Name: name, Category: "polynomial", Operands: []ops.Operand{{Name: "x"}, {Name: "n"}}, DTypes: dtypes.Floats, Result: ops.BroadcastResult,
		Grad:   func(b *ops.Back) { b.Add(0, b.Times(slope(b.In(0), ops.Trunc(b.In(1))))) },
		Scalar: scalarOf2(fmt.Sprintf("special_polynomial(%d, b, a)", kind), 20, func(x, n float64) float64 { return polynomialOf(kind, n, x) }),
	}
}

func orderBelow(n *ops.Node) *ops.Node { return ops.Sub(n, 1) }

// slopeU is the derivative of ChebyshevU.
func slopeU(x, n *ops.Node) *ops.Node { return ops.Mul(Gegenbauer(x, orderBelow(n), 2), 2) }

// V[n] is U[n] - U[n-1], W[n] is U[n] + U[n-1]. Source: DLMF, equations 18.7.5 and 18.7.6 with their names exchanged.
func slopeV(x, n *ops.Node) *ops.Node { return ops.Sub(slopeU(x, n), slopeU(x, orderBelow(n))) }
func slopeW(x, n *ops.Node) *ops.Node { return ops.Add(slopeU(x, n), slopeU(x, orderBelow(n))) }

// shiftedSlope is the derivative of a function of 2x - 1.
func shiftedSlope(slope func(x, n *ops.Node) *ops.Node) func(x, n *ops.Node) *ops.Node {
	return func(x, n *ops.Node) *ops.Node { return ops.Mul(slope(ops.Sub(ops.Mul(x, 2), 1), n), 2) }
}

var (
	_ = ops.MustDefine(polynomialOp("special.chebyshev_t", chebyshevT,
		func(x, n *ops.Node) *ops.Node { return ops.Mul(n, ChebyshevU(x, orderBelow(n))) }))
	_ = ops.MustDefine(polynomialOp("special.chebyshev_u", chebyshevU, slopeU))
	_ = ops.MustDefine(polynomialOp("special.chebyshev_v", chebyshevV, slopeV))
	_ = ops.MustDefine(polynomialOp("special.chebyshev_w", chebyshevW, slopeW))
	_ = ops.MustDefine(polynomialOp("special.shifted_chebyshev_t", shiftedT,
		func(x, n *ops.Node) *ops.Node { return ops.Mul(ops.Mul(n, 2), ShiftedChebyshevU(x, orderBelow(n))) }))
	_ = ops.MustDefine(polynomialOp("special.shifted_chebyshev_u", shiftedU, shiftedSlope(slopeU)))
	_ = ops.MustDefine(polynomialOp("special.shifted_chebyshev_v", shiftedV, shiftedSlope(slopeV)))
	_ = ops.MustDefine(polynomialOp("special.shifted_chebyshev_w", shiftedW, shiftedSlope(slopeW)))
	_ = ops.MustDefine(polynomialOp("special.hermite_h", hermiteH,
		func(x, n *ops.Node) *ops.Node { return ops.Mul(ops.Mul(n, 2), HermiteH(x, orderBelow(n))) }))
	_ = ops.MustDefine(polynomialOp("special.hermite_he", hermiteHe,
		func(x, n *ops.Node) *ops.Node { return ops.Mul(n, HermiteHe(x, orderBelow(n))) }))
	_ = ops.MustDefine(polynomialOp("special.laguerre", laguerreL,
		func(x, n *ops.Node) *ops.Node { return ops.Neg(GeneralizedLaguerre(x, orderBelow(n), 1)) }))
	_ = ops.MustDefine(polynomialOp("special.legendre", legendreP,
		func(x, n *ops.Node) *ops.Node { return Gegenbauer(x, orderBelow(n), 1.5) }))
)

func polynomialOf(kind int, order, x float64) float64 {
	if !(order > -1) || x != x {
		if order <= -1 {
			return 0
		}
		return x + order
	}
	if kind >= shiftedT && kind <= shiftedW {
		x, kind = 2*x-1, kind-shiftedT
	}
	n := int(math.Min(order, 100000))
	if n == 0 {
		return 1
	}
	before, own := 1.0, x
	switch kind {
	case chebyshevU, hermiteH:
		own = 2 * x
	case chebyshevV:
		own = 2*x - 1
	case chebyshevW:
		own = 2*x + 1
	case laguerreL:
		own = 1 - x
	}
	for k := 1.0; k < float64(n); k++ {
		var next float64
		switch kind {
		case hermiteH:
			next = 2 * (x*own - k*before)
		case hermiteHe:
			next = x*own - k*before
		case laguerreL:
			next = ((2*k+1-x)*own - k*before) / (k + 1)
		case legendreP:
			next = ((2*k+1)*x*own - k*before) / (k + 1)
		default:
			next = 2*x*own - before
		}
		before, own = own, next
	}
	return own
}
