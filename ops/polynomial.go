package ops

import (
	"fmt"
	"math"
)

// Orthogonal polynomials of x, element by element, with NumPy broadcasting. The order n is a whole number, of x's dtype where it is a node: what is behind its
// point is cut off, so -0.5 is 0, and of an order of -1 or less all are 0. x is a float. They are computed by their recurrences, in n steps. Shifted ones are of 2x - 1.
// The order has no derivative; those by x are polynomials too, of [Gegenbauer] and [GeneralizedLaguerre] where there are none here.

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
func ChebyshevT[A, B NodeOrNumber](x A, n B) *Node { return applyNumbers("chebyshev_t", nil, x, n) }

// ChebyshevU returns Chebyshev polynomials of the second kind: sin((n+1)θ) / sin θ with x = cos θ.
func ChebyshevU[A, B NodeOrNumber](x A, n B) *Node { return applyNumbers("chebyshev_u", nil, x, n) }

// ChebyshevV returns Chebyshev polynomials of the third kind: cos((n+1/2)θ) / cos(θ/2) with x = cos θ.
func ChebyshevV[A, B NodeOrNumber](x A, n B) *Node { return applyNumbers("chebyshev_v", nil, x, n) }

// ChebyshevW returns Chebyshev polynomials of the fourth kind: sin((n+1/2)θ) / sin(θ/2) with x = cos θ.
func ChebyshevW[A, B NodeOrNumber](x A, n B) *Node { return applyNumbers("chebyshev_w", nil, x, n) }

// ShiftedChebyshevT returns [ChebyshevT] of 2x - 1.
func ShiftedChebyshevT[A, B NodeOrNumber](x A, n B) *Node {
	return applyNumbers("shifted_chebyshev_t", nil, x, n)
}

// ShiftedChebyshevU returns [ChebyshevU] of 2x - 1.
func ShiftedChebyshevU[A, B NodeOrNumber](x A, n B) *Node {
	return applyNumbers("shifted_chebyshev_u", nil, x, n)
}

// ShiftedChebyshevV returns [ChebyshevV] of 2x - 1.
func ShiftedChebyshevV[A, B NodeOrNumber](x A, n B) *Node {
	return applyNumbers("shifted_chebyshev_v", nil, x, n)
}

// ShiftedChebyshevW returns [ChebyshevW] of 2x - 1.
func ShiftedChebyshevW[A, B NodeOrNumber](x A, n B) *Node {
	return applyNumbers("shifted_chebyshev_w", nil, x, n)
}

// HermiteH returns the Hermite polynomials of physics: (-1)^n e^(x²) dⁿ/dxⁿ e^(-x²).
func HermiteH[A, B NodeOrNumber](x A, n B) *Node { return applyNumbers("hermite_h", nil, x, n) }

// HermiteHe returns the Hermite polynomials of probability: (-1)^n e^(x²/2) dⁿ/dxⁿ e^(-x²/2).
func HermiteHe[A, B NodeOrNumber](x A, n B) *Node { return applyNumbers("hermite_he", nil, x, n) }

// Laguerre returns the Laguerre polynomials: e^x / n! dⁿ/dxⁿ (xⁿ e^-x).
func Laguerre[A, B NodeOrNumber](x A, n B) *Node { return applyNumbers("laguerre", nil, x, n) }

// Legendre returns the Legendre polynomials: 1 / (2ⁿ n!) dⁿ/dxⁿ (x² - 1)ⁿ.
func Legendre[A, B NodeOrNumber](x A, n B) *Node { return applyNumbers("legendre", nil, x, n) }

func polynomialOp(name string, kind int, slope func(x, n *Node) *Node) Op {
	return Op{
		Name: name, Category: "polynomial", Operands: []Operand{{Name: "x"}, {Name: "n"}}, DTypes: floats, Result: broadcast,
		Grad:   func(b *Back) { b.Add(0, Mul(b.Grad(), slope(b.In(0), Trunc(b.In(1))))) },
		Scalar: scalarOf(fmt.Sprintf("special_polynomial(%d, b, a)", kind), 20, real2(func(x, n float64) float64 { return polynomialOf(kind, n, x) })),
	}
}

func orderBelow(n *Node) *Node { return Sub(n, 1) }

// slopeU is the derivative of ChebyshevU.
func slopeU(x, n *Node) *Node { return Mul(Gegenbauer(x, orderBelow(n), 2), 2) }

// V[n] is U[n] - U[n-1], W[n] is U[n] + U[n-1]. Source: DLMF, equations 18.7.5 and 18.7.6 with their names exchanged.
func slopeV(x, n *Node) *Node { return Sub(slopeU(x, n), slopeU(x, orderBelow(n))) }
func slopeW(x, n *Node) *Node { return Add(slopeU(x, n), slopeU(x, orderBelow(n))) }

// shiftedSlope is the derivative of a function of 2x - 1.
func shiftedSlope(slope func(x, n *Node) *Node) func(x, n *Node) *Node {
	return func(x, n *Node) *Node { return Mul(slope(Sub(Mul(x, 2), 1), n), 2) }
}

var (
	_ = define(polynomialOp("chebyshev_t", chebyshevT, func(x, n *Node) *Node { return Mul(n, ChebyshevU(x, orderBelow(n))) }))
	_ = define(polynomialOp("chebyshev_u", chebyshevU, slopeU))
	_ = define(polynomialOp("chebyshev_v", chebyshevV, slopeV))
	_ = define(polynomialOp("chebyshev_w", chebyshevW, slopeW))
	_ = define(polynomialOp("shifted_chebyshev_t", shiftedT, func(x, n *Node) *Node { return Mul(Mul(n, 2), ShiftedChebyshevU(x, orderBelow(n))) }))
	_ = define(polynomialOp("shifted_chebyshev_u", shiftedU, shiftedSlope(slopeU)))
	_ = define(polynomialOp("shifted_chebyshev_v", shiftedV, shiftedSlope(slopeV)))
	_ = define(polynomialOp("shifted_chebyshev_w", shiftedW, shiftedSlope(slopeW)))
	_ = define(polynomialOp("hermite_h", hermiteH, func(x, n *Node) *Node { return Mul(Mul(n, 2), HermiteH(x, orderBelow(n))) }))
	_ = define(polynomialOp("hermite_he", hermiteHe, func(x, n *Node) *Node { return Mul(n, HermiteHe(x, orderBelow(n))) }))
	_ = define(polynomialOp("laguerre", laguerreL, func(x, n *Node) *Node { return Neg(GeneralizedLaguerre(x, orderBelow(n), 1)) }))
	_ = define(polynomialOp("legendre", legendreP, func(x, n *Node) *Node { return Gegenbauer(x, orderBelow(n), 1.5) }))
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
