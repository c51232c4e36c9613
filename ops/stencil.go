package ops

import (
	"cmp"
	"errors"
	"fmt"
	"math"
	"slices"
	"strings"

	"github.com/anycl/anycl/internal/shapes"
)

// StencilOptions are the weights of a [Stencil].
type StencilOptions struct {
	Axes    []int     // along which neighbours are; negative ones count from the end
	Size    []int     // of the stencil along each of Axes
	Weights []float64 // in row-major order, the last of Axes fastest; the product of Size is how many there are
	// Border says what lies outside of x: "edge", "reflect", "symmetric" or "wrap", as of [PadWith], "zero", or "constant", which is
	// Value. Empty is "edge".
	Border string
	Value  float64
}

// Stencil returns for each element of x the weighted sum of those around it, in the shape of x:
//
//	y[i, j] = Σ_{a,b} weights[a, b] x[i + a - Size[0]/2, j + b - Size[1]/2]
//
// and likewise for other numbers of axes: a correlation, as scipy.ndimage.correlate computes it. Weights of 0 cost nothing, and
// elements with the same weight but for its sign are added up before they are multiplied. For filters of one channel
// with few weights: they become part of the kernel, which fuses with the ops before and after. Larger ones, and those of many
// channels, are a [Conv2D]. It has derivatives. Errors: no axes; axes, sizes and weights do not fit each other or x; a weight is not
// finite; the border is unknown; x is no float.
func Stencil(x *Node, o StencilOptions) *Node {
	if x == nil || x.bad {
		return apply("add", nil, x, x)
	}
	fail := func(err error) *Node { return x.graph.fail("stencil", []*Node{x}, err) }
	axes, count := make([]int, len(o.Axes)), 1
	paddings := make([]Padding, len(o.Axes))
	if len(o.Axes) == 0 || len(o.Size) != len(o.Axes) {
		return fail(fmt.Errorf("%d sizes for %d axes", len(o.Size), len(o.Axes)))
	}
	for i, axis := range o.Axes {
		a, err := shapes.Axis(axis, x.Rank())
		if err != nil {
			return fail(err)
		}
		if o.Size[i] < 1 {
			return fail(fmt.Errorf("size %v has an extent below 1", o.Size))
		}
		axes[i], count = a, count*o.Size[i]
		paddings[i] = Padding{Axis: a, Before: o.Size[i] / 2, After: o.Size[i] - 1 - o.Size[i]/2}
	}
	border := cmp.Or(o.Border, "edge")
	switch {
	case border != "zero" && border != "constant" && !slices.Contains(padModes, border):
		return fail(fmt.Errorf("there is no border %q; use zero, constant, %s", border, strings.Join(padModes, ", ")))
	case len(o.Weights) != count:
		return fail(fmt.Errorf("%d weights for a stencil of %v", len(o.Weights), o.Size))
	case !x.dtype.IsFloat():
		return fail(fmt.Errorf("dtype %v is not a float (cast with ops.Cast)", x.dtype))
	}
	padded := paddedBy(x, border, o.Value, paddings)
	tap := func(k int) *Node {
		y := padded
		for i := len(axes) - 1; i >= 0; i-- {
			y = Narrow(y, axes[i], k%o.Size[i], x.shape[axes[i]])
			k /= o.Size[i]
		}
		return y
	}
	for _, w := range o.Weights {
		if math.IsNaN(w) || math.IsInf(w, 0) {
			return fail(errors.New("a weight is not finite"))
		}
	}
	if y := weightedSum(o.Weights, tap); y != nil {
		return y
	}
	return ZerosLike(x)
}

// paddedBy is x with the border of a stencil.
func paddedBy(x *Node, border string, value float64, paddings []Padding) *Node {
	switch border {
	case "zero":
		return Pad(x, 0, paddings...)
	case "constant":
		return Pad(x, value, paddings...)
	}
	return bordered(x, border, paddings...)
}

// weightedSum is the sum of weights times taps, where those of equal weights, or of opposite ones, are added before they are multiplied; nil
// where all weights are 0.
func weightedSum(weights []float64, tap func(k int) *Node) (y *Node) {
	var sizes []float64 // of weights, in the order in which they come
	sums := map[float64]*Node{}
	for k, w := range weights {
		size := math.Abs(w)
		switch sum := sums[size]; {
		case w == 0:
		case sum == nil && w > 0:
			sizes, sums[size] = append(sizes, size), tap(k)
		case sum == nil:
			sizes, sums[size] = append(sizes, size), Neg(tap(k))
		case w > 0:
			sums[size] = Add(sum, tap(k))
		default:
			sums[size] = Sub(sum, tap(k))
		}
	}
	for _, size := range sizes {
		part := sums[size]
		if size != 1 {
			part = Mul(part, size)
		}
		if y == nil {
			y = part
		} else {
			y = Add(y, part)
		}
	}
	return y
}
