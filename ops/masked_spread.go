package ops

import (
	"fmt"
	"math"

	"github.com/anycl/anycl/internal/shapes"
	"github.com/anycl/anycl/tensor"
)

// MaskedVar returns the variances of the n elements of the float x where mask is true, over the named axes, which vanish, or over all:
//
//	y[p] = Σ_q (x[p, q] - mean[p])² / max(n[p] - correction, 0) where mask[p, q]
//
// in two passes, so that a large mean does not cancel. The correction is 1 for the variance of a sample, 0 for that of a population. The variance of nothing
// is NaN. Otherwise as [MaskedSum].
// Source: PyTorch, function torch.masked.var.
func MaskedVar(x, mask *Node, correction float64, axes ...int) *Node {
	return applyMasked("masked_var", varAttr{axes, correction}, x, mask)
}

// MaskedStd returns the square roots of the variances of [MaskedVar]. The derivative where a variance is 0 is NaN.
func MaskedStd(x, mask *Node, correction float64, axes ...int) *Node {
	return applyMasked("masked_std", varAttr{axes, correction}, x, mask)
}

func maskedVarOp(name string, of func(variance *Node) *Node) Op {
	return Op{
		Name: name, Category: "reduction", Attributes: AttributesOf[varAttr](), Operands: operandsMasked, DTypes: floats,
		Complete: func(c *Call) (err error) {
			a := c.Attr.(varAttr)
			a.Axes, err = shapes.Axes(a.Axes, len(c.shape(0)))
			c.Attr = a
			return err
		},
		Result: func(c *Call) ([]int, tensor.DType, error) {
			return withoutAxes(c.shape(0), c.Attr.(varAttr).Axes), c.dt(0), maskFits(c)
		},
		Compose: func(c *Call) *Node {
			a, x := c.Attr.(varAttr), widen(c.In[0])
			n := c.maskedCount(x, a.Axes)
			mean := c.maskedMean(x, a.Axes, n)
			d := c.masked(Square(Sub(x, spreadBack(mean, x, a.Axes))), 0)
			v := Div(reduction("sum", d, a.Axes), Maximum(Sub(n, ScalarLike(n, a.Correction)), 0))
			return Cast(of(v), c.dt(0))
		},
	}
}

var _ = define(maskedVarOp("masked_var", func(v *Node) *Node { return v }))

var _ = define(maskedVarOp("masked_std", func(v *Node) *Node { return Sqrt(v) }))

// MaskedNorm returns the norms of the vectors of the elements of the float x where mask is true, along the named axes, which vanish, or of all, as
// [VectorNorm] does. The norm of nothing is 0, and +Inf with an ord below 0. Errors: ord is NaN; otherwise as [MaskedSum].
// Source: PyTorch, function torch.masked.norm.
func MaskedNorm(x, mask *Node, ord float64, axes ...int) *Node {
	return applyMasked("masked_norm", vectorNormAttr{axes, ord}, x, mask)
}

var _ = define(Op{
	Name: "masked_norm", Category: "reduction", Attributes: AttributesOf[vectorNormAttr](), Operands: operandsMasked, DTypes: floats,
	Complete: func(c *Call) (err error) {
		a := c.Attr.(vectorNormAttr)
		a.Axes, err = shapes.Axes(a.Axes, len(c.shape(0)))
		c.Attr = a
		return err
	},
	Result: func(c *Call) ([]int, tensor.DType, error) {
		a := c.Attr.(vectorNormAttr)
		if math.IsNaN(a.Ord) {
			return nil, 0, fmt.Errorf("ord is %v", a.Ord)
		}
		return withoutAxes(c.shape(0), a.Axes), c.dt(0), maskFits(c)
	},
	Compose: func(c *Call) *Node {
		a := c.Attr.(vectorNormAttr)
		return apply("vector_norm", a, c.masked(c.In[0], outsideNorm(a.Ord)))
	},
})

// outsideNorm is the element that does not change a norm.
func outsideNorm(ord float64) float64 {
	if ord < 0 {
		return math.Inf(1)
	}
	return 0
}
