package export

import (
	"slices"

	"github.com/anycl/anycl/onnx/internal/model"
)

// spatial is where windows lie along spatial axes, with everything given.
type spatial struct{ size, stride, before, after, dilation []int }

// spatialOf reads the attributes of a convolution or pooling with windows of a size over extents; strides that are not given are def.
func (c *call) spatialOf(size, def []int, extents []int) (s spatial, auto string) {
	n := len(size)
	list := func(name string, def []int, zero int) []int {
		v := c.ints(name)
		switch {
		case len(v) == 0:
			v = slices.Clone(def)
		case len(v) == 1:
			v = slices.Repeat(v, n)
		}
		for i := range v {
			if v[i] == 0 {
				v[i] = max(zero, 0)
				if zero < 0 {
					v[i] = def[i]
				}
			}
		}
		return v
	}
	zeros, ones := make([]int, n), slices.Repeat([]int{1}, n)
	s = spatial{size: size, stride: list("stride", def, -1), before: list("pad", zeros, 0), dilation: list("dilation", ones, 1)}
	s.after = s.before
	if len(c.ints("pad_after")) > 0 {
		s.after = list("pad_after", zeros, 0)
	}
	switch c.str("mode") {
	case "same", "same_lower":
		s.before, s.after = make([]int, n), make([]int, n)
		for i, d := range extents {
			total := max(((d+s.stride[i]-1)/s.stride[i]-1)*s.stride[i]+s.dilation[i]*(size[i]-1)+1-d, 0)
			s.share(i, total, c.str("mode") == "same_lower")
		}
	case "valid":
		s.before, s.after = zeros, zeros
	}
	return s, c.str("mode")
}

func (s *spatial) share(i, total int, lower bool) {
	s.before[i] = total / 2
	if lower {
		s.before[i] = total - total/2
	}
	s.after[i] = total - s.before[i]
}

func (s *spatial) attrs() []*model.Attr {
	return []*model.Attr{ints("kernel_shape", s.size), ints("strides", s.stride), ints("dilations", s.dilation),
		ints("pads", slices.Concat(s.before, s.after))}
}

func convolution(c *call) []string {
	x, w := c.shape(0), c.shape(1)
	if slices.Contains(x, 0) {
		return nil
	}
	s, _ := c.spatialOf(w[2:], slices.Repeat([]int{1}, len(w)-2), x[2:])
	return c.do("Conv", c.args(), append(s.attrs(), anInt("group", max(c.int("groups"), 1)))...)
}

var (
	_ = define("conv", convolution)
	_ = define("conv2d", convolution)
	_ = define("conv_transpose", func(c *call) []string {
		x, w, y := c.shape(0), c.shape(1), c.n.Shape()
		if slices.Contains(x, 0) {
			return nil
		}
		mode := c.str("mode")
		c.attrs["mode"] = ""
		s, _ := c.spatialOf(w[2:], slices.Repeat([]int{1}, len(w)-2), x[2:])
		extra, size := make([]int, len(x)-2), c.ints("size")
		more := c.ints("output_pad")
		if len(more) == 1 {
			more = slices.Repeat(more, len(extra))
		}
		for i := range extra {
			reach := (x[2+i]-1)*s.stride[i] + s.dilation[i]*(w[2+i]-1) + 1
			own := 0
			if len(more) > 0 {
				own = more[i]
			}
			if len(size) > 0 || mode == "same" || mode == "same_lower" {
				s.before, s.after = slices.Clone(s.before), slices.Clone(s.after)
				s.share(i, max(reach+own-y[2+i], 0), mode == "same_lower")
			}
			if extra[i] = y[2+i] - (reach - s.before[i] - s.after[i]); extra[i] < 0 || extra[i] >= s.stride[i] && extra[i] > 0 {
				return c.refused("an output padding of %d with stride %d has no counterpart", extra[i], s.stride[i])
			}
		}
		return c.do("ConvTranspose", c.args(), append(s.attrs(), ints("output_padding", extra), anInt("group", max(c.int("groups"), 1)))...)
	})
	_ = define("max_pool", pooled("MaxPool"))
	_ = define("max_pool2d", pooled("MaxPool"))
	_ = define("avg_pool", pooled("AveragePool"))
	_ = define("avg_pool2d", pooled("AveragePool"))
	_ = define("lp_pool", pooled("LpPool"))
	_ = define("max_pool_indices", func(c *call) []string {
		if s := signatures()["MaxPool"]; !s.takes(c.dtype(), c.opset()) && !s.wider(c.dtype(), c.opset()).Valid() {
			return nil
		}
		if !c.bool("whole") || c.in[0].Rank() != len(c.ints("size"))+2 {
			return nil
		}
		s, _ := c.spatialOf(c.ints("size"), c.ints("size"), c.shape(0)[2:])
		return c.ops(2, "MaxPool", c.args(), append(s.attrs(), flag("ceil_mode", c.bool("ceil")))...)
	})
	_ = define("adaptive_avg_pool", func(c *call) []string {
		size := c.ints("size")
		if c.in[0].Rank() != len(size)+2 || slices.Max(size) != 1 || slices.Contains(c.shape(0), 0) {
			return nil
		}
		return c.do("GlobalAveragePool", c.args())
	})
)

// pooled writes a pooling of the last axes: those before are side by side where they are not two.
func pooled(operator string) rule {
	return func(c *call) []string {
		shape, size := c.shape(0), c.ints("size")
		lead := len(shape) - len(size)
		s, _ := c.spatialOf(size, size, shape[lead:])
		ceil := c.bool("ceil")
		attrs := s.attrs()
		switch operator {
		case "AveragePool":
			if c.int("divisor") != 0 {
				return nil
			}
			if slices.Max(s.dilation) > 1 || ceil {
				if c.opset() < 19 {
					return nil
				}
			} else {
				attrs = slices.Delete(attrs, 2, 3)
			}
			attrs = append(attrs, flag("count_include_pad", c.bool("count_pad")))
		case "LpPool":
			if p := c.float("p"); !isWhole(p) || c.opset() < 18 {
				return nil
			}
			attrs = append(attrs, anInt("p", int(c.float("p"))))
		}
		for i := range size {
			if s.before[i] >= size[i] || s.after[i] >= size[i] {
				return nil // padding as wide as a window is refused by runtimes
			}
		}
		if s := signatures()[operator]; !s.takes(c.dtype(), c.opset()) && !s.wider(c.dtype(), c.opset()).Valid() {
			return nil
		}
		x := c.arg(0)
		if lead != 2 {
			n := 1
			for _, d := range shape[:lead] {
				n *= d
			}
			x = c.reshape(x, append([]int{1, n}, shape[lead:]...)...)
		}
		y := c.op(operator, []string{x}, append(attrs, flag("ceil_mode", ceil))...)
		if lead != 2 {
			y = c.reshape(y, c.n.Shape()...)
		}
		return []string{y}
	}
}
