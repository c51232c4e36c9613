package importer

import (
	"math"
	"slices"

	"github.com/anycl/anycl/ops"
)

var _ = define(func() []*operator {
	return []*operator{
		{name: "Resize", since: 10, build: resize},
		{name: "Upsample", since: 7, before: 10, build: func(c *call) []*value {
			x := c.x(0)
			scales := c.floatList("scales")
			if c.version >= 9 {
				scales = c.floats(1)
			}
			o := ops.InterpolateOptions{Coords: ops.CoordAsymmetric}
			return out(c.interpolate(x, c.str("mode", "nearest"), ops.NearestFloor, nil, scales, nil, o))
		}},
		{name: "GridSample", since: 16, build: func(c *call) []*value {
			o := &ops.GridSampleOptions{Align: c.flag("align_corners", false)}
			switch m := c.str("mode", "linear"); m {
			case "linear", "bilinear":
				o.Mode = ops.InterpolateLinear
			case "nearest":
				o.Mode = ops.InterpolateNearest
			case "cubic", "bicubic":
				o.Mode = ops.InterpolateCubic
			default:
				c.refuse("mode %q is not known", m)
			}
			switch p := c.str("padding_mode", "zeros"); p {
			case "zeros", "border", "reflection":
				o.Pad = ops.GridPadding(p)
			default:
				c.refuse("padding_mode %q is not known", p)
			}
			return out(ops.GridSample(c.x(0), c.x(1), o))
		}},
		{name: "AffineGrid", since: 20, build: func(c *call) []*value {
			return out(ops.AffineGrid(c.x(0), c.ints(1), c.flag("align_corners", false)))
		}},
		{name: "Col2Im", since: 18, build: col2im},
		{name: "RoiAlign", since: 10, build: roiAlign},
		{name: "DeformConv", since: 19, build: deformConv},
	}
})

func resize(c *call) []*value {
	x := c.x(0)
	mode := c.str("mode", "nearest")
	if c.version < 11 {
		o := ops.InterpolateOptions{Coords: ops.CoordAsymmetric}
		return out(c.interpolate(x, mode, ops.NearestFloor, nil, c.floats(1), nil, o))
	}
	o := ops.InterpolateOptions{Coords: ops.CoordMode(c.str("coordinate_transformation_mode", "half_pixel"))}
	a := c.float("cubic_coeff_a", -0.75)
	o.Exclude, o.Outside = c.flag("exclude_outside", false), c.float("extrapolation_value", 0)
	o.Antialias = c.flag("antialias", false)
	near := ops.NearestMode(c.str("nearest_mode", "round_prefer_floor"))
	o.Cubic = a
	axes := c.intList("axes")
	policy := c.str("keep_aspect_ratio_policy", "stretch")
	var region []float64
	if c.has(1) {
		if o.Coords == ops.CoordCrop {
			region = c.floats(1)
		} else {
			c.seen[1] = true
		}
	}
	scales, sizes := c.resizeBy()
	n := x.Rank()
	if axes == nil {
		axes = from(0, n)
	}
	if len(axes) != max(len(sizes), len(scales)) || region != nil && len(region) != 2*len(axes) {
		c.fail("%d axes, %d sizes, %d scales", len(axes), len(sizes), len(scales))
	}
	shape := x.Shape()
	all, full := make([]float64, n), make([]float64, 2*n)
	for i := range all {
		all[i], full[n+i] = 1, 1
	}
	if policy != "stretch" && sizes != nil {
		scales = c.keepAspect(policy, sizes, axes, shape)
	}
	var whole []int
	if sizes != nil {
		whole = x.Shape()
	}
	for i, ax := range axes {
		ax = c.axis(ax, n)
		if sizes != nil {
			whole[ax] = sizes[i]
			all[ax] = float64(sizes[i]) / float64(shape[ax])
		}
		if scales != nil {
			all[ax] = scales[i]
		}
		if region != nil {
			full[ax], full[n+ax] = region[i], region[len(axes)+i]
		}
	}
	if o.Coords != ops.CoordCrop {
		full = nil
	}
	return out(c.interpolate(x, mode, near, whole, all, full, o))
}

// resizeBy are the factors or the extents that resize is given, the other being nil.
func (c *call) resizeBy() (scales []float64, sizes []int) {
	if c.has(2) {
		if scales = c.floats(2); len(scales) == 0 { // as files of early versions leave it out
			scales = nil
		}
	}
	if c.has(3) {
		if sizes = c.ints(3); len(sizes) == 0 {
			sizes = nil
		}
	}
	if (sizes == nil) == (scales == nil) {
		c.fail("either sizes or scales must be given")
	}
	return scales, sizes
}

// keepAspect makes sizes those of one factor for all axes, the largest or least that the policy allows, and returns it for each of axes.
func (c *call) keepAspect(policy string, sizes, axes, shape []int) []float64 {
	f := math.Inf(1)
	if policy == "not_smaller" {
		f = 0
	} else if policy != "not_larger" {
		c.refuse("keep_aspect_ratio_policy %q is not known", policy)
	}
	for i, ax := range axes {
		r := float64(sizes[i]) / float64(shape[c.axis(ax, len(shape))])
		if policy == "not_larger" {
			f = min(f, r)
		} else {
			f = max(f, r)
		}
	}
	for i, ax := range axes {
		sizes[i] = int(math.Floor(f*float64(shape[c.axis(ax, len(shape))]) + 0.5))
	}
	return slices.Repeat([]float64{f}, len(axes))
}
