package importer

import (
	"math"
	"slices"

	"github.com/anycl/anycl/ops"
	"github.com/anycl/anycl/tensor"
)

// interpolate resizes axes by scales, to sizes where these are given; axes in front that stay are left out.
func (c *call) interpolate(x *ops.Node, mode string, near ops.NearestMode, sizes []int, scales, region []float64,
	o ops.InterpolateOptions) *ops.Node {
	n := x.Rank()
	if len(scales) != n {
		c.fail("%d scales for %d axes", len(scales), n)
	}
	for _, s := range scales {
		if !(s > 0) || math.IsInf(s, 0) {
			c.fail("scales %v: all must be above 0", scales)
		}
	}
	if sizes == nil {
		for i, d := range x.Shape() {
			sizes = append(sizes, int(math.Floor(float64(d)*scales[i])))
		}
	}
	first := 0
	for first < n-1 && sizes[first] == x.Dim(first) && scales[first] == 1 && (region == nil || region[first] == 0 && region[n+first] == 1) {
		first++
	}
	o.Size, o.Scale = sizes[first:], scales[first:]
	if region != nil {
		o.Region = append(slices.Clone(region[first:n]), region[n+first:]...)
	}
	switch mode {
	case "nearest":
		o.Mode, o.Nearest = ops.InterpolateNearest, near
	case "linear", "bilinear":
		o.Mode = ops.InterpolateLinear
	case "cubic":
		o.Mode = ops.InterpolateCubic
	default:
		c.refuse("mode %q is not known", mode)
	}
	dt := x.DType()
	if mode == "nearest" {
		o.Antialias = false
	}
	if (mode == "nearest" || dt.IsFloat()) && byMatrix(mode, x, sizes, scales, &o) {
		return c.resizeAxes(x, mode, near, sizes, scales, &o)
	}
	if mode != "nearest" && !dt.IsFloat() {
		c.fail("mode %q of %v is not supported", mode, dt)
	}
	if dt == tensor.Float16 && mode == "nearest" {
		return ops.Cast(ops.Interpolate(ops.Cast(x, tensor.Float32), o), dt)
	}
	return ops.Interpolate(x, o)
}

func col2im(c *call) []*value {
	x, image, block := c.x(0), c.ints(1), c.ints(2)
	n := len(image)
	list := func(name string) []int {
		v := c.intList(name)
		if v == nil {
			v = slices.Repeat([]int{1}, n)
		}
		return v
	}
	stride, dilation, pads := list("strides"), list("dilations"), c.intList("pads")
	if pads == nil {
		pads = make([]int, 2*n)
	}
	if len(pads) != 2*n || len(block) != n {
		c.fail("block %v and pads %v for %d axes", block, pads, n)
	}
	padded := slices.Clone(image)
	var cut []ops.Range
	for i := range n {
		padded[i] += pads[i] + pads[n+i]
		cut = append(cut, ops.Range{Axis: 2 + i, Start: pads[i], Stop: pads[i] + image[i], Exact: true})
	}
	y := ops.Fold(x, padded, ops.FoldOptions{Size: block, Stride: stride, Dilation: dilation})
	return out(ops.Slice(y, cut...))
}
