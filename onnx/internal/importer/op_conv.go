package importer

import (
	"slices"

	"github.com/anycl/anycl/onnx/internal/model"
	"github.com/anycl/anycl/ops"
)

var _ = define(func() []*operator {
	return []*operator{
		{name: "Conv", since: 1, build: func(c *call) []*value {
			x, w := c.x(0), c.x(1)
			s := c.spatial(x, w.Shape()[2:])
			return out(ops.Conv(s.padded(x, 0), w, c.opt(2), &ops.ConvOptions{
				Stride: s.stride, Pad: s.before, PadAfter: s.after, Dilation: s.dilation, Groups: c.int("group", 1),
			}))
		}},
		{name: "ConvTranspose", since: 1, build: convTranspose},
	}
})

// spatial is where windows lie along the spatial axes of an operand.
type spatial struct {
	size, stride, dilation []int
	before, after          []int
}

// extents returns the extents of the spatial axes of n.
func (c *call) extents(n *ops.Node) []int {
	if n.Rank() < 3 {
		c.fail("its operand %v has no spatial axes", n.Shape())
	}
	return n.Shape()[2:]
}

// spatial reads the attributes of convolutions and poolings.
func (c *call) spatial(x *ops.Node, kernel []int) *spatial {
	extents := c.extents(x)
	n := len(extents)
	s := &spatial{size: c.intList("kernel_shape")}
	if s.size == nil {
		s.size = kernel
	}
	if kernel != nil && !slices.Equal(s.size, kernel) {
		c.fail("kernel_shape is %v, and the kernel %v", s.size, kernel)
	}
	list := func(name string, def int) []int {
		v := c.intList(name)
		if v == nil {
			v = slices.Repeat([]int{def}, n)
		}
		return v
	}
	s.stride, s.dilation = list("strides", 1), list("dilations", 1)
	pads := c.intList("pads")
	if len(pads) == 0 {
		pads = make([]int, 2*n)
	}
	if len(s.size) != n || len(s.stride) != n || len(s.dilation) != n || len(pads) != 2*n {
		c.fail("kernel %v, strides %v, dilations %v, pads %v for %d spatial axes", s.size, s.stride, s.dilation, pads, n)
	}
	for i := range n {
		if s.size[i] < 1 || s.stride[i] < 1 || s.dilation[i] < 1 {
			c.fail("kernel %v, strides %v, dilations %v: all must be above 0", s.size, s.stride, s.dilation)
		}
	}
	s.before, s.after = slices.Clone(pads[:n]), slices.Clone(pads[n:])
	switch auto := c.str("auto_pad", "NOTSET"); auto {
	case "NOTSET", "":
	case "VALID":
		s.before, s.after = make([]int, n), make([]int, n)
	case "SAME_UPPER", "SAME_LOWER":
		for i, d := range extents {
			outs := (d + s.stride[i] - 1) / s.stride[i]
			total := max(0, (outs-1)*s.stride[i]+s.reach(i)-d)
			s.before[i], s.after[i] = total/2, total-total/2
			if auto == "SAME_LOWER" {
				s.before[i], s.after[i] = s.after[i], s.before[i]
			}
		}
	default:
		c.fail("auto_pad %q is not known", auto)
	}
	return s
}

// reach is how many elements a window spans.
func (s *spatial) reach(i int) int { return s.dilation[i]*(s.size[i]-1) + 1 }

// padded applies the negative pads to x, and leaves the others in s.
func (s *spatial) padded(x *ops.Node, fill float64) *ops.Node {
	var paddings []ops.Padding
	for i := range s.before {
		p := ops.Padding{Axis: i + 2, Before: min(0, s.before[i]), After: min(0, s.after[i])}
		if p.Before < 0 || p.After < 0 {
			paddings = append(paddings, p)
			s.before[i], s.after[i] = max(0, s.before[i]), max(0, s.after[i])
		}
	}
	if paddings == nil {
		return x
	}
	return ops.Pad(x, fill, paddings...)
}

func convTranspose(c *call) []*value {
	x, w := c.x(0), c.x(1)
	auto := c.str("auto_pad", "NOTSET")
	n := len(c.extents(x))
	attrs := c.attrs
	if auto == "SAME_UPPER" || auto == "SAME_LOWER" { // of the result, below
		c.attrs = map[string]*model.Attr{}
		for name, a := range attrs {
			if name != "auto_pad" {
				c.attrs[name] = a
			}
		}
	}
	s := c.spatial(x, w.Shape()[2:])
	c.attrs = attrs
	extra := c.intList("output_padding")
	if extra == nil {
		extra = make([]int, n)
	}
	size := c.intList("output_shape")
	if len(size) == n+2 {
		size = size[2:]
	}
	if len(extra) != n || size != nil && len(size) != n {
		c.fail("output_padding %v, output_shape %v for %d spatial axes", extra, size, n)
	}
	for i, d := range c.extents(x) {
		full := s.stride[i]*(d-1) + extra[i] + s.reach(i)
		want := 0
		switch {
		case size != nil:
			want = size[i]
		case auto == "SAME_UPPER" || auto == "SAME_LOWER":
			want = d * s.stride[i]
		default:
			continue
		}
		total := max(0, full-want)
		s.before[i], s.after[i] = total-total/2, total/2
		if auto == "SAME_UPPER" {
			s.before[i], s.after[i] = s.after[i], s.before[i]
		}
		extra[i] += max(0, want-full)
	}
	// Elements are cut off and added at the edges of the whole result, because the options of the op cannot express every case.
	var edges []ops.Padding
	for i := range n {
		if p := (ops.Padding{Axis: i + 2, Before: -s.before[i], After: extra[i] - s.after[i]}); p.Before != 0 || p.After != 0 {
			edges = append(edges, p)
		}
	}
	bias := c.opt(2)
	y := ops.ConvTranspose(x, w, nil, &ops.ConvTransposeOptions{ConvOptions: ops.ConvOptions{
		Stride: s.stride, Dilation: s.dilation, Groups: c.int("group", 1),
	}})
	if edges != nil {
		y = ops.Pad(y, 0, edges...)
	}
	if bias != nil {
		shape := slices.Repeat([]int{1}, n+1)
		shape[0] = bias.Dim(0)
		y = ops.Add(y, ops.Reshape(bias, shape...))
	}
	return out(y)
}
