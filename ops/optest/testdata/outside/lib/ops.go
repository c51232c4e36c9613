// Package lib is a library of ops.
package lib

import (
	"errors"
	"fmt"
	"math"

	"github.com/anycl/anycl/ops"
	"github.com/anycl/anycl/tensor"
)

// Ops of this module's own: one with a kernel and a gradient, one with two results that is composed, one with two results, a
// kernel and a joint gradient, and one that only the CPU engine can run.

// bumpAttr are the attributes of outside.bump.
type bumpAttr struct {
	Height float64 `default:"1" doc:"of the bump"`
	Width  float64 `doc:"of the bump, above 0"`
}

// Bump returns height · e^(-(x/width)²).
func Bump(x *ops.Node, height, width float64) *ops.Node {
	return ops.Apply("outside.bump", bumpAttr{height, width}, x)
}

var floats = []tensor.DType{tensor.Float32, tensor.Float64}

var _ = ops.MustDefine(ops.Op{
	Name: "outside.bump", Category: "outside", Operands: []ops.Operand{{Name: "x"}}, DTypes: floats,
	Attributes: ops.AttributesOf[bumpAttr](),
	Complete: func(c *ops.Call) error {
		if a := c.Attr.(bumpAttr); !(a.Width > 0) {
			return fmt.Errorf("the width is %v", a.Width)
		}
		return nil
	},
	Result: func(c *ops.Call) ([]int, tensor.DType, error) { return c.Shape(0), c.DType(0), nil },
	Kernel: func(c *ops.Call) ops.KernelOptions {
		a := c.Attr.(bumpAttr)
		k := ops.KernelOptions{
			Source: `kernel void bump(global const T *x, global T *y, const T height, const T width) {
    const size_t i = get_global_id(0);
    const T z = x[i] / width;
    y[i] = height * exp(-z * z);
}`,
			Entry: "bump", Options: "-DT=float", Args: []any{float32(a.Height), float32(a.Width)},
			Host: func(outs, ins []*tensor.Tensor) error {
				for i := range outs[0].Len() {
					z := ins[0].Float64At(i) / a.Width
					outs[0].SetFloat64(i, a.Height*math.Exp(-z*z))
				}
				return nil
			},
		}
		if c.DType(0) == tensor.Float64 {
			k.Source = "#pragma OPENCL EXTENSION cl_khr_fp64 : enable\n" + k.Source
			k.Options, k.Args = "-DT=double", []any{a.Height, a.Width}
		}
		return k
	},
	Grad: func(b *ops.Back) {
		x, width := b.In(0), b.Attr().(bumpAttr).Width
		b.Add(0, ops.Mul(b.Grad(), ops.Mul(ops.Mul(b.Out(), x), ops.ScalarLike(x, -2/(width*width)))))
	},
})

// Polar returns the radius and the angle of the points (x, y).
func Polar(x, y *ops.Node) (radius, angle *ops.Node) {
	r := ops.ApplyAll("outside.polar", nil, x, y)
	return r[0], r[1]
}

// bothOf is the rule of two results that are as two operands of one shape.
func bothOf(c *ops.Call) ([]ops.Result, error) {
	if fmt.Sprint(c.Shape(0)) != fmt.Sprint(c.Shape(1)) {
		return nil, errors.New("the shapes differ")
	}
	r := ops.Result{DType: c.DType(0), Shape: c.Shape(0)}
	return []ops.Result{r, r}, nil
}

var _ = ops.MustDefine(ops.Op{
	Name: "outside.polar", Category: "outside", Operands: []ops.Operand{{Name: "x"}, {Name: "y"}}, DTypes: floats,
	Results: bothOf, ResultNames: []string{"radius", "angle"},
	ComposeAll: func(c *ops.Call) []*ops.Node {
		x, y := c.In[0], c.In[1]
		return []*ops.Node{ops.Sqrt(ops.Add(ops.Mul(x, x), ops.Mul(y, y))), ops.Atan2(y, x)}
	},
})

// Turn returns the points (x, y) turned by one radian.
func Turn(x, y *ops.Node) (u, v *ops.Node) {
	r := ops.ApplyAll("outside.turn", nil, x, y)
	return r[0], r[1]
}

var sin1, cos1 = math.Sincos(1)

var _ = ops.MustDefine(ops.Op{
	Name: "outside.turn", Category: "outside", Operands: []ops.Operand{{Name: "x"}, {Name: "y"}}, DTypes: floats,
	Results: bothOf, ResultNames: []string{"u", "v"},
	Kernel: func(*ops.Call) ops.KernelOptions {
		return ops.KernelOptions{
			HostOnly: "it is there to try this",
			Host: func(outs, ins []*tensor.Tensor) error {
				for i := range outs[0].Len() {
					x, y := ins[0].Float64At(i), ins[1].Float64At(i)
					outs[0].SetFloat64(i, x*cos1-y*sin1)
					outs[1].SetFloat64(i, x*sin1+y*cos1)
				}
				return nil
			},
		}
	},
	// Both derivatives at once: turned back.
	Grad: func(b *ops.Back) {
		du, dv := b.GradOf(0), b.GradOf(1)
		c, s := ops.ScalarLike(du, cos1), ops.ScalarLike(du, sin1)
		b.Add(0, ops.Add(ops.Mul(du, c), ops.Mul(dv, s)))
		b.Add(1, ops.Sub(ops.Mul(dv, c), ops.Mul(du, s)))
	},
})
