package neural

import (
	"math"

	"github.com/anycl/anycl/ops"
	"github.com/anycl/anycl/ops/optest/internal/reference"
	"github.com/anycl/anycl/ops/optest/internal/sample"
	"github.com/anycl/anycl/ops/optest/internal/spec"
	"github.com/anycl/anycl/tensor"
)

// Interpolation: every element of the result is a sum over all elements along the axis, weighted by a filter.

func init() {
	type o = ops.InterpolateOptions
	all := func(label string, shape []int, a o) spec.Sample {
		return spec.Sample{
			Label: label, Operands: []spec.Operand{{Shape: shape}}, Attr: a,
			Build: func(in []*ops.Node) *ops.Node { return ops.Interpolate(in[0], a) },
		}
	}
	float := func(label string, shape []int, a o) spec.Sample {
		s := all(label, shape, a)
		s.Only = sample.FloatDTypes
		return s
	}
	some := func(label string, shape []int, a o) spec.Sample {
		s := all(label, shape, a)
		s.Only = []tensor.DType{tensor.Float32, tensor.Uint8}
		return s
	}
	spec.Register("interpolate", spec.Spec{
		Reference: interpolate,
		Tolerance: spec.Tolerance{ULP: 4, ULP64: 4, Terms: 1, Stored: 3, Source: spec.Composition},
		Samples: []spec.Sample{
			all("nearest up", []int{1, 2, 3, 5}, o{Scale: []float64{2, 3}}),
			some("nearest down, exact", []int{2, 7, 5}, o{Mode: ops.InterpolateNearestExact, Size: []int{4, 3}}),
			some("nearest, ONNX", []int{2, 5}, o{Scale: []float64{1.6}, Coords: ops.CoordHalfPixel, Nearest: ops.NearestRoundPreferFloor}),
			some("nearest, ceil", []int{2, 5}, o{Size: []int{8}, Coords: ops.CoordAlignCorners, Nearest: ops.NearestCeil}),
			float("linear", []int{2, 3, 5}, o{Mode: ops.InterpolateLinear, Size: []int{8}}),
			float("bilinear up, down", []int{1, 2, 4, 9}, o{Mode: ops.InterpolateLinear, Size: []int{7, 4}, Coords: ops.CoordAlignCorners}),
			float("trilinear by scales", []int{2, 3, 2, 4}, o{Mode: ops.InterpolateLinear, Scale: []float64{1.5, 2, 0.75}}),
			float("bicubic", []int{1, 2, 5, 6}, o{Mode: ops.InterpolateCubic, Size: []int{8, 4}}),
			float("cubic, excluded", []int{2, 5},
				o{Mode: ops.InterpolateCubic, Scale: []float64{1.8}, Coords: ops.CoordAsymmetric, Exclude: true, Cubic: -0.5}),
			float("area", []int{2, 7, 4}, o{Mode: ops.InterpolateArea, Size: []int{3, 6}}),
			float("antialias", []int{2, 11, 7}, o{Mode: ops.InterpolateLinear, Size: []int{4, 9}, Antialias: true}),
			float("antialias, cubic", []int{2, 13}, o{Mode: ops.InterpolateCubic, Size: []int{5}, Antialias: true}),
			float("crop", []int{2, 6, 5},
				o{Mode: ops.InterpolateLinear, Size: []int{4, 5}, Coords: ops.CoordCrop, Region: []float64{0.2, -0.3, 0.9, 0.7}, Outside: 7}),
			float("symmetric", []int{2, 5}, o{Mode: ops.InterpolateLinear, Scale: []float64{1.5}, Coords: ops.CoordHalfPixelSymmetric}),
			float("one", []int{2, 5}, o{Mode: ops.InterpolateLinear, Size: []int{1}, Coords: ops.CoordPyTorchHalfPixel}),
		},
	})
}

func interpolate(c spec.Case) spec.Result {
	o, x := reference.Attr[ops.InterpolateOptions](c), c.In[0]
	n := len(c.Shape) - max(len(o.Size), len(o.Scale))
	y := spec.NewArray(x.DType, c.Shape...)
	terms := make([]float64, y.Len())
	nearest := o.Mode == "" || o.Mode == ops.InterpolateNearest || o.Mode == ops.InterpolateNearestExact
	for p, at := range reference.Coordinates(c.Shape) {
		weights := make([][]float64, len(at))
		outside := false
		for a := range at {
			weights[a] = make([]float64, x.Shape[a])
			if a < n {
				weights[a][at[a]] = 1
				continue
			}
			if x.Shape[a] == c.Shape[a] && o.Coords != ops.CoordCrop && (len(o.Scale) == 0 || o.Scale[a-n] == 1) {
				weights[a][at[a]] = 1
				continue
			}
			outside = outside || !axisWeights(o, a-n, at[a], x.Shape[a], c.Shape[a], weights[a])
		}
		if outside {
			y.F[p] = o.Outside
			continue
		}
		for q, from := range reference.Coordinates(x.Shape) {
			w := 1.0
			for a := range from {
				w *= weights[a][from[a]]
			}
			switch {
			case w == 0:
			case nearest:
				reference.CopyElement(y, p, x, q)
			default:
				y.F[p] += w * x.F[q]
				terms[p] += math.Abs(w * x.F[q])
			}
		}
	}
	if y.F == nil || nearest {
		return reference.Exactly(y)
	}
	return spec.Result{Array: y, Terms: terms, N: 24}
}

// axisWeights stores in w the weights of the elements of an axis for element i of the result, and reports whether there are any.
func axisWeights(o ops.InterpolateOptions, k, i, in, out int, w []float64) bool {
	if (o.Mode == "" || o.Mode == ops.InterpolateNearest) && o.Coords == "" && o.Nearest == "" {
		o.Coords, o.Nearest = ops.CoordAsymmetric, ops.NearestFloor
	}
	if o.Mode == ops.InterpolateNearestExact && o.Nearest == "" {
		o.Nearest = ops.NearestRoundPreferCeil
	}
	x, step := axisPosition(o, k, i, in, out)
	if o.Coords == ops.CoordCrop && (x < 0 || x > float64(in-1)) {
		return false
	}
	put := func(j int, v float64) { w[min(max(j, 0), in-1)] += v }
	switch o.Mode {
	case "", ops.InterpolateNearest, ops.InterpolateNearestExact:
		put(nearestOf(o.Nearest, x), 1)
		return true
	case ops.InterpolateArea:
		from, to := i*in/out, int(math.Ceil(float64((i+1)*in)/float64(out)))
		for j := from; j < to; j++ {
			put(j, 1/float64(to-from))
		}
		return true
	}
	reach, filter := axisFilter(o)
	if !o.Antialias || step < 1 {
		step = 1
	}
	low, high := int(math.Floor(x-reach*step))-1, int(math.Ceil(x+reach*step))+1
	for j := low; j <= high; j++ {
		inside := j >= 0 && j < in
		if inside || !o.Exclude && step == 1 {
			put(j, filter((float64(j)-x)/step))
		}
	}
	if o.Exclude || step > 1 {
		total := 0.0
		for _, v := range w {
			total += v
		}
		for j := range w {
			w[j] /= total
		}
	}
	return true
}

// axisPosition is where element i of the result's axis k lies on that of x, and how far its neighbours are from there.
func axisPosition(o ops.InterpolateOptions, k, i, in, out int) (x, step float64) {
	scale := float64(out) / float64(in)
	if len(o.Scale) > 0 {
		scale = o.Scale[k]
	}
	step = 1 / scale
	x = (float64(i)+0.5)/scale - 0.5
	switch o.Coords {
	case ops.CoordAsymmetric:
		x = float64(i) / scale
	case ops.CoordAlignCorners:
		if x, step = 0, 0; out > 1 {
			step = float64(in-1) / float64(out-1)
			x = float64(i) * step
		}
	case ops.CoordPyTorchHalfPixel:
		if out == 1 {
			x = 0
		}
	case ops.CoordHalfPixelSymmetric:
		adjust := float64(out) / (scale * float64(in))
		centre := float64(in) / 2
		x = centre*(1-adjust) + (float64(i)+0.5)/scale - 0.5
	case ops.CoordCrop:
		n := len(o.Region) / 2
		start, end := o.Region[k], o.Region[n+k]
		if x = 0.5 * (start + end) * float64(in-1); out > 1 {
			x = start*float64(in-1) + float64(i)*(end-start)*float64(in-1)/float64(out-1)
		}
	}
	return x, step
}

// nearestOf is the element that is nearest to position x.
func nearestOf(round ops.NearestMode, x float64) int {
	const near = 1e-12 // positions at ties are computed with rounding
	switch round {
	case ops.NearestFloor:
		return int(math.Floor(x + near))
	case ops.NearestCeil:
		return int(math.Ceil(x - near))
	case ops.NearestRoundPreferCeil:
		return int(math.Floor(x + 0.5 + near))
	}
	return int(math.Ceil(x - 0.5 - near))
}

// axisFilter is the weight of an element by its distance, and the distance from which on it is 0.
func axisFilter(o ops.InterpolateOptions) (reach float64, filter func(d float64) float64) {
	if o.Mode != ops.InterpolateCubic {
		return 1, func(d float64) float64 { return max(1-math.Abs(d), 0) }
	}
	a := o.Cubic
	if a == 0 {
		if a = -0.75; o.Antialias {
			a = -0.5
		}
	}
	return 2, func(d float64) float64 {
		switch d = math.Abs(d); {
		case d < 1:
			return (a+2)*d*d*d - (a+3)*d*d + 1
		case d < 2:
			return a*d*d*d - 5*a*d*d + 8*a*d - 4*a
		}
		return 0
	}
}
