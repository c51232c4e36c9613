package export

import (
	"math"
	"slices"

	"github.com/anycl/anycl/onnx/internal/model"
	"github.com/anycl/anycl/tensor"
)

var (
	_ = define("interpolate", interpolate)
	_ = define("grid_sample", func(c *call) []string {
		mode, pad := c.str("mode"), c.str("pad")
		if mode == "" {
			mode = "linear"
		}
		if pad == "" {
			pad = "zeros"
		}
		n := c.in[0].Rank() - 2
		switch {
		case c.opset() < 20 && n == 2 && mode != "nearest":
			mode = map[string]string{"linear": "bilinear", "cubic": "bicubic"}[mode]
		case n != 2 && (c.opset() < 20 || n != 3), slices.Contains(c.n.Shape(), 0):
			return nil
		}
		return c.do("GridSample", c.args(), text("mode", mode), text("padding_mode", pad), flag("align_corners", c.bool("align")))
	})
)

// interpolate writes the filters that Resize has; others are compositions.
func interpolate(c *call) []string {
	mode, coords, near := c.str("mode"), c.str("coords"), c.str("nearest")
	x, y := c.shape(0), c.n.Shape()
	switch {
	case !slices.Contains([]tensor.DType{tensor.Float32, tensor.Float16, tensor.Int32, tensor.Int8, tensor.Uint8}, c.dtype()), len(x) > 4:
		return nil // the specification has more, and runtimes less
	case c.bool("antialias"), coords == "tf_crop_and_resize", slices.Contains(x, 0), slices.Contains(y, 0):
		return nil
	case coords == "half_pixel_symmetric" && c.opset() < 19:
		return nil
	case mode == "nearest" || mode == "":
		mode, near = "nearest", or(near, "floor")
		coords = or(coords, "asymmetric")
	case mode == "nearest_exact":
		mode, near = "nearest", or(near, "round_prefer_ceil")
	case mode != "linear" && mode != "cubic":
		return nil
	}
	coords = or(coords, "half_pixel")
	attrs := []*model.Attr{text("mode", mode), text("coordinate_transformation_mode", coords)}
	switch mode {
	case "nearest":
		attrs = append(attrs, text("nearest_mode", near))
	case "cubic":
		a := c.float("cubic")
		if a == 0 {
			a = -0.75
		}
		attrs = append(attrs, aFloat("cubic_coeff_a", a), flag("exclude_outside", c.bool("exclude")))
	default:
		if c.bool("exclude") {
			return nil
		}
	}
	scales, _ := c.attrs["scale"].([]any)
	if len(scales) == 0 {
		return c.do("Resize", []string{c.arg(0), "", "", c.list(y...)}, attrs...)
	}
	all := slices.Repeat([]float32{1}, len(x))
	for i, s := range scales {
		k := len(x) - len(scales) + i
		all[k] = float32(floatOf(s))
		if whole := float64(all[k]) * float64(x[k]); coords == "align_corners" && whole != math.Round(whole) || int(math.Floor(whole)) != y[k] {
			return nil // the scale in 32 bits gives another extent
		}
	}
	return c.do("Resize", []string{c.arg(0), "", c.x.initial("", tensor.Must(tensor.FromSlice(all, len(all))))}, attrs...)
}

func or(v, standard string) string {
	if v == "" {
		return standard
	}
	return v
}
