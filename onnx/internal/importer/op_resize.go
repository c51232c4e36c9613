package importer

import (
	"math"

	"github.com/anycl/anycl/ops"
	"github.com/anycl/anycl/tensor"
)

// byMatrix reports whether a resize is none that ops.Interpolate has: filters that are stretched and take elements outside from
// the edge, and corners that are aligned by a scale which gives no whole extent.
func byMatrix(mode string, x *ops.Node, sizes []int, scales []float64, o *ops.InterpolateOptions) bool {
	if mode != "nearest" && o.Antialias && !o.Exclude {
		return true
	}
	if o.Coords != ops.CoordAlignCorners {
		return false
	}
	for i, d := range x.Shape() {
		if float64(d)*scales[i] != float64(sizes[i]) && math.Abs(float64(d)*scales[i]-float64(sizes[i])) > 1e-6 {
			return true
		}
	}
	return false
}

// resizeAxes multiplies each axis that changes with the matrix of its filter.
func (c *call) resizeAxes(x *ops.Node, mode string, near ops.NearestMode, sizes []int, scales []float64,
	o *ops.InterpolateOptions) *ops.Node {
	for axis, n := range x.Shape() {
		if sizes[axis] == n && scales[axis] == 1 {
			continue
		}
		if sizes[axis]*n > maxFold {
			c.fail("extents %d and %d are too large for this mode", n, sizes[axis])
		}
		w := make([]float64, sizes[axis]*n)
		for i := range sizes[axis] {
			c.filterRow(w[i*n:(i+1)*n], i, mode, near, sizes[axis], scales[axis], o)
		}
		t, err := tensor.FromSlice(w, sizes[axis], n)
		c.check(err)
		m := ops.Cast(c.b.g.Const(t), x.DType())
		x = ops.MoveDim(ops.TensorDot(m, x, []int{1}, []int{axis}), []int{0}, []int{axis})
	}
	return x
}

// filterRow adds the weights of the elements that make element i of the result.
func (c *call) filterRow(row []float64, i int, mode string, near ops.NearestMode, size int, scale float64, o *ops.InterpolateOptions) {
	n, whole := float64(len(row)), scale*float64(len(row))
	var at float64
	switch o.Coords {
	case ops.CoordHalfPixel:
		at = (float64(i)+0.5)/scale - 0.5
	case ops.CoordPyTorchHalfPixel:
		if size > 1 {
			at = (float64(i)+0.5)/scale - 0.5
		}
	case ops.CoordAsymmetric:
		at = float64(i) / scale
	case ops.CoordHalfPixelSymmetric:
		at = n/2*(1-float64(size)/whole) + (float64(i)+0.5)/scale - 0.5
	case ops.CoordAlignCorners:
		if whole != 1 {
			at = float64(i) * (n - 1) / (whole - 1)
		}
	default:
		c.fail("coordinate_transformation_mode %q is not supported with antialias", o.Coords)
	}
	low := math.Floor(at)
	part := at - low
	add := func(k int, w float64) { row[min(max(int(low)+k, 0), len(row)-1)] += w }
	stretch := 1.0
	if o.Antialias {
		stretch = min(scale, 1)
	}
	var filter func(d float64) float64
	support := 1.0
	switch mode {
	case "nearest":
		up := part > 0.5 || part == 0.5 && near == ops.NearestRoundPreferCeil || part > 0 && near == ops.NearestCeil
		if up && near != ops.NearestFloor {
			low++
		}
		add(0, 1)
		return
	case "cubic":
		a := o.Cubic
		support = 2
		filter = func(d float64) float64 {
			if d = math.Abs(d); d <= 1 {
				return (a+2)*d*d*d - (a+3)*d*d + 1
			} else if d < 2 {
				return a*d*d*d - 5*a*d*d + 8*a*d - 4*a
			}
			return 0
		}
	default:
		filter = func(d float64) float64 { return max(0, 1-math.Abs(d)) }
	}
	start := int(math.Floor(-support/stretch)) + 1
	end := 1 - start // symmetric about the middle of the two neighbours
	var sum float64
	for k := start; k <= end; k++ {
		sum += filter((float64(k) - part) * stretch)
	}
	for k := start; k <= end; k++ {
		if at := int(low) + k; o.Exclude && (at < 0 || at >= len(row)) {
			continue
		}
		add(k, filter((float64(k)-part)*stretch)/sum)
	}
	if o.Exclude {
		sum = 0
		for _, w := range row {
			sum += w
		}
		for k := range row {
			row[k] /= sum
		}
	}
}
