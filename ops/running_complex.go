package ops

import "github.com/anycl/anycl/internal/shapes"

// complexCumProd is CumProd of complex numbers: each step multiplies by what is twice as far away as in the step before, so there are as
// many as the length has binary digits. Source: Hillis and Steele, Data Parallel Algorithms (1986).
func complexCumProd(x *Node, axis int, o *CumSumOptions) *Node {
	var opts CumSumOptions
	if o != nil {
		opts = *o
	}
	if x.Rank() == 0 && (axis == 0 || axis == -1) {
		if opts.Exclusive {
			return OnesLike(x)
		}
		return x
	}
	a, err := shapes.Axis(axis, x.Rank())
	if err != nil {
		return x.graph.fail("cumprod", []*Node{x}, err)
	}
	n, y := x.shape[a], x
	if opts.Reverse {
		y = Flip(y, a)
	}
	for d := 1; d < n; d *= 2 {
		y = Concat(a, part(y, a, 0, d), Mul(part(y, a, d, n-d), part(y, a, 0, n-d)))
	}
	if opts.Exclusive && n > 0 {
		y = Concat(a, OnesLike(part(y, a, 0, 1)), part(y, a, 0, n-1))
	}
	if opts.Reverse {
		y = Flip(y, a)
	}
	return y
}
