package lib

import (
	"fmt"
	"slices"

	"github.com/anycl/anycl/ops"
	"github.com/anycl/anycl/tensor"
)

// blendAttr are the attributes of outside.blend.
type blendAttr struct {
	Scale float64 `default:"2" doc:"of x"`
	Signs []int   `default:"[1, -1]" doc:"of the others, in turn"`
}

// Blend returns mean = scale · x + base + Σ ± others[i] and spread = Σ (others[i] - x)²; base, of integers, and the others may be left
// out.
func Blend(attr any, x *ops.Node, more ...*ops.Node) (mean, spread *ops.Node) {
	r := ops.ApplyAll("outside.blend", attr, slices.Concat([]*ops.Node{x}, more)...)
	return r[0], r[1]
}

// sign is that of operand i, the others being those from 2 on.
func (a blendAttr) sign(i int) float64 { return float64(a.Signs[(i-2)%len(a.Signs)]) }

var _ = ops.MustDefine(ops.Op{
	Name: "outside.blend", Category: "outside", DTypes: floats, Attributes: ops.AttributesOf[blendAttr](),
	Operands: []ops.Operand{
		{Name: "x"}, {Name: "base", Optional: true, DTypes: []tensor.DType{tensor.Int32}}, {Name: "others", Optional: true, Repeated: true},
	},
	ResultNames: []string{"mean", "spread"},
	Results: func(c *ops.Call) ([]ops.Result, error) {
		for i := range c.In {
			if !slices.Equal(c.Shape(i), c.Shape(0)) {
				return nil, fmt.Errorf("the shapes of x and %s differ", c.OperandName(i))
			}
		}
		r := ops.Result{DType: c.DType(0), Shape: c.Shape(0)}
		return []ops.Result{r, r}, nil
	},
	Kernel: func(c *ops.Call) ops.KernelOptions {
		a := c.Attr.(blendAttr)
		return ops.KernelOptions{HostOnly: "it is there to try this", Infallible: true, Host: func(outs, ins []*tensor.Tensor) error {
			for at := range outs[0].Len() {
				x := ins[0].Float64At(at)
				mean, spread := a.Scale*x, 0.0
				for i, t := range ins {
					switch v := t.Float64At(at); i {
					case 0:
					case 1:
						mean += v
					default:
						mean += a.sign(i) * v
						spread += (v - x) * (v - x)
					}
				}
				outs[0].SetFloat64(at, mean)
				outs[1].SetFloat64(at, spread)
			}
			return nil
		}}
	},
	Grad: func(b *ops.Back) {
		x, a, mean, spread := b.In(0), b.Attr().(blendAttr), b.GradOf(0), b.GradOf(1)
		dx := ops.Mul(mean, a.Scale)
		for i := 2; i < b.Operands(); i++ {
			d := ops.Mul(spread, ops.Mul(2, ops.Sub(b.In(i), x)))
			b.Add(i, ops.Add(ops.Mul(mean, a.sign(i)), d))
			dx = ops.Sub(dx, d)
		}
		b.Add(0, dx)
	},
})
